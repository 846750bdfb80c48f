package web

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/table"
	"tend/internal/engine/runner"
	"tend/internal/engine/schedule"
	"tend/internal/state/findinglog"
	"tend/internal/state/token"
	"tend/test/require"
)

var must = require.NoError

// fixture is a keeper without a clock: a real fleet on a real disk.
type fixture struct {
	t     testing.TB
	dir   string
	names []string
	fleet *fleet.Fleet
	state fsys.FS
	site  *Site
	clock atomic.Int64
	srv   *httptest.Server
	mu    sync.Mutex
	notes map[string][]findinglog.Notice
}

// say sets the findings of an agent.
func (h *fixture) say(agent string, list ...findinglog.Notice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notes[agent] = list
}

// now returns the simulated time, which pass advances.
func (h *fixture) now() time.Time       { return time.Unix(0, h.clock.Load()).UTC() }
func (h *fixture) pass(d time.Duration) { h.clock.Add(int64(d)) }

func (h *fixture) Use() (*fleet.Fleet, func()) { return h.fleet, func() {} }
func (h *fixture) Findings(agents []string) (out []findinglog.Notice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, list := range h.notes {
		if len(agents) == 0 || agents[0] == name {
			out = append(out, list...)
		}
	}
	return out
}

func (h *fixture) Acknowledge(agent string, ids []string, ack findinglog.Ack) ([]findinglog.Notice, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := slices.Clone(h.notes[agent])
	for i := range list {
		if list[i].ID == ids[0] {
			list[i].Ack = &ack
		}
	}
	h.notes[agent] = list
	return list, nil
}

func (h *fixture) Perform(ctx context.Context, agent, name string, o runner.Options) runner.Result {
	o.ByHand = true
	return runner.Do(ctx, h.fleet, agent, name, o)
}

func (h *fixture) Timetable(agent string) []schedule.Entry {
	cfg, err := h.fleet.Config.Agent(agent)
	must(h.t, err)
	var ps schedule.Parser
	list, err := ps.Entries(agent, table.Scheduled(cfg.Policy, len(cfg.Baselines) > 0), cfg.Policy, cfg.Location)
	must(h.t, err)
	return list
}

func (h *fixture) FilesChanged(agent string) { h.site.Changed(agent) }

// newFixture creates a fleet of agents with these MEMORY.md files.
func newFixture(t testing.TB, memories map[string]string) *fixture {
	t.Helper()
	h := &fixture{t: t, dir: t.TempDir(), notes: map[string][]findinglog.Notice{}}
	h.clock.Store(time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC).UnixNano())
	for name, text := range memories {
		h.write("ws/"+name+"/MEMORY.md", text)
		h.names = append(h.names, name)
	}
	h.configure("")
	var err error
	if h.state, err = fsys.Dir(filepath.Join(h.dir, "state")); err != nil {
		t.Fatal(err)
	}
	h.start()
	t.Cleanup(func() {
		h.stop()
		h.state.Close()
		h.fleet.Close()
	})
	return h
}

func (h *fixture) start() {
	h.site = New(h, Options{State: h.state, Tokens: token.NewChecker(h.state, h.now), Clock: h.now, Log: slog.New(slog.DiscardHandler),
		Version: "test"})
	h.srv = httptest.NewServer(h.site)
}

func (h *fixture) stop() {
	h.site.Close()
	h.srv.Close()
}

func (h *fixture) restart() {
	h.stop()
	h.start()
}

// configure opens the fleet; more is added to every agent's configuration.
func (h *fixture) configure(more string) {
	h.t.Helper()
	var yaml strings.Builder
	yaml.WriteString("version: 1\nstate_dir: ./state\ndefaults:\n  layout: openclaw\n  timezone: UTC\nagents:\n")
	for _, name := range h.names {
		yaml.WriteString("  " + name + ":\n    workspace: ./ws/" + name + "\n" + more)
	}
	h.write("tend.yaml", yaml.String())
	cfg, err := config.Load(filepath.Join(h.dir, "tend.yaml"), config.Env{Get: func(string) string { return "" }, Dir: h.dir})
	must(h.t, err)
	if h.fleet != nil {
		h.fleet.Close()
	}
	if h.fleet, err = fleet.Open(cfg, fleet.Options{Clock: h.now, Write: true}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *fixture) write(name, text string) {
	h.t.Helper()
	name = filepath.Join(h.dir, filepath.FromSlash(name))
	must(h.t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(h.t, os.WriteFile(name, []byte(text), 0o644))
}

func (h *fixture) read(name string) string {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.dir, filepath.FromSlash(name)))
	must(h.t, err)
	return string(data)
}

// browser is a client with one cookie.
type browser struct {
	h      *fixture
	cookie *http.Cookie
	csrf   string
}

type page struct {
	status int
	text   string
	header http.Header
}

func (b *browser) do(method, path string, form url.Values, header map[string]string) page {
	b.h.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequest(method, b.h.srv.URL+path, body)
	if err != nil {
		b.h.t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	if b.cookie != nil {
		req.AddCookie(b.cookie)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		b.h.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.h.t.Fatal(err)
	}
	for _, c := range res.Cookies() {
		if c.Name == cookieName {
			b.cookie = c
		}
	}
	return page{res.StatusCode, string(text), res.Header}
}

func (b *browser) get(path string) page { b.h.t.Helper(); return b.do("GET", path, nil, nil) }

// post sends a form with the session's CSRF token.
func (b *browser) post(path string, fields ...string) page {
	b.h.t.Helper()
	form := url.Values{"csrf": {b.csrf}}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return b.do("POST", path, form, nil)
}

// login logs in with a link.
func (h *fixture) login(readOnly bool) *browser {
	h.t.Helper()
	secret, err := token.CreateLogin(h.state, token.Login{Name: "sam", ReadOnly: readOnly, Expires: h.now().Add(token.LoginValid)})
	must(h.t, err)
	b := &browser{h: h}
	if p := b.get("/login?once=" + secret); p.status != http.StatusSeeOther {
		h.t.Fatalf("login: %d %s", p.status, p.text)
	}
	p := b.get("/")
	if m := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(p.text); m != nil {
		b.csrf = m[1]
	} else {
		h.t.Fatalf("no CSRF token on the fleet page: %s", p.text)
	}
	return b
}

func TestLogin(t *testing.T) {
	h := newFixture(t, map[string]string{"a": "# Memory\n"})
	_, agents, err := token.Create(h.state, token.Token{Agent: "a", Made: h.now()})
	must(t, err)
	made, operator, err := token.Create(h.state, token.Token{Made: h.now(), Name: "desk"})
	must(t, err)
	b := &browser{h: h}
	if p := b.get("/"); p.status != 303 || p.header.Get("Location") != "/login" {
		t.Errorf("/ without a session: %d %s", p.status, p.header.Get("Location"))
	}
	for name, form := range map[string]url.Values{"none": {}, "an agent's": {"token": {agents}}, "made up": {"token": {"tend_made_up"}}} {
		if p := b.do("POST", "/login", form, nil); p.status != 403 || b.cookie != nil {
			t.Errorf("%s token: %d, cookie %v", name, p.status, b.cookie)
		}
	}
	// A token in a header opens the API, not the pages.
	if p := b.do("GET", "/", nil, map[string]string{"Authorization": "Bearer " + operator}); p.status != 303 {
		t.Errorf("bearer: %d", p.status)
	}
	if p := b.do("POST", "/login", url.Values{"token": {operator}}, nil); p.status != 303 || b.cookie == nil {
		t.Fatalf("operator token: %d %s", p.status, p.text)
	}
	if c := b.cookie; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" {
		t.Errorf("cookie: %+v", c)
	}
	if p := b.get("/"); p.status != 200 || !strings.Contains(p.text, "desk") {
		t.Errorf("logged in: %d %s", p.status, p.text)
	}
	if _, err := token.Revoke(h.state, made.ID); err != nil {
		t.Fatal(err)
	}
	if p := b.get("/"); p.status != 303 {
		t.Errorf("after the token was revoked: %d", p.status)
	}
	x := h.login(false)
	h.pass(idleFor + time.Minute)
	if p := x.get("/"); p.status != 303 {
		t.Errorf("after %s without use: %d", idleFor, p.status)
	}
	y := h.login(false)
	if p := y.post("/logout"); p.status != 303 {
		t.Errorf("log out: %d", p.status)
	}
	if p := y.get("/"); p.status != 303 {
		t.Errorf("after logging out: %d", p.status)
	}
}

// TestSessionsSurviveARestart: people stay logged in when the keeper restarts, their forms still work, and ended sessions
// stay ended. The file contains no cookie.
func TestSessionsSurviveARestart(t *testing.T) {
	h := newFixture(t, map[string]string{"a": "# Memory\n"})
	made, operator, err := token.Create(h.state, token.Token{Made: h.now(), Name: "desk"})
	must(t, err)
	person, viewer, gone, byToken := h.login(false), h.login(true), h.login(false), &browser{h: h}
	if p := byToken.do("POST", "/login", url.Values{"token": {operator}}, nil); p.status != 303 {
		t.Fatalf("operator token: %d", p.status)
	}
	gone.post("/logout")
	file := h.read("state/sessions.json")
	for _, secret := range []string{person.cookie.Value, viewer.cookie.Value, operator, person.csrf} {
		if strings.Contains(file, secret) {
			t.Errorf("a secret is in the file:\n%s", file)
		}
	}
	h.restart()
	if p := person.get("/"); p.status != 200 || !strings.Contains(p.text, person.csrf) {
		t.Errorf("after a restart: %d", p.status)
	}
	if p := person.post("/do/ack", "agent", "a", "id", "x"); p.status == 401 || p.status == 403 {
		t.Errorf("a form from before the restart: %d %s", p.status, p.text)
	}
	if p := viewer.post("/do/ack", "agent", "a", "id", "x"); p.status != 403 {
		t.Errorf("read only after a restart: %d", p.status)
	}
	if p := gone.get("/"); p.status != 303 {
		t.Errorf("logged out before the restart: %d", p.status)
	}
	if p := byToken.get("/"); p.status != 200 {
		t.Errorf("logged in by token before the restart: %d", p.status)
	}
	if _, err := token.Revoke(h.state, made.ID); err != nil {
		t.Fatal(err)
	}
	if p := byToken.get("/"); p.status != 303 {
		t.Errorf("the token was revoked: %d", p.status)
	}
	h.pass(idleFor + time.Minute)
	h.restart()
	if p := person.get("/"); p.status != 303 {
		t.Errorf("after %s without use: %d", idleFor, p.status)
	}
	h.write("state/sessions.json", "not JSON")
	h.restart()
	if p := h.login(false).get("/"); p.status != 200 {
		t.Errorf("logged in after the file was damaged: %d", p.status)
	}
}

func TestForgedForms(t *testing.T) {
	h := newFixture(t, map[string]string{"a": "# Memory\n"})
	b := h.login(false)
	for _, r := range Routes() {
		if r.Method != "POST" || r.Access == Anyone {
			continue
		}
		path := strings.NewReplacer("{agent}", "a").Replace(r.Path)
		if p := b.do("POST", path, url.Values{}, nil); p.status != 403 {
			t.Errorf("%s without a CSRF token: %d", path, p.status)
		}
		if p := b.do("POST", path, url.Values{"csrf": {h.login(false).csrf}}, nil); p.status != 403 {
			t.Errorf("%s with another session's CSRF token: %d", path, p.status)
		}
		if p := b.do("POST", path, url.Values{"csrf": {b.csrf}},
			map[string]string{"Origin": "http://elsewhere.example", "Sec-Fetch-Site": "cross-site"}); p.status != 403 {
			t.Errorf("%s from another origin: %d", path, p.status)
		}
	}
}

func TestHeaders(t *testing.T) {
	h := newFixture(t, map[string]string{"a": "# Memory\n"})
	b := h.login(false)
	for _, path := range []string{"/", "/a/a", "/a/nobody", "/login", "/static/app.js"} {
		p := b.get(path)
		csp := p.header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if p.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: may be sniffed", path)
		}
		for _, bad := range []string{"<script>", "<style", " style=", " onclick=", "<base", "http://", "https://"} {
			if path != "/static/app.js" && strings.Contains(p.text, bad) {
				t.Errorf("%s contains %q", path, bad)
			}
		}
	}
}
