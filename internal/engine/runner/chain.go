package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/job/table"
	"tend/internal/state/plan"
)

// runChain runs jobs one after the other, each only if the one before succeeded: an agent whose files could not be read
// is not curated, and without curation nothing is pruned. It is safe to run twice, or again after an interruption:
// each part is a separate action. ran lists the jobs that were run.
func runChain(ctx context.Context, a *fleet.Agent, row table.Row, o Options) (all Result, ran []string, err error) {
	snap, err := a.Snapshot(ctx)
	if err != nil {
		return all, nil, fmt.Errorf("%s: %w", row.Chain[0], err)
	}
	all = Result{Agent: a.Name, Outcome: plan.Unchanged}
	var said []string
	var joined plan.Plan
	o.memo = new(fleet.Memo)
	for _, name := range row.Chain {
		part, ok := table.Named(name)
		if !ok {
			return all, ran, fmt.Errorf("%s: no job %q", row.Name, name)
		}
		if o.Scheduled && Held(a, name, o) {
			continue
		}
		r, err := runLink(ctx, a, part, o, &snap, &joined)
		if err != nil {
			all.Summary = strings.Join(said, "; ")
			return all, ran, fmt.Errorf("%s: %w", name, err)
		}
		r.Summary = cmp.Or(r.Summary, "nothing to do")
		said = append(said, name+": "+strings.TrimSuffix(r.Summary, "."))
		all = merge(all, r)
		if r.Outcome != plan.Held {
			ran = append(ran, name)
		}
	}
	all.Summary = strings.Join(said, "; ")
	o.memo.Found(snap, all.Findings)
	if !o.DryRun {
		err = a.Note(o.memo, snap, true) // also where nothing may be promoted yet: what is deleted meanwhile stays deleted
		return all, append(ran, row.Name), errors.Join(err, a.Save(o.memo), closeWritten(ctx, a, snap.Input, o))
	}
	if all.Outcome != plan.Held {
		all.Diff = joined.DiffIn(o.diffFolder(a.Name))
	}
	return all, ran, nil
}

// runLink runs one job of a chain. Files are read again only after they were changed. In a dry run the next job sees
// the files as this one would have left them.
func runLink(ctx context.Context, a *fleet.Agent, part table.Row, o Options, snap *fleet.Snapshot, joined *plan.Plan) (Result, error) {
	if part.Plan != nil && o.DryRun {
		part.Plan = planOnly(a, part, o, snap, joined)
	}
	before := *snap // pretend changes the chain's
	r, err := runJob(ctx, a, part, o, &before)
	if err != nil {
		return r, err
	}
	switch r.reread {
	case everything:
		*snap, err = a.Snapshot(ctx)
	case changedFiles:
		*snap, err = a.After(ctx, *snap, r.Did)
	}
	return r, err
}

// planOnly wraps the planner of a job in a dry run: it adds the plan to the chain's joined plan, and changes the snapshot as the
// plan would change the files.
func planOnly(a *fleet.Agent, part table.Row, o Options, snap *fleet.Snapshot, joined *plan.Plan) job.Planner {
	return func(in job.Input) (plan.Plan, error) {
		pl, err := part.Plan(in)
		if err == nil {
			pl.Job = part.Name
			err = leaveToAgent(a, in, &pl, o, true)
		}
		if err == nil && !Held(a, part.Name, o) {
			joined.Changes = plan.Join(joined.Changes, pl.Changes)
			snap.Input = job.After(in, pl)
		}
		return pl, err
	}
}

// merge adds the result of one job to that of its chain.
func merge(all, r Result) Result {
	rank := map[plan.Outcome]int{plan.Unchanged: 0, plan.Held: 1, plan.Changed: 2}
	if rank[r.Outcome] > rank[all.Outcome] {
		all.Outcome = r.Outcome
	}
	all.Findings = append(all.Findings, r.Findings...)
	all.Proposals = append(all.Proposals, r.Proposals...)
	all.Archives = append(all.Archives, r.Archives...)
	if r.Action != "" {
		all.Action, all.Did = r.Action, r.Did
	}
	return all
}
