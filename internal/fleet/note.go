package fleet

import (
	"context"
	"errors"
	"time"

	"tend/internal/job"
	"tend/internal/layout"
	"tend/internal/ledger"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// planner plans a change of a few files, or refuses it.
type planner func(job.Input) (plan.Plan, error)

// edit plans and applies a change that needs only some files of the workspace. It returns
// when the text is durable. If somebody writes to a file in the meantime the change is
// planned anew on what is there then.
func (a *Agent) edit(ctx context.Context, paths []vault.Path, do planner, o RunOptions) (Result, error) {
	r, err := a.editOnce(ctx, paths, do, o, nil)
	for try := 0; errors.Is(err, vault.ErrChanged) && try < 5; try++ {
		r, err = a.editAlone(ctx, paths, do, o)
	}
	return r, err
}

// editAlone plans under the agent's lock: after somebody was faster, only the agent
// itself can be.
func (a *Agent) editAlone(ctx context.Context, paths []vault.Path, do planner, o RunOptions) (Result, error) {
	s, err := a.begin(ctx, o.Who, policy.LockWait.Of(a.Policy).Std())
	if err != nil {
		return Result{}, err
	}
	defer s.Close()
	return a.editOnce(ctx, paths, do, o, s)
}

// editOnce takes the lock itself if there is no session yet.
func (a *Agent) editOnce(ctx context.Context, paths []vault.Path, do planner, o RunOptions, s *ledger.Session) (Result, error) {
	in, err := a.glance(ctx, paths)
	if err != nil {
		return Result{}, err
	}
	pl, err := do(in)
	if err != nil {
		return Result{}, err
	}
	switch {
	case o.Reason != "" && pl.Reason != "":
		pl.Reason += "; " + o.Reason
	case o.Reason != "":
		pl.Reason = o.Reason
	}
	r := Result{Agent: a.Name, Outcome: job.Unchanged, Summary: pl.Summary, Findings: pl.Findings}
	nothing := pl.Empty() && len(pl.Archives) == 0 && len(pl.Receipts) == 0
	if o.DryRun {
		if !nothing {
			r.Outcome = job.Changed
		}
		r.Diff = pl.Diff()
		return r, nil
	}
	if !nothing {
		if s != nil {
			err = a.applyIn(ctx, s, &r, pl)
		} else {
			err = a.applied(ctx, &r, pl, o.Who)
		}
		if err != nil {
			return r, err
		}
		r.Outcome = job.Changed
	}
	for i := range r.Findings {
		r.Findings[i].Agent = a.Name
	}
	return r, nil
}

// glance is an input of some files only, for what must be quick in any workspace.
func (a *Agent) glance(ctx context.Context, paths []vault.Path) (job.Input, error) {
	in := job.Input{Layout: a.Layout, Policy: a.Policy}
	in.Snapshot = plan.Snapshot{Agent: a.Name, Now: a.Now(), Files: map[vault.Path]vault.Doc{}}
	for _, p := range paths {
		doc, err := a.Vault.Read(ctx, p)
		if errors.Is(err, vault.ErrAbsent) {
			continue
		}
		if err != nil {
			return in, err
		}
		in.Files[p] = doc
	}
	var err error
	in.Baselines, err = a.Approved()
	return in, err
}

// of are the files of roles, today's where a role has one a day.
func (a *Agent) of(roles ...layout.Role) []vault.Path {
	day := a.Now().Format(time.DateOnly)
	var paths []vault.Path
	for _, r := range roles {
		if p := a.Layout.Path(r, day); p != "" {
			paths = append(paths, vault.Path(p))
		}
	}
	return paths
}

// Note adds entries to today's log.
func (a *Agent) Note(ctx context.Context, w job.Writing, o RunOptions) (Result, error) {
	return a.edit(ctx, a.of(layout.Daily), func(in job.Input) (plan.Plan, error) { return job.Note(in, w) }, o)
}

// BufferAdd adds entries to the working buffer.
func (a *Agent) BufferAdd(ctx context.Context, w job.Writing, task string, o RunOptions) (Result, error) {
	return a.edit(ctx, a.of(layout.Buffer), func(in job.Input) (plan.Plan, error) { return job.BufferAdd(in, w, task) }, o)
}

// BufferClear archives what is in the working buffer and empties it.
func (a *Agent) BufferClear(ctx context.Context, o RunOptions) (Result, error) {
	return a.edit(ctx, a.of(layout.Buffer), job.BufferClear, o)
}

// Buffer looks at the working buffer.
func (a *Agent) Buffer(ctx context.Context) (job.BufferState, error) {
	in, err := a.glance(ctx, a.of(layout.Buffer))
	if err != nil {
		return job.BufferState{}, err
	}
	return job.Buffer(in)
}

// SessionWrite replaces the session's state.
func (a *Agent) SessionWrite(ctx context.Context, w job.Writing, o RunOptions) (Result, error) {
	return a.edit(ctx, a.of(layout.Session), func(in job.Input) (plan.Plan, error) { return job.SessionWrite(in, w) }, o)
}

// SessionState is the session's state as it stands.
type SessionState struct {
	File vault.Path `json:"file"`
	Text string     `json:"text"`
}

// Session reads the session's state; the text is empty if there is none.
func (a *Agent) Session(ctx context.Context) (SessionState, error) {
	p, err := job.Input{Layout: a.Layout}.Place(layout.Session)
	if err != nil {
		return SessionState{}, err
	}
	doc, err := a.Vault.Read(ctx, p)
	if errors.Is(err, vault.ErrAbsent) {
		err = nil
	}
	return SessionState{File: p, Text: string(doc.Data)}, err
}

// Verify stamps files as verified today.
func (a *Agent) Verify(ctx context.Context, files []vault.Path, o RunOptions) (Result, error) {
	return a.edit(ctx, files, func(in job.Input) (plan.Plan, error) { return job.Verify(in, files) }, o)
}

// Checkpoint saves what is in no file yet, as the context's fill asks for.
func (a *Agent) Checkpoint(ctx context.Context, pr job.Pressure, o RunOptions) (Result, job.Advice, error) {
	var ad job.Advice
	r, err := a.edit(ctx, a.of(layout.Buffer, layout.Daily, layout.Session), func(in job.Input) (pl plan.Plan, err error) {
		pl, ad, err = job.Checkpoint(in, pr)
		return pl, err
	}, o)
	return r, ad, err
}

// RenameTag gives a tag another name wherever it may be changed.
func (a *Agent) RenameTag(ctx context.Context, from, to string, o RunOptions) (Result, error) {
	var refused error
	r, err := a.Run(ctx, "tags", func(in job.Input) (pl plan.Plan) {
		if pl, refused = job.RenameTag(in, from, to); refused != nil {
			return plan.Plan{}
		}
		return pl
	}, o)
	return r, errors.Join(refused, err)
}

// LastReceipt is the newest receipt for a path, and the action that left it.
func (a *Agent) LastReceipt(p vault.Path) (plan.Receipt, bool, error) {
	for act, err := range a.Ledger.Actions() {
		if err != nil || a.Now().Sub(act.At) > remembered {
			return plan.Receipt{}, false, err
		}
		for _, r := range act.Receipts {
			if r.Path == p && act.Outcome != ledger.TakenBack {
				return r, true, nil
			}
		}
	}
	return plan.Receipt{}, false, nil
}
