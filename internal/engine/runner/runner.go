// Package runner is the only way to change an agent's files. Every request, from the command line, a tool call,
// the keeper or a timer, takes the same path: read, plan, guard, lock, plan again if anything changed meanwhile, apply, and
// clean up once the lock is released.
package runner

import (
	"context"
	"errors"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/remote"
	"tend/internal/disk/vault"
	"tend/internal/engine/curator"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// Options say who asks, why, and how.
type Options struct {
	Who    string
	Reason string
	DryRun bool
	// Force runs a job that the automation level does not allow: a person has agreed to it.
	Force bool
	// ByHand: a person named this agent, rather than all agents or a schedule.
	ByHand bool
	// Scheduled: the run is one of a schedule, or is to behave like one. An agent that is working is left alone, and a
	// chain runs only the jobs that the automation level allows.
	Scheduled bool
	// Many: the request goes to several agents, so diffs name the agent.
	Many bool
	// memo is set in a chain, which saves it at its end.
	memo *fleet.Memo
	// AcceptUnload changes a file even if the harness will then stop loading it: a person has agreed to that.
	AcceptUnload bool
	// BeyondCaps lets pruning exceed its loss caps, once.
	BeyondCaps bool
	// Judge answers in the place of the configured curator: an answer that came by another way.
	Judge func(context.Context, job.Input) ([]job.Judged, error)
	// AskCurator: a comparison asks the curator, too.
	AskCurator bool
	// Decided is called with what was decided about the answer that Judge gave.
	Decided func([]curator.Decision)
}

func (o Options) diffFolder(agent string) string {
	if o.Many {
		return agent
	}
	return ""
}

// Result is the outcome of a request for one agent.
type Result struct {
	Agent    string            `json:"agent"`
	Outcome  plan.Outcome      `json:"outcome"`
	Summary  string            `json:"summary,omitempty"`
	Action   string            `json:"action,omitempty"`
	Archives []string          `json:"archives,omitempty"`
	Findings []finding.Finding `json:"findings,omitempty"`
	// Proposals are what the job left for the operator to decide.
	Proposals []plan.Proposal `json:"proposals,omitempty"`
	Diff      string          `json:"diff,omitempty"`
	Error     string          `json:"error,omitempty"`

	Err error `json:"-"`
	// Did is the action as recorded in the ledger.
	Did ledger.Action `json:"-"`

	reread reread
}

// reread is what the next job of a chain must read again.
type reread int

const (
	nothing      reread = iota
	changedFiles        // those of the action
	everything          // the files changed meanwhile, or an interrupted action was recovered first
)

// Failed returns the result of a failed request.
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

// Reader takes the snapshot for planning. It is called again if the files change meanwhile.
type Reader func(context.Context) (fleet.Snapshot, error)

// Guard is a rule of the caller for plans. It may reject a plan, and changes nothing.
type Guard func(context.Context, job.Input, plan.Plan) error

// Request is a requested change.
type Request struct {
	Options
	// Job is the name under which the action is recorded.
	Job  string
	Read Reader
	Plan job.Planner
	// Guards are the caller's: an agent's writes must respect its reach, the operator's zone, sizes and the scan; the
	// operator's writes need not.
	Guards []Guard
	// Yields: a file that the harness would stop loading is left alone and reported, rather than the request refused.
	Yields bool
	// Remembers: the run records which entries memory has.
	Remembers bool
	// Before is called with a plan that is about to be applied, again for each new plan.
	Before func(plan.Plan)
	// Commit replaces applying the plan, under the agent's lock, for requests that change more than files.
	Commit func(context.Context, *ledger.Session, plan.Plan) (ledger.Action, error)
	// Quiet is how long the agent's files must have been unchanged before it may be disturbed; 0 to ignore that.
	Quiet time.Duration
}

// Whole reads the whole workspace and its recorded past.
func Whole(a *fleet.Agent) Reader { return a.Snapshot }

// Some reads only a few files, for requests that must be quick in any workspace.
func Some(a *fleet.Agent, paths ...vault.Path) Reader {
	return func(ctx context.Context) (fleet.Snapshot, error) { return a.Files.Glance(ctx, paths) }
}

// Guarded reads the files with approved baselines. unfit returns the finding about them that forbids the request, if
// there is one.
func Guarded(a *fleet.Agent, unfit func(found []finding.Finding, approved int) *finding.Finding) Reader {
	return func(ctx context.Context) (fleet.Snapshot, error) { return a.Files.Guarded(ctx, unfit) }
}
