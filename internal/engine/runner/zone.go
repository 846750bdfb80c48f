package runner

import (
	"context"
	"errors"
	"slices"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/state/plan"
)

// RestoreZone restores the operator's text above the line where it was changed, and keeps the notes. With restore
// false it only reports the changes. before is called with what is about to be restored, several times if the agent
// writes meanwhile.
func RestoreZone(ctx context.Context, a *fleet.Agent, who string, restore bool, before func([]finding.Finding)) (Result, error) {
	if len(a.Agent.Baselines) == 0 {
		return Result{Agent: a.Name, Outcome: plan.Unchanged}, nil
	}
	r := Request{
		Options: Options{Who: who, DryRun: !restore}, Read: Guarded(a, findBadSignature), Plan: job.RestoreZone, Yields: true,
		Before: func(pl plan.Plan) { before(pl.Findings) },
	}
	if !restore {
		r.Plan = changedZone
	}
	res, err := Run(ctx, a, r)
	if !restore {
		res.Diff = ""
	}
	if unfit := (*fleet.UnfitError)(nil); errors.As(err, &unfit) {
		res, _ = refusedResult(a, err)
		return res, nil
	}
	return res, err
}

// CarryBaselines puts newly approved baselines into their files, where nothing else was changed.
func CarryBaselines(ctx context.Context, a *fleet.Agent, o Options) (Result, error) {
	return Run(ctx, a, Request{Options: o, Read: Guarded(a, findBadSignature), Plan: job.CarryBaselines})
}

// RestoreText restores the operator's text of one file, also if the text invites changes.
func RestoreText(ctx context.Context, a *fleet.Agent, file vault.Path, o Options) (Result, error) {
	return Run(ctx, a, Request{Options: o, Read: Guarded(a, findBadSignature),
		Plan: func(in job.Input) (plan.Plan, error) { return job.RestoreText(in, file) }})
}

// changedZone plans like a repair, but reports the changes instead of restoring them.
func changedZone(in job.Input) (plan.Plan, error) {
	pl, err := job.RestoreZone(in)
	if err != nil || pl.Empty() {
		return pl, err
	}
	reset, err := job.Reset(in)
	pl.Findings = reset.Findings
	return pl, err
}

// findBadSignature returns the finding that an approval's signature is invalid: then the approval itself is in doubt.
func findBadSignature(found []finding.Finding, _ int) *finding.Finding {
	if i := slices.IndexFunc(found, func(f finding.Finding) bool { return f.Code == finding.BaselineSignature.Code }); i >= 0 {
		return &found[i]
	}
	return nil
}
