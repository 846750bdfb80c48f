package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/usererr"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

// ErrNoProposal: there is no pending proposal with this id.
var ErrNoProposal = errors.New("no such proposal is pending")

// keepProposals adds new proposals. The caller holds the agent's lock.
func keepProposals(ctx context.Context, a *fleet.Agent, news []plan.Proposal) error {
	return a.Proposals.Change(ctx, func(list []fleet.Proposal) ([]fleet.Proposal, error) {
		for _, p := range news {
			// What another machine says was approved stops nothing here.
			list = slices.DeleteFunc(list, func(o fleet.Proposal) bool {
				return o.ID == p.ID && o.Elsewhere && (o.State == fleet.Approved || p.Rewrite != "")
			})
			if !slices.ContainsFunc(list, func(o fleet.Proposal) bool { return o.ID == p.ID }) {
				list = append(list, fleet.Proposal{Proposal: p, Agent: a.Name, At: a.Now(), State: fleet.Waiting})
			}
		}
		return list, nil
	})
}

// changeProposals rewrites the list of proposals, and none of the agent's files.
func changeProposals(ctx context.Context, a *fleet.Agent, o Options, change func([]fleet.Proposal) ([]fleet.Proposal, error)) error {
	_, err := Run(ctx, a, Request{
		Options: o, Read: Some(a),
		Plan: func(job.Input) (plan.Plan, error) { return plan.Plan{Job: "proposals"}, nil },
		Commit: func(ctx context.Context, _ *ledger.Session, _ plan.Plan) (ledger.Action, error) {
			return ledger.Action{}, a.Proposals.Change(ctx, change)
		},
	})
	return err
}

// Propose saves an agent's proposal, unless limit of its job are pending: then the result has no id. A proposal made before is
// returned with its state.
func Propose(ctx context.Context, a *fleet.Agent, p plan.Proposal, limit int) (fleet.Proposal, error) {
	var kept fleet.Proposal
	err := changeProposals(ctx, a, Options{Who: "agent:" + a.Name}, func(list []fleet.Proposal) ([]fleet.Proposal, error) {
		waiting := 0
		for _, o := range list {
			if o.ID == p.ID {
				kept = o
				return nil, nil
			}
			if o.Job == p.Job && o.State == fleet.Waiting {
				waiting++
			}
		}
		if waiting >= limit {
			return nil, nil
		}
		kept = fleet.Proposal{Proposal: p, Agent: a.Name, At: a.Now(), State: fleet.Waiting}
		return append(list, kept), nil
	})
	return kept, err
}

// closeWritten closes the proposals whose entry is in its file by now: the agent wrote it with its own tool.
func closeWritten(ctx context.Context, a *fleet.Agent, in job.Input, o Options) error {
	list, err := a.Proposals.List()
	if err != nil {
		return err
	}
	has := map[vault.Path]map[string]bool{}
	written := map[string]bool{}
	for _, p := range list {
		if p.State != fleet.Waiting {
			continue
		}
		if has[p.Target] == nil {
			has[p.Target] = map[string]bool{}
			for _, e := range in.Parse(in.File(p.Target)).Entries(0) {
				has[p.Target][e.Normal()] = true
			}
		}
		if has[p.Target][note.Normal(p.Text)] {
			written[p.ID] = true
		}
	}
	if len(written) == 0 {
		return nil
	}
	return changeProposals(ctx, a, o, func(list []fleet.Proposal) ([]fleet.Proposal, error) {
		now := a.Now()
		for i := range list {
			p := &list[i]
			if p.State == fleet.Waiting && written[p.ID] {
				p.State, p.Decided = fleet.Approved, &now
				p.By, p.Reason = "agent:"+a.Name, "the file has it"
			}
		}
		return list, nil
	})
}

// Approve writes a proposal, as an action of the person who approved it.
func Approve(ctx context.Context, a *fleet.Agent, id string, o Options) (Result, error) {
	p, err := findPending(a, id)
	if err != nil {
		return Result{}, err
	}
	r, err := Run(ctx, a, Request{
		Options: o, Job: "approve", Read: Whole(a),
		Plan: func(in job.Input) (plan.Plan, error) {
			if p.Rewrite != "" && p.Elsewhere {
				return plan.Plan{}, usererr.Refusef("`tend show "+p.Rewrite+"` has it, `tend restore` puts it back",
					"%s describes a rewrite that this machine did not hold", id)
			}
			if p.Rewrite != "" {
				return acceptRewrite(a, in, p.Proposal)
			}
			return job.Approve(in, p.Proposal), nil
		},
	})
	if err != nil || o.DryRun || finding.Worst(r.Findings) == finding.Error {
		return r, err
	}
	return r, decideProposal(ctx, a, id, fleet.Approved, r.Action, o)
}

// Reject closes a proposal; the same entry is not proposed again.
func Reject(ctx context.Context, a *fleet.Agent, id string, o Options) (Result, error) {
	p, err := findPending(a, id)
	if err != nil {
		return Result{}, err
	}
	r := Result{Agent: a.Name, Outcome: plan.Changed, Summary: fmt.Sprintf("%s rejected: %s", id, p.Text)}
	if o.DryRun {
		return r, nil
	}
	return r, decideProposal(ctx, a, id, fleet.Rejected, "", o)
}

// findPending finds an undecided proposal.
func findPending(a *fleet.Agent, id string) (fleet.Proposal, error) {
	list, err := a.Proposals.List()
	if err != nil {
		return fleet.Proposal{}, err
	}
	for _, p := range list {
		if p.ID == id && p.State == fleet.Waiting {
			return p, nil
		}
	}
	return fleet.Proposal{}, fmt.Errorf("%s of %s: %w", id, a.Name, ErrNoProposal)
}

func decideProposal(ctx context.Context, a *fleet.Agent, id, state, action string, o Options) error {
	return changeProposals(ctx, a, o, func(list []fleet.Proposal) ([]fleet.Proposal, error) {
		now := a.Now()
		for i := range list {
			p := &list[i]
			if p.ID == id {
				p.State, p.Decided = state, &now
				p.By, p.Reason, p.Action = o.Who, o.Reason, action
			}
		}
		return list, nil
	})
}
