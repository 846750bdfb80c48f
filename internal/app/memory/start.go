package memory

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/session"
	"tend/internal/text/session/seen"
)

// Start renders the context for a session that a harness reports to its hook, and records which lines of memory the
// session's first request has. It gives what the harness does not load itself.
func (s *Session) Start(ctx context.Context, h session.Hook, e session.Event, o session.Options) (session.Context, error) {
	in, err := s.sessionInput(ctx)
	if err != nil {
		return session.Context{}, s.fail("context", "gather the context", "", err)
	}
	o.Harness = h
	var start seen.Start
	var shown loadview.Result
	if h.Runs(in.Layout) {
		if start, err = s.loaded(ctx, e); err == nil {
			shown = markLoaded(in.Files, start)
			err = s.withhold(in.Files)
		}
		if err != nil {
			return session.Context{}, s.fail("context", "gather the context", "", err)
		}
	}
	var c session.Context
	most, unit := hookRoom(h, shown, start.Options, in.Layout.Show.Least)
	if !private(in.Layout, e) && most > 0 {
		if c = session.Render(in, o); session.CounterFor(unit)(c.Text) > most {
			o.Budget, o.Unit, o.Count = most, unit, nil
			c = session.Render(in, o)
		}
	}
	start.Given = given(c, in.Files)
	s.record(h, e, start)
	return c, nil
}

// loaded reads what the harness reads at a session's start.
func (s *Session) loaded(ctx context.Context, e session.Event) (seen.Start, error) {
	l := s.agent.Layout
	files, _, err := s.agent.Files.Shown(ctx, l)
	start := seen.Start{Layout: l, Files: files, Options: loadview.Options{
		Root: s.agent.Workspace.Path, FileLimit: e.Limit, TotalLimit: e.Total, Session: e.Kind(),
	}}
	if e.Files != nil {
		start.Loaded = map[string]vault.Version{}
		for _, f := range e.Files {
			start.Loaded[f.Path] = f.Version
		}
	}
	return start, err
}

// markLoaded marks what the harness shows by itself, as its own rules and limits say.
func markLoaded(files []session.File, start seen.Start) loadview.Result {
	shown := loadview.Inject(start.Layout, start.Files, start.Options)
	for i, f := range files {
		if x, ok := shown.File(f.Path); ok && x.Shown && x.Reason != loadview.NotThere && x.Reason != loadview.Unreadable {
			files[i].Loaded, files[i].Cut = true, x.Lines
		}
	}
	return shown
}

// withhold leaves out files that the harness recorded as untrusted, unless the operator decided otherwise: what the harness
// keeps from the model must not reach it through Tend.
func (s *Session) withhold(files []session.File) error {
	if policy.ContextUntrusted.Of(s.agent.Policy) == policy.UntrustedGive {
		return nil
	}
	records, err := s.agent.Files.Recorded()
	for i, f := range files {
		if r, ok := records[vault.Path(f.Path)]; ok && r.Excluded {
			files[i].Withheld = "OpenClaw recorded it as untrusted. `tend check` shows the way out; context.untrusted: give in " +
				"the policy gives it all the same"
		}
	}
	return err
}

// private reports whether the harness keeps the agent's memory out of this kind of session, such as a group chat.
func private(l layout.Layout, e session.Event) bool {
	allowed, limited := l.Show.Sessions[e.Kind()]
	return limited && !slices.Contains(allowed, l.Path(layout.Hot, ""))
}

// hookRoom is how much the harness takes from its hook. OpenClaw treats it as one more file: its limit and what the other
// files left of the total apply.
func hookRoom(h session.Hook, shown loadview.Result, o loadview.Options, least int) (most int, unit policy.ContextCount) {
	most, unit = h.Cap()
	if most == 0 {
		return math.MaxInt, unit
	}
	if o.FileLimit > 0 && shown.Total > 0 {
		most = o.FileLimit
	}
	if left := shown.Total - shown.Used; shown.Total > 0 && left < most {
		most = left
	}
	if most < least {
		return 0, unit
	}
	return most, unit
}

// given lists the lines of files that a context has.
func given(c session.Context, files []session.File) (out []seen.Given) {
	for _, p := range c.Parts {
		i := slices.IndexFunc(files, func(f session.File) bool { return f.Path == p.Path })
		if i >= 0 && len(p.Lines) > 0 && !strings.HasSuffix(p.Path, ".json") {
			out = append(out, seen.Given{Path: p.Path, Text: files[i].Text, Lines: p.Lines})
		}
	}
	return out
}

// checking begins the session ids of `tend doctor`, which are none.
const checking = "tend-doctor"

// record saves what the session's first request has. It is a hint: a session must not fail because it could not be saved.
func (s *Session) record(h session.Hook, e session.Event, start seen.Start) {
	if e.Session == "" || strings.HasPrefix(e.Session, checking) {
		return
	}
	one := seen.Session{ID: e.Session, At: s.agent.Now(), Harness: string(h), Layout: s.agent.Layout.Ref(),
		Source: seen.Hook, Files: seen.Look(start)}
	err := s.agent.Cache.AddSession(one)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a reader does not create the state folder
		s.log.Warn("the session was not recorded", "session", e.Session, "error", err)
	}
}
