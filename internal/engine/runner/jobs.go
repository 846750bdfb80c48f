package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/job/audit"
	"tend/internal/engine/job/table"
	"tend/internal/engine/jobruns"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// Do runs a job of the table for one agent. The result always says what happened.
func Do(ctx context.Context, f *fleet.Fleet, agent, name string, o Options) Result {
	began := time.Now()
	a, err := f.Agent(ctx, agent)
	if err != nil {
		r := Failed(agent, err)
		if bad := (*job.Refusal)(nil); errors.As(err, &bad) && bad.Usage {
			return r // the configuration is refused: its state folder may be no good one to write to
		}
		if known, err := f.Records(agent); err == nil {
			r = recordRuns(known, r, began, o, name)
		}
		return r
	}
	defer a.Close()
	r, err := Job(ctx, a, name, o)
	if err != nil {
		said := r.Summary
		r = Failed(agent, err)
		r.Summary = said
	}
	r.Agent = agent
	for i := range r.Findings {
		r.Findings[i].Agent = agent
	}
	return r
}

// Job runs a job of the table for an open agent, and records that it ran and how that ended.
func Job(ctx context.Context, a *fleet.Agent, name string, o Options) (Result, error) {
	row, ok := table.Named(name)
	if !ok {
		return Result{}, fmt.Errorf("no job %q: %w", name, vault.ErrRefused)
	}
	began := time.Now()
	defer func() {
		if p := recover(); p != nil { // the caller's to report
			recordRuns(a, Failed(a.Name, fmt.Errorf("unexpected: %v", p)), began, o, name)
			panic(p)
		}
	}()
	r, ran, err := carryOut(ctx, a, row, o)
	switch {
	case errors.Is(err, fleet.ErrServed):
		return Result{Agent: a.Name, Outcome: plan.Unchanged, Summary: err.Error()}, nil
	case errors.Is(err, fleet.ErrNoBaseline) && !o.ByHand: // a reset of all agents is for those with baselines
		return Result{Agent: a.Name, Outcome: plan.Unchanged, Summary: "no baseline, nothing to reset"}, nil
	case err != nil:
		recordRuns(a, Failed(a.Name, err), began, o, name)
		return r, err
	}
	if o.Scheduled && !o.DryRun {
		r.Findings = append(r.Findings, trackDeferral(a, name, r.Outcome)...)
	}
	if !o.DryRun && r.Outcome != plan.Deferred {
		found, err := a.TidyBeside(ctx)
		r.Findings = append(r.Findings, found...)
		if err != nil && !errors.Is(err, fsys.ErrLocked) {
			r.Findings = append(r.Findings, finding.JobFailed.In("", "cleaning up after %s: %v", name, err))
		}
	}
	return recordRuns(a, r, began, o, ran...), nil
}

// carryOut runs a job or a chain of jobs. ran lists those that ran.
func carryOut(ctx context.Context, a *fleet.Agent, row table.Row, o Options) (r Result, ran []string, err error) {
	if len(row.Chain) > 0 {
		return runChain(ctx, a, row, o)
	}
	if o.Scheduled && row.Idle != nil && isIdleAtAGlance(ctx, a, row) {
		return Result{Agent: a.Name, Outcome: plan.Unchanged, Summary: "nothing to do"}, []string{row.Name}, nil
	}
	r, err = runJob(ctx, a, row, o, nil)
	return r, []string{row.Name}, err
}

// isIdleAtAGlance reports whether a job has nothing to do, from one file. That is enough for most agents most of the time.
func isIdleAtAGlance(ctx context.Context, a *fleet.Agent, row table.Row) bool {
	files := a.Files.WithRoles(row.Glance)
	if len(files) == 0 {
		return true // opening the agent has checked the workspace
	}
	doc, err := a.Vault.Read(ctx, files[0])
	if errors.Is(err, vault.ErrAbsent) {
		return true
	}
	return err == nil && row.Idle(doc.Data, a.Location)
}

// recordRuns notes that jobs ran and how that ended. It is the only place that does. A run that was put off or was not
// allowed did not happen.
func recordRuns(a *fleet.Agent, r Result, began time.Time, o Options, names ...string) Result {
	if o.DryRun || r.Outcome == plan.Held || r.Outcome == plan.Deferred || r.Outcome == plan.Locked {
		return r
	}
	took := time.Since(began).Round(time.Millisecond).String()
	err := a.Runs.Record(names, a.Now(), jobruns.Run{Outcome: r.Outcome, Took: took, Error: r.Error, Action: r.Action})
	if err != nil {
		f := finding.JobFailed.In("", "record the run of %s: %v", strings.Join(names, ", "), err)
		f.Agent = a.Name
		r.Findings = append(r.Findings, f)
	}
	return r
}

// trackDeferral records since when a job is deferred because the agent is working, and reports it when that has lasted too
// long, under timers too. The record is a hint: if it cannot be saved, the next run starts counting again.
func trackDeferral(a *fleet.Agent, name string, out plan.Outcome) []finding.Finding {
	runs, err := a.Runs.Last()
	since := runs[name].Deferred
	if err != nil || (out != plan.Deferred && since == nil) {
		return nil
	}
	now := a.Now()
	if out != plan.Deferred {
		since = nil
	} else if since == nil {
		since = &now
	}
	_ = a.Runs.Change(name, func(r *jobruns.Run) { r.Deferred = since })
	if limit := policy.ResetMaxDefer.Of(a.Policy).Std(); since != nil && limit > 0 && now.Sub(*since) > limit {
		return []finding.Finding{finding.Overdue.In("", "%s has been deferred since %s because the agent is at work; reset.max_defer is %s",
			name, since.Format("2006-01-02 15:04"), limit)}
	}
	return nil
}

// runJob runs a single job on a given snapshot, or on the one it reads.
func runJob(ctx context.Context, a *fleet.Agent, row table.Row, o Options, snap *fleet.Snapshot) (Result, error) {
	if row.Reads() {
		return runReport(ctx, a, row, o, snap)
	}
	r := Request{Options: o, Job: row.Name, Plan: row.Plan, Read: readAfter(a, snap), Yields: true, Remembers: row.Remembers}
	switch {
	case row.Baseline:
		r.Read = Guarded(a, findNotApproved)
		if o.Scheduled && row.Waits {
			r.Quiet = policy.ResetQuiet.Of(a.Policy).Std()
		}
	case row.Asks:
		r.Plan = planWithCurator(ctx, a, row, o)
	case row.Sources:
		r.Read = withSources(a, r.Read)
		if o.AskCurator {
			r.Plan = planComparison(ctx, a, row)
		}
	case o.BeyondCaps:
		r.Plan = func(in job.Input) (plan.Plan, error) {
			in.BeyondCaps = true
			return row.Plan(in)
		}
	}
	res, err := Run(ctx, a, r)
	if refused, ok := refusedResult(a, err); ok && row.Baseline {
		return refused, nil
	}
	if then, ok := table.Named(row.Then); ok && err == nil {
		var report Result
		report, err = runReport(ctx, a, then, o, nil)
		res.Findings = append(res.Findings, report.Findings...)
	}
	return res, err
}

// findNotApproved returns the finding that forbids a reset: a baseline differs from its approved copy, or was never approved.
func findNotApproved(found []finding.Finding, approved int) *finding.Finding {
	if finding.Worst(found) < finding.Error && approved > 0 {
		return nil
	}
	return &found[0]
}

// refusedResult is the result of a job that must not touch the guarded files: a baseline is unfit, or a file is too large.
func refusedResult(a *fleet.Agent, err error) (Result, bool) {
	var unfit *fleet.UnfitError
	if errors.As(err, &unfit) {
		return Result{Agent: a.Name, Outcome: plan.Refused, Findings: unfit.Findings, Summary: unfit.Because.Text}, true
	}
	f, large := fleet.TooLarge(err)
	return Result{Agent: a.Name, Outcome: plan.Refused, Findings: []finding.Finding{f}, Summary: f.File + ": " + f.Text}, large
}

// readAfter returns a reader that first yields the snapshot of a chain, if there is one, and after that reads the workspace.
func readAfter(a *fleet.Agent, snap *fleet.Snapshot) Reader {
	if snap == nil {
		return Whole(a)
	}
	used := false
	return func(ctx context.Context) (fleet.Snapshot, error) {
		if used {
			return a.Snapshot(ctx)
		}
		used = true
		return *snap, nil
	}
}

// runReport runs a job that changes nothing.
func runReport(ctx context.Context, a *fleet.Agent, row table.Row, o Options, snap *fleet.Snapshot) (Result, error) {
	s, err := readAfter(a, snap)(ctx)
	if err != nil {
		return Result{}, err
	}
	if err := a.Gather(ctx, &s); err != nil {
		return Result{}, err
	}
	s.Stop = ctx.Done()
	report, err := fleet.Interruptible(ctx, func() audit.Report { return row.Report(s.Input) })
	if err != nil {
		return Result{}, err
	}
	if row.Clean != nil && !o.DryRun {
		memo := cmp.Or(o.memo, new(fleet.Memo))
		memo.Clean(s.Input, row.Clean(s.Input, report))
		if o.memo == nil {
			if err := a.Save(memo); err != nil {
				return Result{}, err
			}
		}
	}
	return Result{Agent: a.Name, Outcome: plan.Unchanged, Findings: report.Findings(), Summary: report.Words()}, nil
}

// planWithCurator wraps a job so that its curator, if any, is asked once, before the lock is taken. A dry run asks nobody.
func planWithCurator(ctx context.Context, a *fleet.Agent, row table.Row, o Options) job.Planner {
	nobody := o.Judge == nil && (policy.Curator.Of(a.Policy).Off() || o.DryRun)
	allowed := o.Force || !job.NeedsCurate.Above(a.Automation())
	if nobody || !allowed {
		return row.Plan
	}
	var answers []job.Judged
	done := false
	return func(in job.Input) (plan.Plan, error) {
		in, err := a.ForCurator(in)
		if err != nil {
			return plan.Plan{}, err
		}
		if !done {
			if o.Judge != nil {
				answers, err = o.Judge(ctx, in)
			} else {
				answers = a.Consult(ctx, in)
			}
			if err != nil {
				return plan.Plan{}, err
			}
			done = true
		}
		in.Judged, in.BeyondCaps = answers, o.BeyondCaps
		return row.Plan(in)
	}
}

// withSources adds where promoted entries came from to what a job reads.
func withSources(a *fleet.Agent, read Reader) Reader {
	return func(ctx context.Context) (fleet.Snapshot, error) {
		s, err := read(ctx)
		if err != nil {
			return s, err
		}
		for act, err := range a.Ledger.Actions() {
			if err != nil {
				return s, err
			}
			if act.Outcome != ledger.RolledBack {
				s.Facts.Sources = append(s.Facts.Sources, act.Sources...)
			}
		}
		return s, nil
	}
}
