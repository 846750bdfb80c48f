package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/model/usererr"
	"tend/internal/state/ledger"
)

// visit is one request with its session.
type visit struct {
	*Site
	w       http.ResponseWriter
	r       *http.Request
	session *session // nil where no login is needed
}

// failure is an error with the status of its page.
type failure struct {
	status int
	text   string
	hint   string
}

func (f *failure) Error() string { return f.text }

func notFound(format string, args ...any) error {
	return &failure{status: http.StatusNotFound, text: fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) error {
	return &failure{status: http.StatusBadRequest, text: fmt.Sprintf(format, args...)}
}

// longest is how long a page may take to be built.
const longest = 30 * time.Second

// loginKey is the key of a function in a request's context.
type loginKey struct{}

// WithLogin has a function called with the name of the person whose browser makes a request, if that has logged in.
func WithLogin(ctx context.Context, login func(who string)) context.Context {
	return context.WithValue(ctx, loginKey{}, login)
}

// guarded checks access before a route is served.
func (s *Site) guarded(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &visit{Site: s, w: w, r: r, session: s.session(r)}
		if v.session != nil {
			if login, ok := r.Context().Value(loginKey{}).(func(string)); ok {
				login(v.session.who)
			}
		}
		if route.Access == Anyone { // a name and a token
			r.Body = http.MaxBytesReader(w, r.Body, 8<<10)
		}
		if route.Access != Anyone && v.session == nil {
			if r.Method != http.MethodPost && r.URL.Path != "/events" {
				http.Redirect(w, r, "/login", http.StatusSeeOther)
				return
			}
			v.fail(&failure{status: http.StatusUnauthorized, text: "You are not logged in.", hint: "The session may have ended. Log in again."})
			return
		}
		if r.Method == http.MethodPost && route.Access != Anyone && !v.session.owns(r.PostFormValue("csrf")) {
			v.fail(&failure{status: http.StatusForbidden, text: "This form is from another session.",
				hint: "Go back, reload the page and try again."})
			return
		}
		if route.Access == Person && v.session.readOnly {
			v.fail(&failure{status: http.StatusForbidden, text: "You may not change anything.",
				hint: "Log in with a link or token that is not read-only."})
			return
		}
		if err := route.serve(v); err != nil {
			v.fail(err)
		}
	})
}

// fail shows an error as a page.
func (v *visit) fail(err error) {
	f := &failure{status: http.StatusInternalServerError, text: err.Error()}
	var own *failure
	var reported *usererr.Error
	var moved *ledger.MovedOnError
	switch {
	case errors.As(err, &own):
		f = own
	case errors.As(err, &reported):
		f.status, f.hint = http.StatusConflict, reported.Hint
	case errors.As(err, &moved):
		f.status, f.hint = http.StatusConflict, "The file has changed since. Restore single lines on its history page, or undo with merge."
	case errors.Is(err, vault.ErrChanged):
		f.status, f.hint = http.StatusConflict, "The file changed while this was running. Reload the page and try again."
	case errors.Is(err, vault.ErrAbsent), errors.Is(err, ledger.ErrNoAction), errors.Is(err, runner.ErrNoProposal),
		errors.Is(err, fs.ErrNotExist):
		f.status = http.StatusNotFound
	}
	v.w.WriteHeader(f.status)
	_ = v.render("error", "Not possible", errorPage{Status: f.status, Text: f.text, Hint: f.hint})
}

type errorPage struct {
	Status     int
	Text, Hint string
}

// agent opens the agent in the path.
func (v *visit) agent(ctx context.Context, do func(*fleet.Fleet, *fleet.Agent) error) error {
	return v.open(ctx, v.r.PathValue("agent"), do)
}

// open opens an agent while do runs.
func (v *visit) open(ctx context.Context, name string, do func(*fleet.Fleet, *fleet.Agent) error) error {
	if err := v.known(name); err != nil {
		return err
	}
	f, done := v.backend.Use()
	defer done()
	a, err := f.Agent(ctx, name)
	if err != nil {
		return err
	}
	return errors.Join(do(f, a), a.Close())
}

// named returns the agent in the path, if it exists.
func (v *visit) named() (string, error) {
	name := v.r.PathValue("agent")
	return name, v.known(name)
}

// file returns the file in the path.
func (v *visit) file() (vault.Path, error) {
	path, err := vault.ParsePath(v.r.PathValue("path"))
	if err != nil {
		return "", badRequest("Not a file name: %v", err)
	}
	return path, nil
}

func (v *visit) known(name string) error {
	if _, err := v.config().Agent(name); err != nil {
		return notFound("No agent %q.", name)
	}
	return nil
}

func (v *visit) config() *config.Config {
	f, done := v.backend.Use()
	defer done()
	return f.Config
}

// page serves a page and records a visit. Its context does not end with the request: an abandoned look would continue
// in the background, and it would be unknown when the fleet may be closed.
func (s *Site) page(serve func(context.Context, *visit) error) func(*visit) error {
	return func(v *visit) error {
		s.followConfig()
		s.board.visit()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(v.r.Context()), longest)
		defer cancel()
		return serve(ctx, v)
	}
}

// update reports whether an open page refreshes itself. The message about what was just done is kept for the next page
// that is opened.
func (v *visit) update() bool { return v.r.Header.Get("X-Tend-Update") != "" }
