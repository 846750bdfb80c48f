package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"tend/internal/job"
	"tend/internal/ledger"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// UndoOptions say how an action is taken back.
type UndoOptions struct {
	Who    string
	Reason string
	Merge  bool
	DryRun bool
}

// Undo takes an action back. If the agent writes to a file in the meantime it is
// looked at anew.
func (a *Agent) Undo(ctx context.Context, act ledger.Action, o UndoOptions) (Result, error) {
	for try := 0; ; try++ {
		r, err := a.undo(ctx, act, o)
		if !errors.Is(err, vault.ErrChanged) || try == 4 {
			return r, err
		}
	}
}

func (a *Agent) undo(ctx context.Context, act ledger.Action, o UndoOptions) (Result, error) {
	if len(act.Retired)+len(act.Returned)+len(act.Discarded) > 0 {
		return a.undoRetention(ctx, act, o)
	}
	pl, err := a.Ledger.PlanUndo(ctx, act, o.Merge)
	if err != nil {
		return Result{}, err
	}
	if o.Reason != "" {
		pl.Reason = o.Reason
	}
	r := Result{Agent: a.Name, Outcome: "undone", Summary: pl.Summary}
	if o.DryRun {
		r.Diff, r.Summary = pl.Diff(), "nothing was changed; this is what it would take to undo "+act.ID
		return r, nil
	}
	if pl.Empty() {
		r.Outcome, r.Summary = job.Unchanged, "everything is as it was before action "+act.ID+" already"
		return r, nil
	}
	s, err := a.begin(ctx, o.Who, policy.LockWait.Of(a.Policy).Std())
	if err != nil {
		return r, err
	}
	defer s.Close()
	if err := a.fresh(ctx, pl); err != nil {
		return r, err
	}
	did, err := s.Undo(ctx, act, pl)
	if err != nil {
		return r, err
	}
	r.Action, r.Findings = did.ID, s.Recovered
	return r, nil
}

// undoRetention takes back what retention did to archives and trash.
func (a *Agent) undoRetention(ctx context.Context, act ledger.Action, o UndoOptions) (Result, error) {
	r := Result{Agent: a.Name, Outcome: job.Unchanged}
	switch {
	case len(act.Discarded) > 0:
		r.Summary = "what left the trash is in the pack, where undo, restore and grep --past find it: there is nothing to take back"
		return r, nil
	case o.DryRun:
		r.Outcome, r.Summary = "undone", fmt.Sprintf("nothing was changed; undoing %s moves %d archive(s)", act.ID, len(act.Retired)+len(act.Returned))
		return r, nil
	}
	s, err := a.begin(ctx, o.Who, policy.LockWait.Of(a.Policy).Std())
	if err != nil {
		return r, err
	}
	defer s.Close()
	did, err := s.UndoRetire(ctx, act)
	if err != nil {
		return r, err
	}
	r.Outcome, r.Summary, r.Action, r.Findings = "undone", did.Summary, did.ID, s.Recovered
	return r, nil
}

// WriteOptions say how a file is written.
type WriteOptions struct {
	Job, Who, Reason string
	DryRun           bool
	Wait             time.Duration  // for the lock
	If               *vault.Version // only if the file is at this version
}

// Write puts a text in a file's place as one action.
func (a *Agent) Write(ctx context.Context, p vault.Path, text []byte, o WriteOptions) (Result, error) {
	for try := 0; ; try++ {
		r, err := a.write(ctx, p, text, o)
		if !errors.Is(err, vault.ErrChanged) || o.If != nil || try == 4 {
			return r, err
		}
	}
}

func (a *Agent) write(ctx context.Context, p vault.Path, text []byte, o WriteOptions) (Result, error) {
	doc, err := a.Vault.Read(ctx, p)
	if err != nil && !errors.Is(err, vault.ErrAbsent) {
		return Result{}, err
	}
	r := Result{Agent: a.Name, Outcome: "written"}
	if o.If != nil && doc.Version != *o.If {
		return r, &vault.PathError{Op: "write", Path: p, Err: vault.ErrChanged}
	}
	if doc.Version != vault.Absent && bytes.Equal(doc.Data, text) {
		r.Outcome, r.Summary = job.Unchanged, fmt.Sprintf("%s already has this text", p)
		return r, nil
	}
	pl := plan.Plan{
		Job: o.Job, Reason: o.Reason, Summary: fmt.Sprintf("%s: %d bytes", p, len(text)),
		Changes: []plan.Change{{Path: p, Op: plan.Write, Before: doc.Version, Old: doc.Data, New: text}},
	}
	r.Summary = pl.Summary
	if o.DryRun {
		r.Diff = pl.Diff()
		return r, nil
	}
	act, found, err := a.Apply(ctx, o.Who, o.Wait, pl)
	if err != nil {
		return r, err
	}
	r.Action, r.Findings = act.ID, found
	return r, nil
}
