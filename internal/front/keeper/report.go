package keeper

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/remote"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/model/finding"
	"tend/internal/state/findinglog"
	"tend/internal/state/identity"
	"tend/internal/text/scan"
)

// reporter reports what the keeper found: it records findings in the books, alerts people to new ones, and logs and counts
// errors.
type reporter struct {
	log     *slog.Logger
	gen     *generations
	books   *books
	alerts  *alerter
	hosts   *hosts
	metrics *metrics
	changed func(agent string) // called when an agent's page is out of date
}

// report records what a source found and alerts people to new findings.
func (r *reporter) report(agent, source string, found []finding.Finding, event bool) {
	if event && len(found) == 0 {
		return
	}
	changed := false
	tell, err := r.books.changeBook(agent, r.gen.config().Alerts, event, func(b *findinglog.Book, now time.Time) bool {
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
	r.logError(agent, "save findings", err)
	r.alerts.send(tell)
}

// announcer records what is about to be done, so that it is reported even if the keeper is killed meanwhile.
type announcer struct {
	to            *reporter
	agent, source string
	synced        bool // an announcement waits for the disk; the ledger syncs the state folder itself before a file changes
	said          []findinglog.Notice
	any           bool // something was announced
}

func (r *reporter) announcer(agent, source string, synced bool) *announcer {
	return &announcer{to: r, agent: agent, source: source, synced: synced}
}

func (f *announcer) announce(found []finding.Finding) {
	f.any = true
	said, err := f.to.books.changeBook(f.agent, f.to.gen.config().Alerts, f.synced, func(b *findinglog.Book, now time.Time) bool {
		b.Announce(f.source, found, now)
		return true
	})
	f.to.logError(f.agent, "save findings", err)
	f.said = append(f.said, said...)
}

// reportDone reports what was done.
func (f *announcer) reportDone(came []finding.Finding) {
	if !f.any {
		return
	}
	tell, err := f.to.books.changeBook(f.agent, f.to.gen.config().Alerts, len(came) > 0, func(b *findinglog.Book, now time.Time) bool {
		changed := b.Happened(f.source, came, now)
		return b.Withdraw(f.source) || changed
	})
	f.to.logError(f.agent, "save findings", err)
	for i, n := range f.said {
		for _, x := range came {
			if x.Code == n.Code && x.File == n.File {
				f.said[i].Finding = x // log what was done, not what was announced
			}
		}
	}
	f.to.alerts.send(append(f.said, tell...))
}

// reportAll reports what a source finds now for each agent, and clears its older findings of the others.
func (r *reporter) reportAll(source string, found map[string][]finding.Finding) {
	for agent, list := range found {
		r.report(agent, source, list, false)
	}
	for _, agent := range r.books.agentsWithFindings() {
		if found[agent] == nil {
			r.report(agent, source, nil, false)
		}
	}
}

// remindOfOpen alerts people again to open findings, and drops those that are over.
func (r *reporter) remindOfOpen() {
	al := r.gen.config().Alerts
	for _, agent := range r.books.agentsWithFindings() {
		tell, err := r.books.changeBook(agent, al, false, func(b *findinglog.Book, now time.Time) bool { return b.Tidy(now) })
		r.logError(agent, "save findings", err)
		r.alerts.send(tell)
	}
}

// logError logs and counts an error that does not stop the keeper.
func (r *reporter) logError(agent, what string, err error) {
	if err != nil {
		r.metrics.errors.Inc()
		r.log.Error(what, "agent", agent, "error", err.Error())
	}
}

// reportPanic reports a panic in work for one agent.
func (r *reporter) reportPanic(agent, what string, value any) {
	r.log.Error("panic", "agent", agent, "doing", what, "value", fmt.Sprint(value), "stack", string(debug.Stack()))
	r.reportFailure(agent, what, fmt.Errorf("unexpected: %v", value))
}

// reportFailure reports an error of a job or check, or that it works again. A host that cannot be reached or refuses the login,
// or another folder at the workspace's path, is one finding, whatever job found it.
func (r *reporter) reportFailure(agent, name string, err error) {
	var away, changed, failed []finding.Finding
	switch kind, isHost := hostKind(err); {
	case isHost:
		away = append(away, r.hostFinding(agent, kind.In("", "%v", err)))
	case errors.As(err, new(*identity.ChangedError)):
		changed = append(changed, finding.WorkspaceChanged.In("", "%v", err))
	case err != nil:
		failed = append(failed, finding.JobFailed.In("", "%s: %v", name, err))
	}
	if away == nil {
		r.hosts.recovered(agent)
	}
	r.report(agent, findinglog.Host, away, false)
	r.report(agent, "workspace", changed, false)
	r.report(agent, "run:"+name, failed, false)
}

// hostKind reports whether an error is the host's, not that of the files on it.
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

// modelMistake reports whether only the model needs to see a refusal.
func modelMistake(c toolerr.Code) bool {
	return slices.Contains([]toolerr.Code{
		toolerr.NotFound, toolerr.Exists, toolerr.Changed, toolerr.NoMatch, toolerr.Ambiguous, toolerr.BadRange, toolerr.BadInput,
	}, c)
}

// reportRefusal records that an agent's call was refused.
func (r *reporter) reportRefusal(agent, call string, e *toolerr.Error) {
	why, _, _ := strings.Cut(e.Text, "\n")
	why = string(scan.Mask([]byte(why))) // it may quote the agent
	r.metrics.refused.With(string(e.Code)).Inc()
	r.log.Warn("refused", "agent", agent, "call", call, "code", string(e.Code), "why", why)
	if modelMistake(e.Code) {
		return
	}
	r.report(agent, "calls", []finding.Finding{finding.CallRefused.In("", "%s: %s: %s", e.Code, call, why)}, true)
}

// hostFinding marks a finding about a host with the agent that alerts for it.
func (r *reporter) hostFinding(agent string, f finding.Finding) finding.Finding {
	a, err := r.gen.config().Agent(agent)
	if err != nil || a.Workspace.Kind == config.Local {
		return f
	}
	if by := r.hosts.alertingAgent(hostFailure{hostOf(a.Workspace), f.Code}, agent); by != agent {
		f.With = by
	}
	return f
}

// restoreHosts reads from the books which agent alerted for each host before a restart.
func (r *reporter) restoreHosts(cfg *config.Config) {
	for _, a := range cfg.Agents {
		if a.Workspace.Kind == config.Local {
			continue
		}
		for _, n := range r.books.list(a.Name) {
			if n.Source == findinglog.Host && n.With == "" && n.Over == nil {
				r.hosts.alertingAgent(hostFailure{hostOf(a.Workspace), n.Code}, a.Name)
			}
		}
	}
}
