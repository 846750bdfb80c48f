package runner

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/job/table"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/referee"
)

// An agent that writes the same text again after it was put back is not fought: after maxGuardRestores times in guardPeriod a
// rewrite is only reported.
const (
	maxGuardRestores = 2
	guardPeriod      = 24 * time.Hour
)

// GuardRewrites undoes the newest rewrite of each memory file that lost more than guard.rewrite_share of it, as guard.rewrite
// says. Both texts are recorded before: only rewrites that the history has are looked at.
func GuardRewrites(ctx context.Context, a *fleet.Agent, who string) (Result, error) {
	mode := policy.GuardRewrite.Of(a.Policy)
	if mode == policy.GuardReport || !table.Allows(a.Policy, job.ByGuard) {
		return Result{Agent: a.Name, Outcome: plan.Unchanged}, nil
	}
	return Run(ctx, a, Request{
		Options: Options{Who: who}, Job: job.ByGuard, Read: Whole(a), Yields: true,
		Plan: func(in job.Input) (plan.Plan, error) {
			list, err := a.NewRewrites(in)
			if err != nil {
				return plan.Plan{}, err
			}
			g := rewriteGuard{Input: in, mode: mode, pl: plan.Plan{Job: job.ByGuard}}
			if g.decided, err = a.Proposals.List(); err != nil {
				return plan.Plan{}, err
			}
			if g.acted, err = a.CountChanges(job.ByGuard, in.Now.Add(-guardPeriod)); err != nil {
				return plan.Plan{}, err
			}
			return g.plan(list), nil
		},
	})
}

// rewriteGuard plans what to do about rewrites. It reads nothing.
type rewriteGuard struct {
	job.Input
	mode    policy.GuardMode
	decided []fleet.Proposal
	acted   map[vault.Path]int // how often the guard put text back lately
	pl      plan.Plan
}

func (g *rewriteGuard) plan(list []fleet.Rewrite) plan.Plan {
	newest := map[vault.Path]fleet.Rewrite{}
	for _, r := range list {
		newest[r.File] = r
	}
	for _, r := range list {
		switch {
		case newest[r.File].Ref != r.Ref, !g.lostEnough(r):
		case g.acted[r.File] >= maxGuardRestores:
			g.pl.Findings = append(g.pl.Findings, finding.RewriteRepeated.In(string(r.File),
				"it was put back %d times within a day and rewritten again; this time it stays", g.acted[r.File]))
		case !g.isApproved(r):
			g.undo(r)
		}
	}
	return g.pl
}

// lostEnough reports whether a rewrite lost so much that the guard acts, and the file still is as the rewrite left it.
func (g *rewriteGuard) lostEnough(r fleet.Rewrite) bool {
	if !r.Recorded() || !r.Verdict.Burst || r.Verdict.HomelessShare() < policy.GuardRewriteShare.Of(g.Policy) {
		return false
	}
	return bytes.Equal(g.File(r.File).Data, r.After)
}

// isApproved reports whether somebody approved a rewrite on this machine.
func (g *rewriteGuard) isApproved(r fleet.Rewrite) bool {
	id := rewriteID(r)
	return slices.ContainsFunc(g.decided, func(p fleet.Proposal) bool { return p.ID == id && p.State == fleet.Approved && !p.Elsewhere })
}

// undo puts the old text back and proposes the new one, or puts the lost lines into the new text.
func (g *rewriteGuard) undo(r fleet.Rewrite) {
	doc := g.File(r.File)
	text, did := r.Before, "held"
	if g.mode == policy.GuardRestore {
		text, did = referee.PutBack(r.Before, doc.Data, r.Verdict.Parts()), "lost lines restored after"
	} else {
		g.pl.Proposals = append(g.pl.Proposals, plan.Proposal{
			ID: rewriteID(r), Job: job.ByGuard, Target: r.File, Rewrite: r.Ref, Text: describeRewrite(r),
			Why: fmt.Sprintf("%s; `tend show %s` lists it", r.Verdict, r.Ref),
		})
	}
	g.pl.Changes = append(g.pl.Changes, plan.Change{
		Path: doc.Path, Op: plan.Write, Before: doc.Version, Old: doc.Data, New: text, Why: "guard.rewrite is " + string(g.mode),
	})
	g.pl.Summary = fmt.Sprintf("%s: %s a rewrite, %s", r.File, did, r.Verdict)
	g.pl.Findings = append(g.pl.Findings, finding.RewriteHeld.In(string(r.File), "%s %s: %s", did, describeRewrite(r), r.Verdict))
}

func describeRewrite(r fleet.Rewrite) string {
	by := ""
	if r.By != "" {
		by = " by " + r.By
	}
	v := r.Verdict
	return fmt.Sprintf("a rewrite%s of %d lines into %d", by, v.Before.Lines, v.After.Lines)
}

// rewriteID is the same for the same text, so that a text that was approved once is not held again.
func rewriteID(r fleet.Rewrite) string {
	return plan.ProposalID(r.File, string(vault.VersionOf(r.After)))
}

// acceptRewrite plans to write the text of a held rewrite. What was added to the file since stays.
func acceptRewrite(a *fleet.Agent, in job.Input, p plan.Proposal) (plan.Plan, error) {
	r, err := findRewrite(a, in, p.Rewrite)
	if err != nil {
		return plan.Plan{}, err
	}
	doc := in.File(r.File)
	since := referee.Verify(r.Before, doc.Data, nil, referee.Options{}).Added
	text := referee.PutBack(doc.Data, r.After, referee.Parts(since))
	return replaceText(doc, text, "%s approved: %s rewritten", p.ID, r.File), nil
}
