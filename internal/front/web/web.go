// Package web is the dashboard: pages that show a fleet, what was done to it and what needs attention, and forms that
// fix things. It decides nothing itself. Verdicts come from the check engine, the past from internal/engine/past, and every
// change goes through internal/engine/runner with the name of the person who asked.
//
// Agents' text is untrusted. It reaches a page only through html/template or the markdown renderer, which lets no
// HTML and no image through, and the content security policy allows neither inline script nor inline style.
package web

import (
	"context"
	"embed"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/engine/schedule"
	"tend/internal/state/findinglog"
	"tend/internal/state/token"
)

//go:embed static templates
var files embed.FS

// Backend is the keeper behind the dashboard.
type Backend interface {
	// Use returns the fleet as configured now, until done is called.
	Use() (f *fleet.Fleet, done func())
	// Findings lists findings, of all agents if none is named.
	Findings(agents []string) []findinglog.Notice
	Acknowledge(agent string, ids []string, ack findinglog.Ack) ([]findinglog.Notice, error)
	// Perform runs a job now, for a person.
	Perform(ctx context.Context, agent, job string, o runner.Options) runner.Result
	// Timetable returns when the jobs of an agent are due.
	Timetable(agent string) []schedule.Entry
	// FilesChanged is called when a person has changed an agent's files.
	FilesChanged(agent string)
}

// Options are what the dashboard needs besides its backend.
type Options struct {
	State   fsys.FS // where login links and sessions are
	Tokens  *token.Checker
	Clock   func() time.Time
	Log     *slog.Logger
	TLS     bool
	Version string
}

// Site serves the dashboard.
type Site struct {
	backend  Backend
	o        Options
	sessions *sessions
	board    *board
	live     *live
	pages    *pages
	mux      *http.ServeMux

	searchFor time.Duration // how long a search page continues with further agents

	mu    sync.Mutex
	known *config.Config // whose agents are on the board
}

// New returns the dashboard. Close stops it.
func New(h Backend, o Options) *Site {
	s := &Site{backend: h, o: o, sessions: newSessions(o), live: newLive(), pages: loadPages(), searchFor: searchShare}
	s.board = newBoard(s.look, s.pages.row, s.live.changed)
	s.mux = http.NewServeMux()
	for _, r := range s.routes() {
		s.mux.Handle(r.Method+" "+r.Path, s.guarded(r))
	}
	return s
}

// Close stops all background work and live connections.
func (s *Site) Close() {
	s.board.close()
	s.live.close()
}

// Changed reports that something about an agent may have changed.
func (s *Site) Changed(agent string) {
	if s == nil {
		return
	}
	if agent != findinglog.NoAgent {
		s.board.touch(agent)
	}
	s.live.changed(agent)
}

// Access says who may open a route.
type Access int

// The kinds of access.
const (
	Anyone Access = iota // anyone who can reach the address: the login page and its assets
	Viewer               // logged-in users
	Person               // logged-in users who may change things; the form must carry the session's CSRF token
)

// Route is a row of the dashboard's route table. Access is declared here and checked in one place.
type Route struct {
	Method, Path string
	Access       Access
	serve        func(*visit) error
}

// Routes lists what the dashboard serves.
func Routes() []Route { return new(Site).routes() }

func (s *Site) routes() []Route {
	return []Route{
		{"GET", "/login", Anyone, s.loginPage},
		{"POST", "/login", Anyone, s.login},
		{"GET", "/static/{name}", Anyone, s.static},
		{"POST", "/logout", Viewer, s.logout},
		{"GET", "/{$}", Viewer, s.page(s.fleetPage)},
		{"GET", "/events", Viewer, s.events},
		{"GET", "/today", Viewer, s.page(s.todayPage)},
		{"GET", "/inbox", Viewer, s.page(s.inboxPage)},
		{"GET", "/search", Viewer, s.page(s.searchPage)},
		{"GET", "/jobs", Viewer, s.page(s.jobsPage)},
		{"GET", "/help", Viewer, s.helpPage},
		{"POST", "/do/{verb}", Person, s.do},
		{"POST", "/run", Person, s.run},
		{"GET", "/a/{agent}", Viewer, s.page(s.agentPage)},
		{"GET", "/a/{agent}/file/{path...}", Viewer, s.page(s.filePage)},
		{"GET", "/a/{agent}/time/{path...}", Viewer, s.page(s.timePage)},
		{"GET", "/a/{agent}/fact", Viewer, s.page(s.factPage)},
		{"GET", "/a/{agent}/cost", Viewer, s.page(s.billPage)},
	}
}

// policyHeader lets a page load only our own script, style and data, and forbids framing.
const policyHeader = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP serves the pages.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policyHeader)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, Chromium sends forms with the origin "null"
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	http.NewCrossOriginProtection().Handler(http.HandlerFunc(s.find)).ServeHTTP(w, r)
}

// find serves a page, or says that there is none and leads back.
func (s *Site) find(w http.ResponseWriter, r *http.Request) {
	_, pattern := s.mux.Handler(r)
	if pattern != "" || r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.mux.ServeHTTP(w, r)
		return
	}
	s.guarded(Route{Access: Viewer, serve: func(*visit) error { return notFound("There is no page at this address.") }}).ServeHTTP(w, r)
}
