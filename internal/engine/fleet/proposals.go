package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
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
	// Elsewhere: another machine or a package says so. Nobody here checked its sources, and its decision is not this
	// machine's.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// Digest identifies everything that a proposal says, as it is read back from the disk.
func (p Proposal) Digest() vault.Version {
	p.Elsewhere = false
	text, err := json.Marshal(p)
	if err != nil {
		return ""
	}
	// The two ways in which JSON writes what was not UTF-8 are one.
	return vault.VersionOf(bytes.ReplaceAll(text, []byte(`\ufffd`), []byte("\ufffd")))
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
	made  string // the digests of those that this machine made or decided; it stays on this machine
	vault *vault.Vault
}

// List returns all proposals, oldest first.
func (p *Proposals) List() (list []Proposal, err error) {
	var made []vault.Version
	err = errors.Join(vault.ReadJSON(p.state, p.file, &list), vault.ReadJSON(p.state, p.made, &made))
	for i := range list { // whatever a list from elsewhere says
		list[i].Agent = path.Base(path.Dir(p.file))
		list[i].Elsewhere = !slices.Contains(made, list[i].Digest())
	}
	listed := map[string]bool{} // an id stands for one proposal, this machine's if there is one
	for _, x := range list {
		if !x.Elsewhere {
			listed[x.ID] = true
		}
	}
	return slices.DeleteFunc(list, func(x Proposal) bool {
		double := x.Elsewhere && listed[x.ID]
		listed[x.ID] = true
		return double
	}), err
}

// Change rewrites the list durably: receipts mark entries that are in it as done. The caller holds the agent's lock. If
// change returns nil, the list stays as it is.
func (p *Proposals) Change(ctx context.Context, change func([]Proposal) ([]Proposal, error)) error {
	list, err := p.List()
	if err != nil {
		return err
	}
	elsewhere := map[vault.Version]bool{}
	for _, x := range list {
		elsewhere[x.Digest()] = x.Elsewhere
	}
	if list, err = change(list); err != nil || list == nil {
		return err
	}
	var made []vault.Version
	for i := range list {
		list[i].Elsewhere = false
		if d := list[i].Digest(); !elsewhere[d] {
			made = append(made, d)
		}
	}
	if err := vault.WriteJSON(p.state, p.dur, p.made, made); err != nil {
		return err
	}
	if err := vault.WriteJSON(p.state, p.dur, p.file, list); err != nil {
		return err
	}
	return p.vault.Sync(ctx)
}

// waitingProposals counts the pending proposals, and reports those that somebody waits for: the agent's own, held rewrites,
// and what the scan flagged. What a night merely offers is no finding.
func waitingProposals(list []Proposal) (waiting int, found []finding.Finding) {
	urgent := 0
	var oldest time.Time
	for _, p := range list {
		if p.State != Waiting {
			continue
		}
		waiting++
		if p.Job != job.ByAgent && p.Job != job.ByGuard && !p.Flagged() {
			continue
		}
		urgent++
		if urgent == 1 || p.At.Before(oldest) {
			oldest = p.At
		}
	}
	if urgent == 0 {
		return waiting, nil
	}
	return waiting, []finding.Finding{finding.ProposalsWaiting.In("", "%s need a decision, the oldest since %s",
		textfmt.Count(urgent, "proposal"), oldest.Format(time.DateOnly))}
}
