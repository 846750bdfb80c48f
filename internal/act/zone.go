package act

import (
	"context"

	"tend/internal/finding"
	"tend/internal/fleet"
	"tend/internal/job"
	"tend/internal/plan"
)

// RestoreZone brings the operator's text back above the line where it was changed, and leaves the notes. With restore
// false it only says what was changed. before hears what is about to be brought back; several times, if the agent
// writes meanwhile.
func RestoreZone(ctx context.Context, a *fleet.Agent, who string, restore bool, before func([]finding.Finding)) (Result, error) {
	if len(a.Agent.Baselines) == 0 {
		return Result{Agent: a.Name, Outcome: plan.Unchanged}, nil
	}
	_, found, err := a.Baselines.Check()
	if err != nil {
		return Result{}, err
	}
	for _, f := range found {
		if f.Code == finding.BaselineSignature.Code { // then the approval itself is in doubt
			return Result{Agent: a.Name, Outcome: plan.Refused, Findings: found, Summary: f.Text}, nil
		}
	}
	r := Request{
		Options: Options{Who: who, DryRun: !restore}, Read: Guarded(a), Plan: job.RestoreZone,
		Before: func(pl plan.Plan) { before(pl.Findings) },
	}
	if restore {
		return Run(ctx, a, r)
	}
	r.Plan = func(in job.Input) (plan.Plan, error) {
		pl, err := job.RestoreZone(in)
		if err != nil || pl.Empty() {
			return pl, err
		}
		reset, err := job.Reset(in) // it says what was changed, and not that it was brought back
		pl.Findings = reset.Findings
		return pl, err
	}
	res, err := Run(ctx, a, r)
	res.Diff = ""
	return res, err
}
