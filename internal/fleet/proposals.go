package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"tend/internal/finding"
	"tend/internal/job"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// ErrNoProposal: no proposal with this id waits.
var ErrNoProposal = errors.New("no such proposal waits")

// Proposal is one that was made, with what became of it. Proposals are kept in the state,
// which the agent cannot reach: no tool of its approves one.
type Proposal struct {
	plan.Proposal
	Agent   string     `json:"agent"`
	At      time.Time  `json:"at"`
	State   string     `json:"state"` // waiting, approved or rejected
	Decided *time.Time `json:"decided,omitempty"`
	By      string     `json:"by,omitempty"`
	Reason  string     `json:"reason,omitempty"`
	Action  string     `json:"action,omitempty"` // the one that wrote it
}

// The states of a proposal.
const (
	Waiting  = "waiting"
	Approved = "approved"
	Rejected = "rejected"
)

func (a *Agent) proposalsFile() string { return path.Join("agents", a.Name, "proposals.json") }

// Proposals lists all that were made, oldest first.
func (a *Agent) Proposals() ([]Proposal, error) {
	data, err := vault.ReadFile(a.fleet.state, a.proposalsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Proposal
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("read %s: %w", a.proposalsFile(), err)
	}
	return list, nil
}

// changeProposals rewrites the list while the agent's lock is held, durably: receipts
// tell that what is in it needs not be looked at again.
func (a *Agent) changeProposals(ctx context.Context, change func([]Proposal) ([]Proposal, error)) error {
	s, err := a.begin(ctx, "proposals", policy.LockWait.Of(a.Policy).Std())
	if err != nil {
		return err
	}
	defer s.Close()
	if len(s.Recovered) > 0 {
		return &vault.PathError{Op: "proposals", Err: vault.ErrChanged}
	}
	list, err := a.Proposals()
	if err != nil {
		return err
	}
	if list, err = change(list); err != nil || list == nil {
		return err
	}
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	if err := vault.WriteOver(a.fleet.state, a.fleet.dur, a.proposalsFile(), append(data, '\n'), 0o600); err != nil {
		return err
	}
	return a.Vault.Sync(ctx)
}

// propose keeps proposals that are new.
func (a *Agent) propose(ctx context.Context, news []plan.Proposal) error {
	if len(news) == 0 {
		return nil
	}
	return a.changeProposals(ctx, func(list []Proposal) ([]Proposal, error) {
		for _, p := range news {
			if !slices.ContainsFunc(list, func(o Proposal) bool { return o.ID == p.ID }) {
				list = append(list, Proposal{Proposal: p, Agent: a.Name, At: a.Now(), State: Waiting})
			}
		}
		return list, nil
	})
}

// Propose keeps what an agent asks for, unless so many of its proposals wait already: then
// the answer has no id. What was proposed before comes back with what became of it.
func (a *Agent) Propose(ctx context.Context, p plan.Proposal, most int) (Proposal, error) {
	var kept Proposal
	err := a.changeProposals(ctx, func(list []Proposal) ([]Proposal, error) {
		waiting := 0
		for _, o := range list {
			if o.ID == p.ID {
				kept = o
				return nil, nil
			}
			if o.Job == p.Job && o.State == Waiting {
				waiting++
			}
		}
		if waiting >= most {
			return nil, nil
		}
		kept = Proposal{Proposal: p, Agent: a.Name, At: a.Now(), State: Waiting}
		return append(list, kept), nil
	})
	return kept, err
}

// waiting finds a proposal by its id.
func (a *Agent) waiting(id string) (Proposal, error) {
	list, err := a.Proposals()
	if err != nil {
		return Proposal{}, err
	}
	for _, p := range list {
		if p.ID == id && p.State == Waiting {
			return p, nil
		}
	}
	return Proposal{}, fmt.Errorf("%s of %s: %w", id, a.Name, ErrNoProposal)
}

// Approve writes what was proposed, as an action of the person who approved it.
func (a *Agent) Approve(ctx context.Context, id string, o RunOptions) (Result, error) {
	p, err := a.waiting(id)
	if err != nil {
		return Result{}, err
	}
	r, err := a.Run(ctx, "approve", func(in job.Input) plan.Plan { return job.Approve(in, p.Proposal) }, o)
	if err != nil || o.DryRun || finding.Worst(r.Findings) == finding.Error {
		return r, err
	}
	return r, a.decide(ctx, id, Approved, r.Action, o)
}

// Reject ends a proposal; the same entry is not proposed again.
func (a *Agent) Reject(ctx context.Context, id string, o RunOptions) (Result, error) {
	p, err := a.waiting(id)
	if err != nil {
		return Result{}, err
	}
	r := Result{Agent: a.Name, Outcome: job.Changed, Summary: fmt.Sprintf("%s rejected: %s", id, p.Text)}
	if o.DryRun {
		return r, nil
	}
	return r, a.decide(ctx, id, Rejected, "", o)
}

func (a *Agent) decide(ctx context.Context, id, state, action string, o RunOptions) error {
	return a.changeProposals(ctx, func(list []Proposal) ([]Proposal, error) {
		for i := range list {
			if list[i].ID == id {
				now := a.Now()
				list[i].State, list[i].Decided, list[i].By, list[i].Reason, list[i].Action = state, &now, o.Who, o.Reason, action
			}
		}
		return list, nil
	})
}

// digest says what waits for a person, and since when.
func digest(list []Proposal, now time.Time) (int, []finding.Finding) {
	n := 0
	var oldest time.Time
	for _, p := range list {
		if p.State != Waiting {
			continue
		}
		if n++; n == 1 || p.At.Before(oldest) {
			oldest = p.At
		}
	}
	if n == 0 {
		return 0, nil
	}
	what := "proposals wait"
	if n == 1 {
		what = "proposal waits"
	}
	age := now.Sub(oldest).Round(time.Hour)
	return n, []finding.Finding{finding.ProposalsWaiting.In("", "%d %s for a person, the oldest since %s (%d h)", n, what, oldest.Format("2006-01-02"), int(age.Hours()))}
}
