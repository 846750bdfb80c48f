package web

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tend/internal/token"
	"tend/internal/words"
)

const cookieName = "tend_session"

// A session ends when it was not used for a while, and at the latest after a week.
const idleFor, lastsFor = 12 * time.Hour, 7 * 24 * time.Hour

// mostSessions bounds the memory sessions take.
const mostSessions = 1000

// session is a browser that is logged in.
type session struct {
	who      string
	readOnly bool
	csrf     string
	secret   string // the operator token it was opened with, "" for a link: it ends when the token does
	made     time.Time
	used     time.Time
	flash    atomic.Pointer[flash] // what the next page says
}

// owns reports whether a form's CSRF token is this session's.
func (s *session) owns(csrf string) bool {
	return s != nil && subtle.ConstantTimeCompare([]byte(csrf), []byte(s.csrf)) == 1
}

// sessions are who is logged in. They are in memory only: after a restart people log in again.
type sessions struct {
	now func() time.Time

	mu   sync.Mutex
	byID map[string]*session
}

func newSessions(now func() time.Time) *sessions {
	return &sessions{now: now, byID: map[string]*session{}}
}

// open makes a session and returns the id its cookie holds.
func (s *sessions) open(x *session) string {
	id := rand.Text() + rand.Text()
	x.csrf, x.made, x.used = rand.Text(), s.now(), s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.byID) >= mostSessions {
		s.forget()
	}
	s.byID[id] = x
	return id
}

// forget drops ended sessions, or the one that was used longest ago if none has ended.
func (s *sessions) forget() {
	oldest := ""
	for id, x := range s.byID {
		if s.ended(x) {
			delete(s.byID, id)
		} else if oldest == "" || x.used.Before(s.byID[oldest].used) {
			oldest = id
		}
	}
	if len(s.byID) >= mostSessions {
		delete(s.byID, oldest)
	}
}

func (s *sessions) ended(x *session) bool {
	now := s.now()
	return now.Sub(x.used) > idleFor || now.Sub(x.made) > lastsFor
}

// get finds a session by the id in its cookie, and notes that it is in use.
func (s *sessions) get(id string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.byID[id]
	if x == nil || s.ended(x) {
		delete(s.byID, id)
		return nil
	}
	x.used = s.now()
	return x
}

func (s *sessions) close(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, id)
}

// session is who makes a request, nil for nobody. Only the cookie counts: a bearer token opens the API, not the pages.
func (s *Site) session(r *http.Request) *session {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return nil
	}
	x := s.sessions.get(c.Value)
	if x == nil || x.secret == "" {
		return x
	}
	if t, ok := s.o.Tokens.Check(x.secret); !ok || !t.Operator() || t.ReadOnly != x.readOnly {
		s.sessions.close(c.Value) // the token was revoked or has expired
		return nil
	}
	return x
}

func (s *Site) cookie(id string, age int) *http.Cookie {
	return &http.Cookie{Name: cookieName, Value: id, Path: "/", MaxAge: age, HttpOnly: true, Secure: s.o.TLS, SameSite: http.SameSiteStrictMode}
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
	if strings.Contains(v.r.Header.Get("Sec-Purpose"), "prefetch") {
		return badRequest("A login link is opened by a person, not ahead of one.")
	}
	l, ok, err := token.UseLogin(s.o.State, once, s.o.Clock())
	if err != nil {
		return err
	}
	if !ok {
		v.w.WriteHeader(http.StatusForbidden)
		return v.render("login", "Log in", loginPage{Error: "This link was used already or has expired. `tend token login` makes another."})
	}
	return v.enter(&session{who: l.Name, readOnly: l.ReadOnly})
}

// login takes an operator token. An agent's token never opens the dashboard.
func (s *Site) login(v *visit) error {
	secret := strings.TrimSpace(v.r.PostFormValue("token"))
	t, ok := s.o.Tokens.Check(secret)
	if !ok || !t.Operator() {
		v.w.WriteHeader(http.StatusForbidden)
		return v.render("login", "Log in", loginPage{Error: "That is not an operator token. `tend token create --operator` makes one."})
	}
	who := strings.TrimSpace(v.r.PostFormValue("name"))
	switch {
	case who == "" && t.Name != "":
		who = t.Name
	case who == "":
		who = "token " + t.ID
	}
	return v.enter(&session{who: words.Clip(words.InLine(who), 60), readOnly: t.ReadOnly, secret: secret})
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
