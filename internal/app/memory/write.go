package memory

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/runner"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

// WriteRequest replaces a file's text.
type WriteRequest struct {
	Path string `json:"filename"`
	Text string `json:"content"`
	If   string `json:"if_version,omitempty" jsonschema:"refuse unless the file has this version; none: unless the file is new"`
}

// None is the If version for a file that must not exist yet.
const None = "none"

// Write replaces a file's text, creating the file and its folders if needed.
func (w *Writer) Write(ctx context.Context, r WriteRequest) (Receipt, error) {
	return w.change(ctx, edit{
		call: "write", path: r.Path, seen: r.If, create: true, text: r.Text,
		apply: func(vault.Doc) ([]byte, error) { return []byte(r.Text), nil },
	})
}

// edit is a change of one file that can be planned again on a newer text.
type edit struct {
	call   string // for the record
	path   string // as the caller wrote it
	seen   string // the version the caller saw, "" for any
	create bool   // the file may be missing
	text   string // what the caller adds
	reason string
	apply  func(before vault.Doc) (after []byte, err error)
	quote  bool // show the changed lines in the receipt

	file vault.Path
	plan job.Planner
	// scanned: the planner has already looked for secrets.
	scanned bool
}

// change applies an edit to a fresh read of the file.
func (w *Writer) change(ctx context.Context, e edit) (r Receipt, err error) {
	if e.file, err = w.files.Name(e.path); err != nil {
		return Receipt{}, w.fail(e.call, e.call, "", err)
	}
	if err := checkText(e.file, e.text); err != nil {
		return Receipt{}, w.fail(e.call, e.call, e.file, err)
	}
	e.plan = func(in job.Input) (plan.Plan, error) {
		before := in.File(e.file)
		if before.Version == vault.Absent && !e.create {
			return plan.Plan{}, w.files.Missing(ctx, e.file)
		}
		after, err := e.apply(before)
		if err != nil || before.Version != vault.Absent && bytes.Equal(before.Data, after) {
			return plan.Plan{}, err
		}
		return plan.Plan{Changes: []plan.Change{{Path: e.file, Op: plan.Write, Before: before.Version, Old: before.Data, New: after}}}, nil
	}
	if r, err = w.save(ctx, e); err != nil {
		return Receipt{}, w.fail(e.call, e.call, e.file, err)
	}
	return r, nil
}

// planEdit makes the plan of an edit. A new file must be new, and a version that the caller saw must still be current when
// the change is made, so neither is an append.
func (e edit) planEdit(in job.Input) (plan.Plan, error) {
	pl, err := e.plan(in)
	if err != nil || pl.Empty() {
		return pl, err
	}
	before, c := in.File(e.file), &pl.Changes[0]
	if c.Op == plan.Append && (before.Version == vault.Absent || e.seen != "") {
		c.Op, c.New = plan.Write, textAfter(*c)
	}
	r := Receipt{Path: c.Path, Outcome: Saved}
	if before.Version == vault.Absent {
		r.Outcome = Created
	}
	r.countChange(before, textAfter(*c))
	pl.Summary = r.summary()
	return pl, nil
}

// textAfter returns the text that a change leaves.
func textAfter(c plan.Change) []byte {
	if c.Op == plan.Append {
		return slices.Concat(c.Old, c.New)
	}
	return c.New
}

// save carries out a change of one file, under the rules for an agent's own writes.
func (w *Writer) save(ctx context.Context, e edit) (Receipt, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	if err := w.agent.Room(); err != nil {
		return Receipt{}, err
	}
	var r Receipt
	var before vault.Doc
	var after []byte
	res, err := runner.Run(ctx, w.agent, runner.Request{
		Options: runner.Options{Who: w.who, Reason: e.reason}, Job: "memory_" + e.call,
		Read: func(ctx context.Context) (fleet.Snapshot, error) {
			in := w.agent.Files.Empty()
			var err error
			if before = (vault.Doc{Path: e.file}); e.file != "" {
				if before, err = w.files.Load(ctx, e.file); err == nil {
					err = atVersion(before, e.seen)
				}
			}
			if before.Version != vault.Absent {
				in.Files[e.file] = before
			}
			return fleet.Snapshot{Input: in}, err
		},
		Plan: e.planEdit,
		Guards: []runner.Guard{func(ctx context.Context, _ job.Input, pl plan.Plan) (err error) {
			if r = unchangedReceipt(before); pl.Empty() {
				return nil
			}
			after = textAfter(pl.Changes[0])
			known := before.Data
			if e.scanned {
				known = after
			}
			r, err = w.gate.checkAllowed(ctx, before, after, known)
			return err
		}},
	})
	if err != nil || res.Action == "" {
		return r, err
	}
	if err := w.completeReceipt(ctx, &r, before, res); err != nil {
		return r, err
	}
	if e.quote {
		r.Excerpt = excerptOf(after, r.At, r.Added)
	}
	if f := res.Did.Files; len(f) > 0 && f[0].Op == plan.Append {
		return r, w.confirmAppended(ctx, &r, e.file, string(f[0].Edit.Text))
	}
	return r, nil
}

// unchangedReceipt is the receipt for a file that already has the text.
func unchangedReceipt(doc vault.Doc) Receipt {
	return Receipt{Path: doc.Path, Outcome: Unchanged, Version: doc.Version.Short(), Bytes: len(doc.Data), Lines: note.Lines(doc.Data)}
}

// completeReceipt completes a receipt when the change is in place.
func (w *Writer) completeReceipt(ctx context.Context, r *Receipt, before vault.Doc, res runner.Result) error {
	if before.Version == vault.Absent {
		if err := w.undoIfGuarded(ctx, before.Path, r.lost, res.Did); err != nil {
			return err
		}
	}
	r.Action = res.Action
	for _, f := range res.Findings {
		r.Warnings = append(r.Warnings, f.Text)
	}
	return nil
}

// checkAllowed checks a change against every rule. known is text the memory already has, which is not scanned for secrets
// again. The receipt lacks only the action.
func (g *gate) checkAllowed(ctx context.Context, before vault.Doc, after, known []byte) (Receipt, error) {
	r := Receipt{Path: before.Path, Outcome: Saved}
	pol := g.agent.Policy
	if err := g.files.MayChange(ctx, before.Path); err != nil {
		return r, err
	}
	if err := checkSize(before, after, pol); err != nil {
		return r, err
	}
	if before.Version == vault.Absent {
		r.Outcome = Created
		lost, err := g.lostGuarded(ctx)
		if err != nil {
			return r, err
		}
		if err := errors.Join(mayAppear(before.Path, lost), g.files.MayCreate(ctx, before.Path)); err != nil {
			return r, err
		}
		r.lost = lost
	}
	z, err := g.zoneOf(ctx, before)
	if err != nil {
		return r, err
	}
	if z != nil {
		if err := z.allows(before, after); err != nil {
			return r, err
		}
	}
	if r.Warnings, err = scanAdded(before.Path, known, after, pol); err != nil {
		return r, err
	}
	cut, more, err := g.checkFits(ctx, before, after)
	if err != nil {
		return r, err
	}
	r.Cut, r.Warnings = cut, append(r.Warnings, more...)
	r.countChange(before, after)
	return r, nil
}

// atVersion compares a file with the version its editor saw.
func atVersion(doc vault.Doc, want string) error {
	want = strings.TrimSpace(want)
	switch {
	case want == "":
		return nil
	case strings.EqualFold(want, None):
		if doc.Version == vault.Absent {
			return nil
		}
		e := toolerr.New(toolerr.Exists, "%s already exists, with version %s.", doc.Path, doc.Version.Short()).Try("Read it first.")
		e.Version = doc.Version
		return e
	case len(want) < 8:
		return toolerr.New(toolerr.BadInput, "%s is not a version.", toolerr.Quote(want)).
			Try("Use the one memory_read returned, or %q for a file that must not exist.", None)
	case doc.Version == vault.Absent:
		return toolerr.New(toolerr.Changed, "%s does not exist.", doc.Path).Try("memory_history shows what happened to it.")
	case !strings.HasPrefix(string(doc.Version), strings.ToLower(want)):
		e := toolerr.New(toolerr.Changed, "%s has version %s, not %s: it was changed since you read it. Nothing was changed.", doc.Path,
			doc.Version.Short(), toolerr.Quote(want)).
			Try("Read it again and redo the edit with if_version %s.", doc.Version.Short())
		e.Version = doc.Version
		return e
	}
	return nil
}
