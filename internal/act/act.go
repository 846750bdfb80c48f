// Package act is the one way to change an agent's files. No matter who asks (command line, tool call, keeper, timer), a
// request takes the same path: read, plan, guard, lock, plan again if anything changed meanwhile, apply, and only
// after the lock is free clear up and remember.
package act

import (
	"context"
	"errors"
	"time"

	"tend/internal/finding"
	"tend/internal/fleet"
	"tend/internal/fsys"
	"tend/internal/job"
	"tend/internal/ledger"
	"tend/internal/plan"
	"tend/internal/remote"
	"tend/internal/vault"
)

// Options say who asks, why, and how.
type Options struct {
	Who    string
	Reason string
	DryRun bool
	// Force is a person's consent to a job that the automation level does not allow.
	Force bool
	// ByHand tells that a person named this very agent: neither all of them nor a schedule.
	ByHand bool
	// Scheduled: nobody asked just now. An agent at work is left alone, and of a chain only those jobs run that the
	// automation level allows.
	Scheduled bool
	// Many: the same is asked of several agents, so diffs name the agent.
	Many bool
	// chained: the request is part of a chain, which remembers at its end what was seen.
	chained bool
	// BeyondCaps lets pruning pass its loss caps, once.
	BeyondCaps bool
}

func (o Options) diffFolder(agent string) string {
	if o.Many {
		return agent
	}
	return ""
}

// Result is what a request came to for one agent.
type Result struct {
	Agent    string            `json:"agent"`
	Outcome  plan.Outcome      `json:"outcome"`
	Summary  string            `json:"summary,omitempty"`
	Action   string            `json:"action,omitempty"`
	Archives []string          `json:"archives,omitempty"`
	Findings []finding.Finding `json:"findings,omitempty"`
	// Proposals are what the job left for a person to decide.
	Proposals []plan.Proposal `json:"proposals,omitempty"`
	Diff      string          `json:"diff,omitempty"`
	Error     string          `json:"error,omitempty"`

	Err error `json:"-"`
	// Did is the action as the ledger has it.
	Did ledger.Action `json:"-"`

	again bool // the plan was made again: others changed the files, or what a crash left was settled first
}

// Failed is the result of what could not be done.
func Failed(agent string, err error) Result {
	r := Result{Agent: agent, Outcome: plan.Failed, Error: err.Error(), Err: err}
	switch {
	case errors.Is(err, fsys.ErrLocked):
		r.Outcome = plan.Locked
	case errors.Is(err, vault.ErrRefused), errors.Is(err, remote.ErrWeak), errors.Is(err, remote.ErrHostKey):
		r.Outcome = plan.Refused
	}
	return r
}

// Reader takes the snapshot that a request is planned on. It is called again when the files changed meanwhile.
type Reader func(context.Context) (fleet.Snapshot, error)

// Guard is a rule of the caller's that a plan must keep. It may refuse the plan, and add to its findings.
type Guard func(context.Context, job.Input, *plan.Plan) error

// Request is a change that somebody asked for.
type Request struct {
	Options
	// Job is what the action is recorded as.
	Job  string
	Read Reader
	Plan job.Planner
	// Guards are those of the caller: an agent's writes are held to its reach, the operator's zone, sizes and the scan;
	// the operator's are not.
	Guards []Guard
	// Before hears of a plan that is about to be applied; more than once if it has to be made again.
	Before func(plan.Plan)
	// Commit applies the plan where that is more than changing files, under the agent's lock.
	Commit func(context.Context, *ledger.Session, plan.Plan) (ledger.Action, error)
	// Quiet is how long the agent's files must have been still before it may be disturbed; 0 for no matter.
	Quiet time.Duration
}

// Whole reads the whole workspace, with what is remembered of the past.
func Whole(a *fleet.Agent) Reader { return a.Snapshot }

// Some reads a few files only, for what must be quick in any workspace.
func Some(a *fleet.Agent, paths ...vault.Path) Reader {
	return func(ctx context.Context) (fleet.Snapshot, error) { return a.Files.Glance(ctx, paths) }
}

// Guarded reads the files that have approved baselines. unfit names the finding about these that forbids to go on, if
// any does.
func Guarded(a *fleet.Agent, unfit func(found []finding.Finding, approved int) *finding.Finding) Reader {
	return func(ctx context.Context) (fleet.Snapshot, error) { return a.Files.Guarded(ctx, unfit) }
}
