package fleet

import (
	"context"
	"path"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/state/plan"
)

// Proposal is a proposal with its decision. Proposals are kept in the state, which the
// agent cannot reach: none of its tools can approve one.
type Proposal struct {
	plan.Proposal
	Agent   string     `json:"agent"`
	At      time.Time  `json:"at"`
	State   string     `json:"state"` // waiting, approved or rejected
	Decided *time.Time `json:"decided,omitempty"`
	By      string     `json:"by,omitempty"`
	Reason  string     `json:"reason,omitempty"`
	Action  string     `json:"action,omitempty"` // the action that wrote it
}

// The states of a proposal.
const (
	Waiting  = "waiting"
	Approved = "approved"
	Rejected = "rejected"
)

// Proposals are those of one agent.
type Proposals struct {
	state fsys.FS
	dur   vault.Durability
	file  string // in the state
	vault *vault.Vault
}

// List returns all proposals, oldest first.
func (p *Proposals) List() (list []Proposal, err error) {
	err = vault.ReadJSON(p.state, p.file, &list)
	for i := range list { // whatever a list from elsewhere says
		list[i].Agent = path.Base(path.Dir(p.file))
	}
	return list, err
}

// Change rewrites the list durably: receipts mark entries that are in it as done. The caller holds the agent's lock. If
// change returns nil, the list stays as it is.
func (p *Proposals) Change(ctx context.Context, change func([]Proposal) ([]Proposal, error)) error {
	list, err := p.List()
	if err != nil {
		return err
	}
	if list, err = change(list); err != nil || list == nil {
		return err
	}
	if err := vault.WriteJSON(p.state, p.dur, p.file, list); err != nil {
		return err
	}
	return p.vault.Sync(ctx)
}

// digest counts the pending proposals, and reports those that somebody waits for: the agent's own, held rewrites,
// and what the scan flagged. What a night merely offers is no finding.
func digest(list []Proposal) (int, []finding.Finding) {
	n, urgent := 0, 0
	var oldest time.Time
	for _, p := range list {
		if p.State != Waiting {
			continue
		}
		n++
		if p.Job != job.ByAgent && p.Job != job.ByGuard && !p.Flagged() {
			continue
		}
		if urgent++; urgent == 1 || p.At.Before(oldest) {
			oldest = p.At
		}
	}
	if urgent == 0 {
		return n, nil
	}
	return n, []finding.Finding{finding.ProposalsWaiting.In("", "%s need a decision, the oldest since %s",
		textfmt.Count(urgent, "proposal"), oldest.Format(time.DateOnly))}
}
