package runner

import (
	"context"
	"errors"
	"fmt"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/model/textfmt"
	"tend/internal/state/plan"
	"tend/internal/text/layout/fit"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/note"
)

// Fit moves text that a harness would cut into files that are read on demand. open lists what moving cannot fix.
func Fit(ctx context.Context, a *fleet.Agent, limits loadview.Options, o Options) (r Result, open []fit.Problem, err error) {
	r, err = Run(ctx, a, Request{
		Options: o, Read: Some(a),
		Plan: func(job.Input) (plan.Plan, error) {
			p, pl, err := fitPlan(ctx, a, limits, o.DryRun)
			open = p.Open
			return pl, err
		},
	})
	return r, open, err
}

// fitPlan turns a proposal into a plan: new files first, then those that shrink.
func fitPlan(ctx context.Context, a *fleet.Agent, limits loadview.Options, dry bool) (fit.Proposal, plan.Plan, error) {
	pl := plan.Plan{Job: "fit", Summary: "nothing is cut"}
	files, paths, err := a.Files.Shown(ctx, a.Layout)
	if err != nil {
		return fit.Proposal{}, pl, err
	}
	pinned, err := a.Files.Pinned(ctx)
	if err != nil {
		return fit.Proposal{}, pl, err
	}
	limits.Root = a.Workspace.Path
	p := fit.Fit(a.Layout, files, fit.Options{Options: limits, Pinned: pinned, Paths: paths, Day: note.DayOf(a.Now(), a.Location).String()})
	if p.Whole() {
		return p, pl, nil
	}
	moved := textfmt.Count(p.Moves, "piece") + " moved"
	if dry {
		moved = "would move " + textfmt.Count(p.Moves, "piece")
	}
	pl.Summary = moved + " so that nothing is cut"
	if !p.Mended() {
		pl.Summary = fmt.Sprintf("%s; moving does not fix everything", moved)
	}
	for _, adds := range []bool{true, false} {
		for _, c := range p.Changes {
			if c.New != adds {
				continue
			}
			doc, err := a.Vault.Read(ctx, vault.Path(c.Path))
			if err != nil && !errors.Is(err, vault.ErrAbsent) {
				return p, pl, err
			}
			pl.Changes = append(pl.Changes,
				plan.Change{Path: vault.Path(c.Path), Op: plan.Write, Before: doc.Version, Old: doc.Data, New: c.Data, Why: c.Why})
		}
	}
	return p, pl, nil
}
