package keeper

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"tend/internal/config"
	"tend/internal/finding"
	"tend/internal/identity"
	"tend/internal/memory/refusal"
	"tend/internal/notice"
	"tend/internal/remote"
	"tend/internal/scan"
	"tend/internal/vault"
)

// reporter tells people what the keeper found: it writes findings into the books of agents, alerts of what is new, logs
// and counts what failed.
type reporter struct {
	log     *slog.Logger
	gen     *generations
	books   *books
	alerts  *alerter
	hosts   *hosts
	metrics *metrics
	changed func(agent string) // hears whose page is out of date
}

// tell records what a source found, and alerts people of what is new.
func (r *reporter) tell(agent, source string, found []finding.Finding, event bool) {
	if event && len(found) == 0 {
		return
	}
	changed := false
	tell, err := r.books.change(agent, r.gen.config().Alerts, event, func(b *notice.Book, now time.Time) bool {
		if event {
			changed = b.Happened(source, found, now)
		} else {
			changed = b.Holds(source, found, now)
		}
		return changed
	})
	if changed {
		r.changed(agent)
	}
	r.failed(agent, "keep findings", err)
	r.alerts.send(tell)
}

// announcer records what is about to be done, so that a keeper that is killed in the
// middle of it has reported it.
type announcer struct {
	to            *reporter
	agent, source string
	said          []notice.Notice
	any           bool // something was announced
}

func (r *reporter) announcer(agent, source string) *announcer {
	return &announcer{to: r, agent: agent, source: source}
}

func (f *announcer) before(found []finding.Finding) {
	f.any = true
	said, err := f.to.books.change(f.agent, f.to.gen.config().Alerts, true, func(b *notice.Book, now time.Time) bool {
		b.Foresee(f.source, found, now)
		return true
	})
	f.to.failed(f.agent, "keep findings", err)
	f.said = append(f.said, said...)
}

// after reports what came of it.
func (f *announcer) after(came []finding.Finding) {
	if !f.any {
		return
	}
	tell, err := f.to.books.change(f.agent, f.to.gen.config().Alerts, len(came) > 0, func(b *notice.Book, now time.Time) bool {
		changed := b.Happened(f.source, came, now)
		return b.Withdraw(f.source) || changed
	})
	f.to.failed(f.agent, "keep findings", err)
	for i, n := range f.said {
		for _, x := range came {
			if x.Code == n.Code && x.File == n.File {
				f.said[i].Finding = x // the log says what was done, not what was meant
			}
		}
	}
	f.to.alerts.send(append(f.said, tell...))
}

// tellAll reports what a source finds now, agent by agent. What it found before of the others is over.
func (r *reporter) tellAll(source string, found map[string][]finding.Finding) {
	for agent, list := range found {
		r.tell(agent, source, list, false)
	}
	for _, agent := range r.books.names() {
		if found[agent] == nil {
			r.tell(agent, source, nil, false)
		}
	}
}

// remind tells people again of what is still open, and drops what is over.
func (r *reporter) remind() {
	al := r.gen.config().Alerts
	for _, agent := range r.books.names() {
		tell, err := r.books.change(agent, al, false, func(b *notice.Book, now time.Time) bool { return b.Tidy(now) })
		r.failed(agent, "keep findings", err)
		r.alerts.send(tell)
	}
}

// failed logs what must not stop anything.
func (r *reporter) failed(agent, what string, err error) {
	if err != nil {
		r.metrics.errors.Inc()
		r.log.Error(what, "agent", agent, "error", err.Error())
	}
}

// panicked reports work for one agent that ended in a panic. The keeper goes on with the others.
func (r *reporter) panicked(agent, what string, value any) {
	r.log.Error("panic", "agent", agent, "doing", what, "value", fmt.Sprint(value), "stack", string(debug.Stack()))
	r.failure(agent, what, fmt.Errorf("unexpected: %v", value))
}

// hostSource is where findings about an agent's host come from.
const hostSource = "host"

// failure reports why something could not be done, or that it can be again. A host that
// cannot be reached or entered, or another folder in the workspace's place, is one finding,
// whatever was to be done there.
func (r *reporter) failure(agent, name string, err error) {
	var away, changed, failed []finding.Finding
	switch kind, isHost := hostKind(err); {
	case isHost:
		away = append(away, r.hostTrouble(agent, kind.In("", "%v", err)))
	case errors.As(err, new(*identity.ChangedError)):
		changed = append(changed, finding.WorkspaceChanged.In("", "%v", err))
	case err != nil:
		failed = append(failed, finding.JobFailed.In("", "%s: %v", name, err))
	}
	if away == nil {
		r.hosts.well(agent)
	}
	r.tell(agent, hostSource, away, false)
	r.tell(agent, "workspace", changed, false)
	r.tell(agent, "run:"+name, failed, false)
}

// hostKind tells trouble with a host from that with what is on it.
func hostKind(err error) (kind finding.Kind, ok bool) {
	switch {
	case errors.Is(err, vault.ErrUnreachable):
		return finding.Unreachable, true
	case errors.Is(err, remote.ErrHostKey):
		return finding.HostKey, true
	case errors.Is(err, remote.ErrDenied):
		return finding.HostDenied, true
	}
	return kind, false
}

// aMistake reports refusals that only the model needs to see.
func aMistake(c refusal.Code) bool {
	return slices.Contains([]refusal.Code{
		refusal.NotFound, refusal.Exists, refusal.Changed, refusal.NoMatch, refusal.Ambiguous, refusal.BadRange, refusal.BadInput,
	}, c)
}

// refused takes in that a call of an agent was turned down.
func (r *reporter) refused(agent, call string, e *refusal.Error) {
	why, _, _ := strings.Cut(e.Text, "\n")
	why = string(scan.Mask([]byte(why))) // it may name what the agent named
	r.metrics.refused.With(string(e.Code)).Inc()
	r.log.Warn("refused", "agent", agent, "call", call, "code", string(e.Code), "why", why)
	if aMistake(e.Code) {
		return
	}
	r.tell(agent, "calls", []finding.Finding{finding.CallRefused.In("", "%s: %s: %s", e.Code, call, why)}, true)
}

// hostTrouble is a finding that every agent on a host has, and one of them speaks of.
func (r *reporter) hostTrouble(agent string, f finding.Finding) finding.Finding {
	a, err := r.gen.config().Agent(agent)
	if err != nil || a.Workspace.Kind == config.Local {
		return f
	}
	if by := r.hosts.speaks(trouble{hostOf(a.Workspace), f.Code}, agent); by != agent {
		f.With = by
	}
	return f
}

// recallHosts takes up from the books who spoke for which host before a restart.
func (r *reporter) recallHosts(cfg *config.Config) {
	for _, a := range cfg.Agents {
		if a.Workspace.Kind == config.Local {
			continue
		}
		for _, n := range r.books.list(a.Name) {
			if n.Source == hostSource && n.With == "" && n.Over == nil {
				r.hosts.speaks(trouble{hostOf(a.Workspace), n.Code}, a.Name)
			}
		}
	}
}
