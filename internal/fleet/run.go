package fleet

import (
	"context"
	"errors"
	"time"

	"tend/internal/job"
	"tend/internal/ledger"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// RunOptions say how a job is run.
type RunOptions struct {
	Who    string
	Reason string
	DryRun bool
	// Force is a person's consent to a job that the automation level does not allow.
	Force bool
	// ByHand tells that a person named this very agent: neither all of them nor a schedule.
	ByHand bool
}

// Run plans a job for an agent and applies the plan.
func (f *Fleet) Run(ctx context.Context, agent, name string, do job.Job, o RunOptions) Result {
	a, err := f.Agent(ctx, agent)
	if err != nil {
		return failed(agent, err)
	}
	defer a.Close()
	r, err := a.Run(ctx, name, do, o)
	if err != nil {
		r = failed(agent, err)
		if !o.DryRun {
			a.ranBadly(name, r)
		}
		return r
	}
	for i := range r.Findings {
		r.Findings[i].Agent = agent
	}
	return r
}

// Run plans and applies a job. If the agent writes to a file in the meantime
// the job is planned anew on what is there then.
func (a *Agent) Run(ctx context.Context, name string, do job.Job, o RunOptions) (Result, error) {
	in, known, err := a.input(ctx)
	if err != nil {
		return Result{}, err
	}
	return a.runOn(ctx, in, known, name, do, o)
}

// runOn runs a job on what was just read.
func (a *Agent) runOn(ctx context.Context, in job.Input, known *past, name string, do job.Job, o RunOptions) (Result, error) {
	for try := 0; ; try++ {
		r, err := a.runOnce(ctx, in, known, name, do, o)
		if !errors.Is(err, vault.ErrChanged) || try == 4 {
			return r, err
		}
		if in, known, err = a.input(ctx); err != nil {
			return r, err
		}
	}
}

func (a *Agent) runOnce(ctx context.Context, in job.Input, known *past, name string, do job.Job, o RunOptions) (Result, error) {
	began := time.Now()
	in = consented(in, o)
	pl := do(in)
	pl.Job = name
	if o.Reason != "" {
		pl.Reason = o.Reason
	}
	r := Result{Agent: a.Name, Outcome: job.Unchanged, Summary: pl.Summary, Findings: pl.Findings, Proposals: pl.Proposals}
	if held := a.held(name, o); held || o.DryRun {
		if !pl.Empty() || len(pl.Proposals) > 0 {
			r.Outcome = job.Changed
		}
		r.Diff = pl.Diff()
		if held {
			r = a.hold(name, r)
		}
		return r, nil
	}
	// Kept before the plan is applied: its receipts say that they have been made.
	if err := a.propose(ctx, pl.Proposals); err != nil {
		return r, err
	}
	if !pl.Empty() || len(pl.Receipts) > 0 || len(pl.Archives) > 0 {
		if err := a.applied(ctx, &r, pl, o.Who); err != nil {
			return r, err
		}
	}
	if err := a.remember(in, known); err != nil {
		return r, err
	}
	if name == "prune" {
		if err := a.look(in); err != nil {
			return r, err
		}
	}
	return r, errors.Join(a.Ran(name, r.Outcome, time.Since(began)), a.seal(in), a.keepHome(in))
}

// fresh looks whether files are still what a plan has seen. Whoever had to wait for
// the lock often finds that they are not, and should not begin an action, on the
// record, only to take it back.
func (a *Agent) fresh(ctx context.Context, pl plan.Plan) error {
	for _, c := range pl.Changes {
		doc, err := a.Vault.Read(ctx, c.Path)
		if err != nil && !errors.Is(err, vault.ErrAbsent) {
			return err
		}
		if doc.Version != c.Before && !c.Force {
			return &vault.PathError{Op: pl.Job, Path: c.Path, Err: vault.ErrChanged}
		}
	}
	return nil
}

func (a *Agent) applied(ctx context.Context, r *Result, pl plan.Plan, who string) error {
	s, err := a.begin(ctx, who, policy.LockWait.Of(a.Policy).Std())
	if err != nil {
		return err
	}
	defer s.Close()
	if len(s.Recovered) > 0 {
		// The plan was made before the recovery changed the files: let it be made anew.
		return &vault.PathError{Op: pl.Job, Err: vault.ErrChanged}
	}
	if err := a.fresh(ctx, pl); err != nil {
		return err
	}
	return a.applyIn(ctx, s, r, pl)
}

// applyIn carries out a plan in a session.
func (a *Agent) applyIn(ctx context.Context, s *ledger.Session, r *Result, pl plan.Plan) error {
	act, err := s.Apply(ctx, pl)
	if err != nil {
		return err
	}
	if err := a.tidy(ctx, s); err != nil {
		return err
	}
	if !pl.Empty() {
		r.Outcome = job.Changed
	}
	r.Action, r.Archives = act.ID, act.Archives
	r.Findings = append(r.Findings, s.Recovered...)
	return nil
}
