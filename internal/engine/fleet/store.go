package fleet

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/transfer"
	"tend/internal/model/finding"
	"tend/internal/state/findinglog"
	"tend/internal/state/guard"
	"tend/internal/sync/journal"
	"tend/internal/sync/workcopy"
	"tend/internal/text/layout"
)

// logRoles are the roles of files that keep both sides of a conflict, since they record
// what happened.
var logRoles = []layout.Role{layout.Daily, layout.Buffer, layout.Observations, layout.Learnings, layout.History}

// WorkingCopy describes where the agent's files are on this machine, for syncing them with a store.
func (a *Agent) WorkingCopy(who string) (workcopy.Paths, error) {
	host, _ := os.Hostname()
	p := workcopy.Paths{
		Agent: a.Name, Vault: a.Vault, Tree: a.ws, Ledger: a.Ledger, State: a.fleet.state, Durable: a.fleet.durability(),
		Clock: a.Now, Who: who + "@" + host, Operator: map[vault.Path]workcopy.Source{},
	}
	p.HistoryLock = historyLock(a.Name)
	p.Archives, p.Archive = a.fleet.archiveTree(a.Agent)
	p.Memory = func(ctx context.Context) (map[vault.Path]vault.Doc, map[vault.Path]string, error) {
		s, err := a.Files.readWorktree(ctx)
		return s.Files, s.Unread, err
	}
	p.Log = func(f vault.Path) bool {
		role, _ := a.Layout.RoleOf(string(f))
		return slices.Contains(logRoles, role)
	}
	own := config.Store{Local: a.Local()}
	p.Local = func(f vault.Path) bool { return own.Stays(string(f)) }
	p.HasLocal = len(own.Local) > 0
	p.Accepts, p.Sound = a.acceptsFile, whyUnsound
	p.Sections = func(f vault.Path) []string { return own.StayingSections(string(f)) }
	baselines, err := a.Baselines.List()
	if err != nil {
		return p, err
	}
	for _, b := range baselines {
		p.Operator[b.File] = workcopy.Source{Tree: b.Tree, Name: b.Name}
	}
	p.Config = func() ([]byte, error) { return json.Marshal(transfer.Describe(a.fleet.Config, a.Agent)) }
	return p, nil
}

// acceptsFile reports files that another machine may write here: markdown outside the folders of programs, as this machine
// sends them, and the files that the operator has named as baselines.
func (a *Agent) acceptsFile(f vault.Path) bool {
	named := func(b config.Baseline) bool { return b.File == string(f) }
	return (f.Markdown() && !f.Hidden()) || slices.ContainsFunc(a.Agent.Baselines, named)
}

// Writes reports whether what an earlier version said may be put back into a file: not into the settings, hooks and
// repositories of other programs.
func (a *Agent) Writes(f vault.Path) bool {
	if !f.Hidden() || a.acceptsFile(f) {
		return true
	}
	_, known := a.Layout.RoleOf(string(f))
	return (known || a.Layout.IsSkill(string(f))) && !f.In(".git")
}

// whyUnsound checks files of Tend that other machines send: one that nobody can read would stop the agent here.
func whyUnsound(name string, text []byte) error {
	switch name {
	case journal.Records + "/proposals.json":
		return json.Unmarshal(text, new([]Proposal))
	case journal.Records + "/acks.json":
		return json.Unmarshal(text, new(map[string]findinglog.Ack))
	case journal.Records + "/" + journal.SlotsFile:
		return json.Unmarshal(text, new(map[string]time.Time))
	case journal.Records + "/approved.json":
		return json.Unmarshal(text, new(guard.Counts))
	case journal.Approved + "/approvals.json":
		return json.Unmarshal(text, new([]guard.Approval))
	}
	return nil
}

// Local returns the patterns of files and sections that stay on this machine: those of the
// configuration and of the layout.
func (a *Agent) Local() []string { return slices.Concat(a.fleet.Config.Store.Local, a.Layout.Local) }

// storeFindings returns the findings of the last sync; nil for an agent that is in no store.
func (a *Agent) storeFindings() []finding.Finding {
	if a.fleet.Config.Store.URL == "" {
		return nil
	}
	s, ok, err := a.Saved()
	if err != nil || !ok {
		return nil
	}
	return append([]finding.Finding{}, s.Findings(a.Name)...)
}

// Saved returns what this machine knows of the agent's journal in a store. ok is false for an
// agent that is in none.
func (a *Agent) Saved() (s workcopy.Saved, ok bool, err error) {
	return workcopy.Paths{Agent: a.Name, State: a.fleet.state}.Load()
}
