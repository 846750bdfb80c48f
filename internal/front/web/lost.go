package web

import (
	"context"
	"slices"

	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/runner"
)

// mostLost is how many rewrites that lost text an agent's page shows, the newest first.
const mostLost = 3

// lostList is what the template of lost text needs.
type lostList struct {
	formFields
	ReadOnly bool
	List     []fleet.Loss
}

// lostText lists the recent rewrites that lost a page of text, the newest first.
func lostText(a *fleet.Agent, in job.Input) ([]fleet.Loss, error) {
	list, err := a.Rewrites(in)
	var out []fleet.Loss
	for _, r := range slices.Backward(list) {
		if r.Verdict.Burst && r.Recorded() && len(out) < mostLost {
			out = append(out, r.Loss())
		}
	}
	return out, err
}

// restoreLost puts back what a rewrite lost, all of it or what one section lost.
func restoreLost(ctx context.Context, v *visit, a *fleet.Agent, o runner.Options) (string, error) {
	choice := runner.Choice{Section: v.r.PostFormValue("section")}
	return said(runner.RestoreLost(ctx, a, v.r.PostFormValue("change"), choice, o))
}

// undoRewrite restores a file to what it was before a rewrite.
func undoRewrite(ctx context.Context, v *visit, a *fleet.Agent, o runner.Options) (string, error) {
	return said(runner.TakeBack(ctx, a, v.r.PostFormValue("change"), o))
}
