package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tend/internal/finding"
	"tend/internal/job"
	"tend/internal/plan"
	"tend/internal/policy"
)

// Nightly audits, curates and prunes, in this order, each only if what it depends on has
// succeeded: an agent whose files could not be read is not curated, and what was not
// curated is not pruned. Where a job has nothing to do the files are not read again.
// It may be run twice, and run again after it was cut off: each part is an action of
// its own that knows what was done.
func (a *Agent) Nightly(ctx context.Context, o JobOptions) (Result, error) {
	began := time.Now()
	in, known, err := a.input(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("audit: %w", err)
	}
	if err := a.Gather(&in); err != nil {
		return Result{}, fmt.Errorf("audit: %w", err)
	}
	report, err := a.audit(in, !o.DryRun)
	if err != nil {
		return Result{}, fmt.Errorf("audit: %w", err)
	}
	all := Result{Agent: a.Name, Outcome: job.Unchanged, Findings: report.Findings()}
	said := []string{"audit: " + strings.TrimSuffix(report.Words(), ".")}
	if o.DryRun {
		return a.rehearse(ctx, in, all, said, o.RunOptions)
	}
	quiet, rules := true, policy.Curator.Of(a.Policy) == policy.CuratorRules
	for _, stage := range []struct {
		name string
		do   job.Job
	}{{"curate", job.Curate}, {"prune", job.Prune}} {
		var r Result
		pl := stage.do(in)
		if idle(pl) && rules {
			r = Result{Outcome: job.Unchanged, Summary: pl.Summary, Findings: pl.Findings}
			if stage.name == "prune" {
				if err := a.look(in); err != nil {
					return all, err
				}
			}
		} else {
			quiet = false
			if rules {
				r, err = a.runOn(ctx, in, known, stage.name, planned(pl, stage.do), o.RunOptions)
			} else {
				r, err = a.Do(ctx, stage.name, o)
			}
			if err != nil {
				all.Summary = strings.Join(said, "; ")
				return all, fmt.Errorf("%s: %w", stage.name, err)
			}
			if stage.name == "curate" {
				if in, known, err = a.input(ctx); err != nil {
					return all, err
				}
			}
		}
		if r.Summary == "" {
			r.Summary = "nothing to do"
		}
		said = append(said, stage.name+": "+r.Summary)
		all.Outcome = weightier(all.Outcome, r.Outcome)
		all.Findings = append(all.Findings, r.Findings...)
		all.Proposals = append(all.Proposals, r.Proposals...)
		all.Archives = append(all.Archives, r.Archives...)
		if r.Action != "" {
			all.Action = r.Action
		}
	}
	all.Summary = strings.Join(said, "; ")
	names := []string{"audit", "nightly"}
	if quiet {
		names = append(names, "curate", "prune")
	}
	return all, errors.Join(a.ranAll(names, all.Outcome, time.Since(began)), a.seal(in), a.keepHome(in))
}

// audit looks at an input that was read already. With keep it remembers what it found
// clean.
func (a *Agent) audit(in job.Input, keep bool) (job.Report, error) {
	before := len(in.Facts.Audit.Clean)
	report := job.Audit(in)
	if !keep {
		return report, nil
	}
	return report, a.keepClean(in, before)
}

// planned is a job that was planned already: that plan is good for the first try.
func planned(pl plan.Plan, do job.Job) job.Job {
	tried := false
	return func(in job.Input) plan.Plan {
		if tried {
			return do(in)
		}
		tried = true
		return pl
	}
}

// idle reports whether a plan leaves nothing behind.
func idle(pl plan.Plan) bool {
	return pl.Empty() && len(pl.Receipts) == 0 && len(pl.Archives) == 0 && len(pl.Proposals) == 0
}

// rehearse shows what a night would do, one job building on the other.
func (a *Agent) rehearse(ctx context.Context, in job.Input, all Result, said []string, o RunOptions) (Result, error) {
	in = consented(in, o)
	var picks []finding.Finding
	if !a.held("curate", o) {
		in.Picks, picks = a.ask(ctx, in)
	}
	pl := job.Night(in)
	all.Summary = strings.Join(append(said, pl.Summary), "; ")
	all.Diff, all.Proposals = pl.Diff(), pl.Proposals
	all.Findings = append(append(all.Findings, picks...), pl.Findings...)
	if !pl.Empty() || len(pl.Proposals) > 0 {
		all.Outcome = job.Changed
	}
	if a.held("curate", o) {
		all = a.hold("curate", all)
	}
	return all, nil
}

// weightier is the outcome that says more.
func weightier(a, b job.Outcome) job.Outcome {
	rank := map[job.Outcome]int{job.Unchanged: 0, Held: 1, job.Changed: 2}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
