package fleet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"tend/internal/finding"
	"tend/internal/job"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// JobOptions say how one of the jobs of day and night is run.
type JobOptions struct {
	RunOptions
	// BeyondCaps lets pruning pass its loss caps, once.
	BeyondCaps bool
}

// Jobs are the names Do knows.
func Jobs() []string {
	return []string{"archive", "compare", "curate", "nightly", "prune", "replay", "review", "rotate"}
}

// Do runs a job by its name for one agent. The result always says what happened.
func (f *Fleet) Do(ctx context.Context, agent, name string, o JobOptions) Result {
	a, err := f.Agent(ctx, agent)
	if err != nil {
		return failed(agent, err)
	}
	defer a.Close()
	r, err := a.Do(ctx, name, o)
	if err != nil {
		r = failed(agent, err)
		if !o.DryRun {
			a.ranBadly(name, r)
		}
		return r
	}
	r.Agent = agent
	for i := range r.Findings {
		r.Findings[i].Agent = agent
	}
	return r
}

// Do runs a job by its name.
func (a *Agent) Do(ctx context.Context, name string, o JobOptions) (Result, error) {
	switch name {
	case "archive":
		return a.Run(ctx, name, job.Archive, o.RunOptions)
	case "compare":
		return a.Run(ctx, name, job.Compare, o.RunOptions)
	case "curate":
		return a.curate(ctx, name, job.Curate, o.RunOptions)
	case "nightly":
		return a.Nightly(ctx, o)
	case "prune":
		if o.BeyondCaps {
			return a.Run(ctx, name, job.PruneBeyondCaps, o.RunOptions)
		}
		return a.Run(ctx, name, job.Prune, o.RunOptions)
	case "replay":
		return a.curate(ctx, name, job.Replay, o.RunOptions)
	case "review":
		return a.review(ctx, o.RunOptions)
	case "rotate":
		return a.Run(ctx, name, job.Rotate, o.RunOptions)
	}
	return Result{}, fmt.Errorf("there is no job %q: %w", name, vault.ErrRefused)
}

// curate runs a job that promotes, after asking the curator if there is one.
func (a *Agent) curate(ctx context.Context, name string, do job.Job, o RunOptions) (Result, error) {
	if policy.Curator.Of(a.Policy) == policy.CuratorRules || a.held("curate", o) {
		return a.Run(ctx, name, do, o)
	}
	in, err := a.Input(ctx)
	if err != nil {
		return Result{}, err
	}
	picks, found := a.ask(ctx, in)
	return a.Run(ctx, name, func(in job.Input) plan.Plan {
		in.Picks = picks
		pl := do(in)
		pl.Findings = append(found, pl.Findings...)
		return pl
	}, o)
}

// review runs the weekly review, checks what it left, and brings the git history up to
// date if one is kept.
func (a *Agent) review(ctx context.Context, o RunOptions) (Result, error) {
	r, err := a.Run(ctx, "review", job.Review, o)
	if err != nil {
		return r, err
	}
	in, err := a.Input(ctx)
	if err != nil {
		return r, err
	}
	if err := a.Gather(&in); err != nil {
		return r, err
	}
	r.Findings = append(r.Findings, job.Check(in).Findings()...)
	if _, err := os.Stat(filepath.Join(a.History().Dir, "HEAD")); err != nil || o.DryRun || r.Outcome != job.Changed {
		return r, nil
	}
	_, found, err := a.SyncHistory(ctx)
	if err != nil { // it is derived, and no job fails for it
		found = append(found, finding.HistoryBehind.In("", "%v", err))
	}
	r.Findings = append(r.Findings, found...)
	return r, nil
}
