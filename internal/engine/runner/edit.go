package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/job/table"
	"tend/internal/engine/job/write"
	"tend/internal/engine/past"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// runEdit carries out a request that changes only files of some roles.
func runEdit(ctx context.Context, a *fleet.Agent, do job.Planner, o Options, roles ...layout.Role) (Result, error) {
	return Run(ctx, a, Request{Options: o, Read: Some(a, a.Files.WithRoles(roles...)...), Plan: do})
}

// Note adds entries to today's log.
func Note(ctx context.Context, a *fleet.Agent, w write.Request, o Options) (Result, error) {
	return runEdit(ctx, a, func(in job.Input) (plan.Plan, error) { return write.Note(in, w) }, o, layout.Daily)
}

// BufferAdd adds entries to the working buffer.
func BufferAdd(ctx context.Context, a *fleet.Agent, w write.Request, task string, o Options) (Result, error) {
	return runEdit(ctx, a, func(in job.Input) (plan.Plan, error) { return write.BufferAdd(in, w, task) }, o, layout.Buffer)
}

// BufferClear archives what is in the working buffer and empties it.
func BufferClear(ctx context.Context, a *fleet.Agent, o Options) (Result, error) {
	return runEdit(ctx, a, write.BufferClear, o, layout.Buffer)
}

// SessionWrite replaces the session's state.
func SessionWrite(ctx context.Context, a *fleet.Agent, w write.Request, o Options) (Result, error) {
	return runEdit(ctx, a, func(in job.Input) (plan.Plan, error) { return write.SessionWrite(in, w) }, o, layout.Session)
}

// Checkpoint saves unsaved context, depending on how full the context window is.
func Checkpoint(ctx context.Context, a *fleet.Agent, pr write.Pressure, o Options, guards ...Guard) (Result, write.Advice, error) {
	var ad write.Advice
	files := a.Files.WithRoles(layout.Buffer, layout.Daily, layout.Session)
	if p := write.CheckpointFile(a.Layout); p != "" {
		files = append(files, p)
	}
	r, err := Run(ctx, a, Request{
		Options: o, Read: Some(a, files...), Guards: guards,
		Plan: func(in job.Input) (pl plan.Plan, err error) {
			pl, ad, err = write.Checkpoint(in, pr)
			return pl, err
		},
	})
	return r, ad, err
}

// Verify marks files as verified today.
func Verify(ctx context.Context, a *fleet.Agent, files []vault.Path, o Options) (Result, error) {
	return Run(ctx, a, Request{
		Options: o, Read: Some(a, files...),
		Plan: func(in job.Input) (plan.Plan, error) { return job.Verify(in, files) },
	})
}

// Fix repairs what check finds, as far as that is possible without understanding the files.
func Fix(ctx context.Context, f *fleet.Fleet, agent string, o Options) Result {
	a, err := f.Agent(ctx, agent)
	if err != nil {
		return Failed(agent, err)
	}
	defer a.Close()
	r, err := Run(ctx, a, Request{Options: o, Job: "fix", Read: Whole(a),
		Plan: func(in job.Input) (plan.Plan, error) { return job.Fix(in), nil }})
	if err != nil {
		return Failed(agent, err)
	}
	return r
}

// Write replaces a file's text. If at is not nil, the file must have that version.
func Write(ctx context.Context, a *fleet.Agent, p vault.Path, text []byte, at *vault.Version, name string, o Options) (Result, error) {
	return Run(ctx, a, Request{
		Options: o, Read: Some(a, p),
		Plan: func(in job.Input) (plan.Plan, error) {
			doc := in.File(p)
			if at != nil && doc.Version != *at {
				return plan.Plan{}, &vault.PathError{Op: "write", Path: p, Err: vault.ErrChanged}
			}
			if doc.Version != vault.Absent && bytes.Equal(doc.Data, text) {
				return plan.Plan{Job: name, Outcome: plan.Unchanged, Summary: fmt.Sprintf("%s already has this text", p)}, nil
			}
			return plan.Plan{
				Job: name, Outcome: plan.Written, Summary: fmt.Sprintf("%s: %d bytes", p, len(text)),
				Changes: []plan.Change{{Path: p, Op: plan.Write, Before: doc.Version, Old: doc.Data, New: text}},
			}, nil
		},
	})
}

// RestorePassage restores a passage to its former place in a file. The rest of the file stays as it is.
func RestorePassage(ctx context.Context, a *fleet.Agent, was past.Passage, o Options) (Result, error) {
	o.Reason = strings.TrimSpace("from " + was.Ref + " " + o.Reason)
	return Run(ctx, a, Request{
		Options: o, Read: Some(a, was.File),
		Plan: func(in job.Input) (plan.Plan, error) {
			doc := in.File(was.File)
			now, old := in.Parse(doc), in.Syntax(was.File).Parse(was.Data)
			missing := note.Missing(now, old, note.Span{From: was.From, To: was.To})
			text := note.PutBack(now, old, missing)
			if bytes.Equal(text, doc.Data) {
				return plan.Plan{}, &job.Refusal{Why: fmt.Sprintf("%s still has all of it", was.File), Try: "`tend search` shows where", Usage: true}
			}
			lines, did := linesIn(text)-linesIn(doc.Data), "restored"
			if o.DryRun {
				did = "would be restored"
			}
			for _, s := range old.Sections {
				if s.Start == was.From {
					did += fmt.Sprintf(" under %q", s.Title)
				}
			}
			return replaceText(doc, text, "%s: %s %s", was.File, textfmt.Count(lines, "line"), did), nil
		},
	})
}

// Undo reverts an action. With merge, later edits are kept where both fit.
func Undo(ctx context.Context, a *fleet.Agent, act ledger.Action, merge bool, o Options, guards ...Guard) (Result, error) {
	if len(act.Retired)+len(act.Returned)+len(act.Discarded) > 0 {
		return undoRetention(ctx, a, act, o)
	}
	return Run(ctx, a, Request{
		Options: o, Read: Some(a), Guards: guards,
		Plan: func(job.Input) (plan.Plan, error) {
			pl, err := a.Ledger.PlanUndo(ctx, act, merge)
			if err == nil && act.Job == "restore-zone" {
				err = refuseIfRedone(a, act, pl)
			}
			if err != nil {
				return pl, err
			}
			pl.Outcome = plan.Undone
			switch {
			case o.DryRun:
				pl.Summary = "nothing was changed; this is what it would take to undo " + act.ID
			case pl.Empty():
				pl.Outcome, pl.Summary = plan.Unchanged, "everything is already as it was before action "+act.ID
			}
			return pl, nil
		},
	})
}

// refuseIfRedone refuses to undo what the keeper's guard did if the guard would do it again at once.
func refuseIfRedone(a *fleet.Agent, act ledger.Action, pl plan.Plan) error {
	if !table.Allows(a.Policy, "guard") || policy.GuardZone.Of(a.Policy) != policy.GuardRestore {
		return nil
	}
	texts, err := a.Baselines.Approved()
	if err != nil {
		return err
	}
	for _, c := range pl.Changes {
		text, approved := texts[c.Path]
		if !approved || job.ZoneIntact(note.Split(c.New, text, a.LineOf(string(c.Path), text))) {
			continue
		}
		return usererr.Refusef("`tend baseline accept "+a.Name+" --file "+string(c.Path)+"` keeps the changed text and makes it the baseline",
			"undoing %s would not last: the keeper restores %s as soon as it differs from its baseline", act.ID, c.Path)
	}
	return nil
}

var errNothingToUndo = errors.New("nothing to undo")

// undoRetention reverts what retention did to archives and trash.
func undoRetention(ctx context.Context, a *fleet.Agent, act ledger.Action, o Options) (Result, error) {
	r := Request{
		Options: o, Read: Some(a),
		Plan: func(job.Input) (plan.Plan, error) {
			if len(act.Discarded) > 0 {
				return plan.Plan{}, errNothingToUndo
			}
			pl := plan.Plan{Job: "undo", Outcome: plan.Undone}
			if o.DryRun {
				pl.Summary = fmt.Sprintf("nothing was changed; undoing %s moves %d archive(s)", act.ID, len(act.Retired)+len(act.Returned))
			}
			return pl, nil
		},
		Commit: func(ctx context.Context, s *ledger.Session, _ plan.Plan) (ledger.Action, error) {
			return s.UndoRetire(ctx, act)
		},
	}
	res, err := Run(ctx, a, r)
	if errors.Is(err, errNothingToUndo) {
		return Result{Agent: a.Name, Outcome: plan.Unchanged,
			Summary: "nothing to undo: files that left the trash are in the pack, where undo, restore and grep --past find them"}, nil
	}
	if err == nil && res.Did.ID != "" {
		res.Summary = res.Did.Summary
	}
	return res, err
}

// Apply applies changes that were planned elsewhere. It fails with vault.ErrChanged if the files have changed since.
func Apply(ctx context.Context, a *fleet.Agent, pl plan.Plan, o Options) (Result, error) {
	planned := false
	return Run(ctx, a, Request{
		Options: o, Read: Some(a),
		Plan: func(job.Input) (plan.Plan, error) {
			if planned {
				return pl, &vault.PathError{Op: pl.Job, Err: vault.ErrChanged}
			}
			planned = true
			return pl, nil
		},
	})
}

// WithLock runs a function under the agent's lock, after recovering an action that a crash interrupted.
func WithLock(ctx context.Context, a *fleet.Agent, who string, do func() error) error {
	_, err := Run(ctx, a, Request{
		Options: Options{Who: who}, Read: Some(a),
		Plan:   func(job.Input) (plan.Plan, error) { return plan.Plan{}, nil },
		Commit: func(context.Context, *ledger.Session, plan.Plan) (ledger.Action, error) { return ledger.Action{}, do() },
	})
	return err
}
