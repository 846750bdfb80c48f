package act

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/hint"
	"tend/internal/engine/job"
	"tend/internal/engine/job/audit"
	"tend/internal/engine/job/table"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// Do runs a job of the table for one agent. The result always says what happened.
func Do(ctx context.Context, f *fleet.Fleet, agent, name string, o Options) Result {
	a, err := f.Agent(ctx, agent)
	if err != nil {
		return Failed(agent, err)
	}
	defer a.Close()
	r, err := Job(ctx, a, name, o)
	if errors.Is(err, fleet.ErrNoBaseline) && !o.ByHand { // a reset of all agents is for those with baselines
		r, err = Result{Outcome: plan.Unchanged, Summary: "no baseline, nothing to reset"}, nil
	}
	if err != nil {
		failed := Failed(agent, err)
		failed.Summary = r.Summary
		if r = failed; r.Outcome == plan.Failed && !o.DryRun {
			remember(a, r, 0, name)
		}
	}
	r.Agent = agent
	for i := range r.Findings {
		r.Findings[i].Agent = agent
	}
	return r
}

// Job runs a job of the table for an open agent.
func Job(ctx context.Context, a *fleet.Agent, name string, o Options) (Result, error) {
	row, ok := table.Named(name)
	if !ok {
		return Result{}, fmt.Errorf("no job %q: %w", name, vault.ErrRefused)
	}
	began := time.Now()
	var r Result
	var err error
	ran := []string{name}
	if len(row.Chain) > 0 {
		r, ran, err = chain(ctx, a, row, o)
	} else {
		r, err = one(ctx, a, row, o, nil)
	}
	if err == nil && o.Scheduled && !o.DryRun {
		r.Findings = append(r.Findings, deferred(a, name, r.Outcome)...)
	}
	if err == nil && !o.DryRun && r.Outcome != plan.Deferred {
		found, terr := a.TidyBeside(ctx)
		r.Findings = append(r.Findings, found...)
		if terr != nil && !errors.Is(terr, fsys.ErrLocked) {
			r.Findings = append(r.Findings, finding.JobFailed.In("", "cleaning up after %s: %v", name, terr))
		}
	}
	if err != nil || o.DryRun || row.Unrecorded || r.Outcome == plan.Held || r.Outcome == plan.Deferred {
		return r, err
	}
	return r, remember(a, r, time.Since(began), ran...)
}

// deferred records since when a job is deferred because the agent is working, and reports it when that has lasted too
// long, under timers too. The record is a hint: if it cannot be saved, the next run starts counting again.
func deferred(a *fleet.Agent, name string, out plan.Outcome) []finding.Finding {
	runs, err := a.Hints.Runs()
	since := runs[name].Deferred
	if err != nil || out != plan.Deferred && since == nil {
		return nil
	}
	now := a.Now()
	if out != plan.Deferred {
		since = nil
	} else if since == nil {
		since = &now
	}
	_ = a.Hints.ChangeRun(name, func(r *hint.Run) { r.Deferred = since })
	if most := policy.ResetMaxDefer.Of(a.Policy).Std(); since != nil && most > 0 && now.Sub(*since) > most {
		return []finding.Finding{finding.Overdue.In("", "%s has been deferred since %s because the agent is at work; reset.max_defer is %s", name, since.Format("2006-01-02 15:04"), most)}
	}
	return nil
}

// remember records that jobs ran.
func remember(a *fleet.Agent, r Result, took time.Duration, names ...string) error {
	return a.Hints.Ran(names, a.Now(), hint.Run{Outcome: r.Outcome, Took: took.Round(time.Millisecond).String(), Error: r.Error, Action: r.Action})
}

// one runs a single job on a given snapshot, or on the one it reads.
func one(ctx context.Context, a *fleet.Agent, row table.Row, o Options, snap *fleet.Snapshot) (Result, error) {
	if row.Reads() {
		return look(ctx, a, row, o, snap)
	}
	r := Request{Options: o, Job: row.Name, Plan: row.Plan, Read: first(a, snap), Yields: true}
	switch {
	case row.Baseline:
		r.Read = Guarded(a, notApproved)
		if o.Scheduled && row.Waits {
			r.Quiet = policy.ResetQuiet.Of(a.Policy).Std()
		}
	case row.Asks:
		r.Plan = asked(ctx, a, row, o)
	case row.Sources:
		r.Read = withSources(a, r.Read)
	case row.Name == "prune" && o.BeyondCaps:
		r.Plan = func(in job.Input) (plan.Plan, error) { return job.PruneBeyondCaps(in), nil }
	}
	res, err := Run(ctx, a, r)
	if refused, ok := refusal(a, err); ok && row.Baseline {
		return refused, nil
	}
	if then, ok := table.Named(row.Then); ok && err == nil {
		var seen Result
		seen, err = look(ctx, a, then, o, nil)
		res.Findings = append(res.Findings, seen.Findings...)
	}
	return res, err
}

// notApproved is the finding that forbids a reset: a baseline differs from its approved copy, or was never approved.
func notApproved(found []finding.Finding, approved int) *finding.Finding {
	if finding.Worst(found) < finding.Error && approved > 0 {
		return nil
	}
	return &found[0]
}

// refusal is the result of a job that must not touch the guarded files: a baseline is unfit, or a file is too large.
func refusal(a *fleet.Agent, err error) (Result, bool) {
	var unfit *fleet.UnfitError
	if errors.As(err, &unfit) {
		return Result{Agent: a.Name, Outcome: plan.Refused, Findings: unfit.Findings, Summary: unfit.Because.Text}, true
	}
	f, large := fleet.TooLarge(err)
	return Result{Agent: a.Name, Outcome: plan.Refused, Findings: []finding.Finding{f}, Summary: f.File + ": " + f.Text}, large
}

// first returns a reader that yields the snapshot of a chain once, then reads again. Without one it reads the whole workspace.
func first(a *fleet.Agent, snap *fleet.Snapshot) Reader {
	if snap == nil {
		return Whole(a)
	}
	given := false
	return func(ctx context.Context) (fleet.Snapshot, error) {
		if given {
			return a.Again(ctx, *snap)
		}
		given = true
		return *snap, nil
	}
}

// look runs a job that changes nothing.
func look(ctx context.Context, a *fleet.Agent, row table.Row, o Options, snap *fleet.Snapshot) (Result, error) {
	s, err := first(a, snap)(ctx)
	if err != nil {
		return Result{}, err
	}
	if err := a.Gather(ctx, &s); err != nil {
		return Result{}, err
	}
	report, err := fleet.Interruptible(ctx, func() audit.Report { return row.Report(s.Input) })
	if err != nil {
		return Result{}, err
	}
	if row.Name == "audit" && !o.DryRun {
		s.Clean(audit.CleanTexts(s.Input, report))
		if !o.chained {
			if err := a.Save(s); err != nil {
				return Result{}, err
			}
		}
	}
	return Result{Agent: a.Name, Outcome: plan.Unchanged, Findings: report.Findings(), Summary: report.Words()}, nil
}

// asked wraps a job so that its curator, if any, is asked once, before the lock is taken.
func asked(ctx context.Context, a *fleet.Agent, row table.Row, o Options) job.Planner {
	if policy.Curator.Of(a.Policy) == policy.CuratorRules || Held(a, "curate", o) {
		return row.Plan
	}
	var picks []job.Pick
	var found []finding.Finding
	done := false
	return func(in job.Input) (plan.Plan, error) {
		if !done {
			picks, found = a.Ask(ctx, in)
			done = true
		}
		in.Picks = picks
		pl, err := row.Plan(in)
		pl.Findings = append(append([]finding.Finding{}, found...), pl.Findings...)
		return pl, err
	}
}

// BufferEmpty reports whether rotation has nothing to do. It reads only the buffer, which is enough for most agents most
// of the time. looked reports whether the workspace could be read.
func BufferEmpty(ctx context.Context, f *fleet.Fleet, name string) (empty, looked bool) {
	a, err := f.Agent(ctx, name)
	if err != nil {
		return false, false
	}
	defer a.Close()
	files := a.Files.Of(layout.Buffer)
	if len(files) == 0 {
		return true, true // opening the agent has checked the workspace
	}
	doc, err := a.Vault.Read(ctx, files[0])
	if errors.Is(err, vault.ErrAbsent) {
		return true, true
	}
	return err == nil && note.ParseBuffer(doc.Data, a.Location).Empty(), err == nil
}

// withSources adds where promoted entries came from to what a job reads.
func withSources(a *fleet.Agent, read func(context.Context) (fleet.Snapshot, error)) func(context.Context) (fleet.Snapshot, error) {
	return func(ctx context.Context) (fleet.Snapshot, error) {
		s, err := read(ctx)
		if err != nil {
			return s, err
		}
		for act, err := range a.Ledger.Actions() {
			if err != nil {
				return s, err
			}
			if act.Outcome != ledger.TakenBack {
				s.Facts.Sources = append(s.Facts.Sources, act.Sources...)
			}
		}
		return s, nil
	}
}
