package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/job/table"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/model/usererr"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// Run carries out a request. A dry run stops before the lock.
func Run(ctx context.Context, a *fleet.Agent, r Request) (Result, error) {
	t := turn{a: a, Request: r, began: time.Now()}
	err := t.run(ctx)
	for i := range t.res.Findings {
		t.res.Findings[i].Agent = a.Name
	}
	return t.res, err
}

// turn is a request in progress.
type turn struct {
	Request
	a     *fleet.Agent
	began time.Time

	snap fleet.Snapshot
	pl   plan.Plan
	res  Result
}

func (t *turn) run(ctx context.Context) error {
	if err := t.makePlan(ctx); err != nil {
		return err
	}
	if t.stopEarly() {
		return nil
	}
	work, err := t.hasWork()
	if err != nil {
		return err
	}
	if work {
		if err := t.applyLocked(ctx); err != nil {
			return err
		}
	}
	return t.cleanUp(ctx)
}

// makePlan reads the files and makes the plan.
func (t *turn) makePlan(ctx context.Context) (err error) {
	if t.snap, err = t.Read(ctx); err != nil {
		return err
	}
	in := t.snap.Input
	if t.Force {
		in = allowEverything(in)
	}
	in.Stop = ctx.Done()
	type planned struct {
		pl  plan.Plan
		err error
	}
	made, err := fleet.Interruptible(ctx, func() (p planned) {
		p.pl, p.err = t.Plan(in)
		return p
	})
	if err = cmp.Or(err, made.err); err != nil {
		return err
	}
	t.pl = made.pl
	pl := &t.pl
	if t.Job != "" {
		pl.Job = t.Job
	}
	switch {
	case t.Reason != "" && pl.Reason != "":
		pl.Reason += "; " + t.Reason
	case t.Reason != "":
		pl.Reason = t.Reason
	}
	if err := checkRestorable(t.a, *pl); err != nil {
		return err
	}
	for _, guard := range t.Guards {
		if err := guard(ctx, in, *pl); err != nil {
			return err
		}
	}
	if err := leaveToAgent(t.a, in, pl, t.Options, t.Yields); err != nil {
		return err
	}
	t.res = Result{Agent: t.a.Name, Outcome: outcomeOf(*pl), Summary: pl.Summary, Findings: pl.Findings, Proposals: pl.Proposals}
	return nil
}

// checkRestorable refuses to put back what is no memory: records and archives can come from other machines and packages.
func checkRestorable(a *fleet.Agent, pl plan.Plan) error {
	if pl.Job != "undo" && pl.Job != "restore" {
		return nil
	}
	for _, c := range pl.Changes {
		if !a.Writes(c.Path) {
			return usererr.Refusef("`tend connect --undo` takes back what Tend wrote for a harness; copy what else you need from `tend past`",
				"%s is not memory of %s: Tend restores no settings, hooks or repositories of other programs", c.Path, a.Name)
		}
	}
	return nil
}

// outcomeOf is the outcome of a plan once it is applied.
func outcomeOf(pl plan.Plan) plan.Outcome {
	switch {
	case pl.Outcome != "":
		return pl.Outcome
	case changesNothing(pl):
		return plan.Unchanged
	}
	return plan.Changed
}

// changesNothing reports whether a plan changes nothing, on disk or in the records.
func changesNothing(pl plan.Plan) bool {
	return pl.Empty() && len(pl.Receipts) == 0 && len(pl.Archives) == 0 && len(pl.Proposals) == 0
}

// stopEarly reports whether the plan must not be applied, and says why in the result.
func (t *turn) stopEarly() bool {
	if Held(t.a, t.Job, t.Options) {
		t.holdBack()
		return true
	}
	if t.DryRun {
		t.res.Diff = t.pl.DiffIn(t.diffFolder(t.a.Name))
		return true
	}
	// A time in the future must not defer a job forever.
	age := t.a.Now().Sub(t.snap.Newest)
	if t.Quiet > 0 && !changesNothing(t.pl) && age >= 0 && age < t.Quiet {
		t.res.Outcome, t.res.Findings = plan.Deferred, nil
		t.res.Summary = fmt.Sprintf("its files changed %s ago; it is left alone until they have been unchanged for %s",
			age.Round(time.Second), t.Quiet)
		return true
	}
	return false
}

// hasWork reports whether there is something to do under the lock: the request, or an action to recover that a crash left. Even
// a job with nothing to do recovers it, as the next one may be far off.
func (t *turn) hasWork() (bool, error) {
	if !changesNothing(t.pl) || t.Commit != nil {
		return true, nil
	}
	last, err := t.a.Ledger.Last()
	return err == nil && last != nil && last.State == ledger.Intent, err
}

// applyLocked applies the plan under the agent's lock. If the files changed, it plans again under the lock: then only the
// agent itself can interfere. While it does, planning is repeated, for as long as others would wait for the lock.
func (t *turn) applyLocked(ctx context.Context) (err error) {
	s, waited, err := t.a.Begin(ctx, t.Who)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	stale := len(s.Recovered) > 0
	if !stale && (waited || t.a.Workspace.Kind == config.Local) { // on other hosts a check costs a round trip
		if stale, err = t.filesChanged(ctx); err != nil {
			return err
		}
	}
	for try := 1; ; try++ {
		if stale {
			if err := t.makePlan(ctx); err != nil {
				return err
			}
		}
		if changesNothing(t.pl) && t.Commit == nil {
			break
		}
		if t.Before != nil {
			t.Before(t.pl)
		}
		err := t.commit(ctx, s)
		if err == nil && (t.Commit != nil || len(t.pl.Proposals) > 0) {
			err = t.a.CommitRest(ctx, s)
		}
		if err == nil {
			break
		}
		tooLong := try >= minTries && time.Since(t.began) > policy.LockWait.Of(t.a.Policy).Std()
		if !errors.Is(err, vault.ErrChanged) || tooLong {
			return err
		}
		stale = true
	}
	t.res.Findings = append(t.res.Findings, s.Recovered...)
	if stale || len(s.Recovered) > 0 {
		t.res.reread = everything
	}
	return nil
}

// minTries is how often a plan is tried at least before a busy writer makes a request fail.
const minTries = 5

// filesChanged reports whether files have changed since they were planned on. That is common after waiting for the lock, and
// checking first avoids recording an action only to roll it back.
func (t *turn) filesChanged(ctx context.Context) (bool, error) {
	var large *vault.TooLargeError
	for _, c := range t.pl.Changes {
		if seen, ok := t.snap.Seen(c.Path); ok && seen.Version == c.Before && t.a.Vault.Untouched(seen) {
			continue
		}
		doc, err := t.a.Vault.Read(ctx, c.Path)
		switch {
		case vault.Blocked(err), errors.As(err, &large):
			continue // the ledger sets it aside, or reports why not
		case err != nil && !errors.Is(err, vault.ErrAbsent):
			return false, err
		case doc.Version != c.Before && !c.Force:
			return true, nil
		}
	}
	return false, nil
}

func (t *turn) commit(ctx context.Context, s *ledger.Session) error {
	// Saved before the plan is applied: its receipts say that the proposals were made.
	if len(t.pl.Proposals) > 0 {
		if err := keepProposals(ctx, t.a, t.pl.Proposals); err != nil {
			return err
		}
	}
	apply := s.Apply
	if t.Commit != nil {
		apply = func(ctx context.Context, pl plan.Plan) (ledger.Action, error) { return t.Commit(ctx, s, pl) }
	} else if t.pl.Empty() && len(t.pl.Receipts) == 0 && len(t.pl.Archives) == 0 {
		return nil // it had only proposals
	}
	act, err := apply(ctx, t.pl)
	if err != nil {
		return err
	}
	if act.ID != "" {
		t.res.reread = changedFiles
	}
	t.res.Did, t.res.Action, t.res.Archives = act, act.ID, act.Archives
	return nil
}

// cleanUp does what must not hold the lock: clean up, note where the workspace is and what was read.
func (t *turn) cleanUp(ctx context.Context) error {
	if t.res.Action != "" {
		found, err := t.a.Tidy(ctx)
		t.res.Findings = append(t.res.Findings, found...)
		if errors.Is(err, fsys.ErrLocked) {
			err = nil // the holder of the lock tidies
		}
		if err = errors.Join(err, t.a.Home.SaveRepository()); err != nil {
			// The action is done; the next one tries again.
			t.res.Findings = append(t.res.Findings, finding.JobFailed.In("", "cleaning up after %s: %v", t.pl.Job, err))
		}
	}
	if t.memo != nil { // the chain notes it at its end
		return nil
	}
	if err := t.a.RecordDisplaced(ctx, t.snap.Input, t.res.Did); err != nil {
		t.res.Findings = append(t.res.Findings, finding.JobFailed.In("", "recording what %s displaced: %v", t.pl.Job, err))
	}
	var memo fleet.Memo
	if err := t.a.Note(&memo, t.snap, t.Remembers); err != nil {
		return err
	}
	return t.a.Save(&memo)
}

// Held reports whether the agent's automation level forbids a job.
//
// A reset does one thing, and naming the agent is consent to it. The other jobs decide by themselves what to change,
// so naming the agent is not enough.
func Held(a *fleet.Agent, name string, o Options) bool {
	row, known := table.Named(name)
	return known && !o.Force && !(o.ByHand && row.ByName) && !table.Allows(a.Policy, name)
}

// allowEverything returns the input for a forced job: its parts may do everything, too.
func allowEverything(in job.Input) job.Input {
	if p, err := in.Policy.With("--force", map[string]any{policy.Automation.Name(): string(policy.AutomationCurate)}); err == nil {
		in.Policy = p
	}
	return in
}

// holdBack turns the result into that of a job that is held back, if it would have changed anything.
func (t *turn) holdBack() {
	r := &t.res
	if t.pl.Empty() && len(t.pl.Archives)+len(t.pl.Proposals) == 0 {
		r.Outcome = plan.Unchanged
	}
	if r.Outcome == plan.Unchanged {
		return
	}
	level := t.a.Automation()
	r.Outcome, r.Diff = plan.Held, ""
	r.Findings = []finding.Finding{finding.Held.In("", "%s was held: automation is %s, it needs %s", t.Job, level, table.Needs(t.Job))}
	r.Summary = fmt.Sprintf("automation is %s; it would have: %s", level, r.Summary)
}
