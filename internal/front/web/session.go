package web

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/model/textfmt"
	"tend/internal/state/token"
)

const cookieName = "tend_session"

// A session ends when it was not used for a while, and after a week at the latest.
const idleFor, lastsFor = 12 * time.Hour, 7 * 24 * time.Hour

// mostSessions bounds the memory that sessions use.
const mostSessions = 1000

// session is a logged-in browser.
type session struct {
	who      string
	readOnly bool
	csrf     string
	token    string // the id of the operator token it was opened with, "" for a link: it ends with the token
	made     time.Time
	used     time.Time
	flash    atomic.Pointer[flash] // what the next page says
}

// owns reports whether a form's CSRF token is this session's.
func (s *session) owns(csrf string) bool {
	return s != nil && subtle.ConstantTimeCompare([]byte(csrf), []byte(s.csrf)) == 1
}

// sessions holds the logged-in browsers, by the SHA-256 of their cookie. They are saved in a file, so that a restart
// logs nobody out; the file does not reveal the cookies.
type sessions struct {
	now   func() time.Time
	state fsys.FS
	log   *slog.Logger

	mu     sync.Mutex
	byHash map[string]*session
	saved  time.Time // when they were last saved
}

const sessionsFile = "sessions.json"

// savedEvery is how often the use of sessions is saved.
const savedEvery = 10 * time.Minute

// savedSession is a session in the file.
type savedSession struct {
	Hash     string    `json:"sha256"`
	Who      string    `json:"who"`
	ReadOnly bool      `json:"read_only,omitempty"`
	Token    string    `json:"token,omitempty"`
	Made     time.Time `json:"made"`
	Used     time.Time `json:"used"`
}

func newSessions(o Options) *sessions {
	s := &sessions{now: o.Clock, state: o.State, log: o.Log, byHash: map[string]*session{}, saved: o.Clock()}
	data, err := vault.ReadFile(s.state, sessionsFile)
	var list []savedSession
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.log.Warn("dashboard sessions cannot be read; everyone must log in again", "error", err)
	}
	for _, x := range list[:min(len(list), mostSessions)] {
		s.byHash[x.Hash] = &session{who: x.Who, readOnly: x.ReadOnly, token: x.Token, made: x.Made, used: x.Used}
	}
	return s
}

// hashOf returns the stored hash of a cookie, and csrfOf the token for its forms. Neither reveals the cookie.
func hashOf(id string) string { return digest("session " + id) }
func csrfOf(id string) string { return digest("csrf " + id)[:32] }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// open creates a session and returns the id for its cookie.
func (s *sessions) open(x *session) string {
	id := rand.Text() + rand.Text()
	x.csrf, x.made, x.used = csrfOf(id), s.now(), s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.byHash) >= mostSessions {
		s.forget()
	}
	s.byHash[hashOf(id)] = x
	s.save()
	return id
}

// save saves the sessions. The caller holds the lock. If that fails they are lost at the next restart.
func (s *sessions) save() {
	list := make([]savedSession, 0, len(s.byHash))
	for hash, x := range s.byHash {
		if !s.ended(x) {
			list = append(list, savedSession{hash, x.who, x.readOnly, x.token, x.made, x.used})
		}
	}
	slices.SortFunc(list, func(a, b savedSession) int { return cmp.Or(a.Made.Compare(b.Made), strings.Compare(a.Hash, b.Hash)) })
	data, err := json.MarshalIndent(list, "", "  ")
	if err == nil {
		err = vault.WriteOver(s.state, vault.SyncEach{}, sessionsFile, append(data, '\n'), 0o600)
	}
	if err != nil {
		s.log.Warn("dashboard sessions cannot be saved", "error", err)
	}
	s.saved = s.now()
}

// forget drops ended sessions, or the least recently used one if none has ended.
func (s *sessions) forget() {
	oldest := ""
	for hash, x := range s.byHash {
		if s.ended(x) {
			delete(s.byHash, hash)
		} else if oldest == "" || x.used.Before(s.byHash[oldest].used) {
			oldest = hash
		}
	}
	if len(s.byHash) >= mostSessions {
		delete(s.byHash, oldest)
	}
}

func (s *sessions) ended(x *session) bool {
	now := s.now()
	return now.Sub(x.used) > idleFor || now.Sub(x.made) > lastsFor
}

// get finds a session by the id in its cookie. inUse records that it is being used.
func (s *sessions) get(id string, inUse bool) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.byHash[hashOf(id)]
	if x == nil || s.ended(x) {
		delete(s.byHash, hashOf(id))
		return nil
	}
	if x.csrf == "" { // it is from before a restart
		x.csrf = csrfOf(id)
	}
	if inUse {
		if x.used = s.now(); x.used.Sub(s.saved) > savedEvery {
			s.save()
		}
	}
	return x
}

func (s *sessions) close(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byHash, hashOf(id))
	s.save()
}

// session returns the session of a request, nil if there is none. Only the cookie counts: a bearer token opens the
// API, not the pages.
func (s *Site) session(r *http.Request) *session { return s.sessionIn(r, true) }

// stillIn reports whether the owner of a connection is still logged in. An open page does not count as use.
func (s *Site) stillIn(r *http.Request) bool { return s.sessionIn(r, false) != nil }

func (s *Site) sessionIn(r *http.Request, inUse bool) *session {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return nil
	}
	x := s.sessions.get(c.Value, inUse)
	if x == nil || x.token == "" {
		return x
	}
	if t, ok := s.o.Tokens.ByID(x.token); !ok || !t.Operator() || t.ReadOnly != x.readOnly {
		s.sessions.close(c.Value) // the token was revoked or has expired
		return nil
	}
	return x
}

func (s *Site) cookie(id string, age int) *http.Cookie {
	return &http.Cookie{Name: cookieName, Value: id, Path: "/", MaxAge: age, HttpOnly: true, Secure: s.o.TLS,
		SameSite: http.SameSiteStrictMode}
}

type loginPage struct{ Error string }

// loginPage redeems a link, or asks for an operator token.
func (s *Site) loginPage(v *visit) error {
	once := v.r.URL.Query().Get("once")
	if once == "" {
		if v.session != nil {
			http.Redirect(v.w, v.r, "/", http.StatusSeeOther)
			return nil
		}
		return v.render("login", "Log in", loginPage{})
	}
	if v.r.Method != http.MethodGet || strings.Contains(v.r.Header.Get("Sec-Purpose"), "prefetch") {
		return badRequest("Login links must be opened by a person; prefetching is refused.")
	}
	l, ok, err := token.UseLogin(s.o.State, once, s.o.Clock())
	if err != nil {
		return err
	}
	if !ok {
		v.w.WriteHeader(http.StatusForbidden)
		return v.render("login", "Log in", loginPage{Error: "This link was already used or has expired. `tend token login` creates another."})
	}
	return v.enter(&session{who: l.Name, readOnly: l.ReadOnly})
}

// login accepts an operator token. An agent's token never opens the dashboard.
func (s *Site) login(v *visit) error {
	secret := strings.TrimSpace(v.r.PostFormValue("token"))
	t, ok := s.o.Tokens.Check(secret)
	if !ok || !t.Operator() {
		v.w.WriteHeader(http.StatusForbidden)
		return v.render("login", "Log in", loginPage{Error: "That is not an operator token. `tend token create --operator` creates one."})
	}
	who := strings.TrimSpace(v.r.PostFormValue("name"))
	switch {
	case who == "" && t.Name != "":
		who = t.Name
	case who == "":
		who = "token " + t.ID
	}
	return v.enter(&session{who: textfmt.Clip(textfmt.InLine(who), 60), readOnly: t.ReadOnly, token: t.ID})
}

func (v *visit) enter(x *session) error {
	http.SetCookie(v.w, v.cookie(v.sessions.open(x), int(lastsFor.Seconds())))
	http.Redirect(v.w, v.r, "/", http.StatusSeeOther)
	return nil
}

func (s *Site) logout(v *visit) error {
	if c, err := v.r.Cookie(cookieName); err == nil {
		s.sessions.close(c.Value)
	}
	http.SetCookie(v.w, s.cookie("", -1))
	http.Redirect(v.w, v.r, "/login", http.StatusSeeOther)
	return nil
}
