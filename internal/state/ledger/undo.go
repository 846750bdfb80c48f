package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

// MovedOnError: a file has changed since the action to be undone.
type MovedOnError struct {
	Action string
	Path   vault.Path
	Diff   string // from the action's text to the current one
	Merge  bool   // a merge was tried: both changed the same lines
}

func (e *MovedOnError) Error() string {
	if e.Merge {
		return fmt.Sprintf("%s has changed since action %s in the same lines", e.Path, e.Action)
	}
	return fmt.Sprintf("%s has changed since action %s", e.Path, e.Action)
}

// PlanUndo returns the plan that undoes an action, file by file. A file that has changed
// since is a MovedOnError, unless merge is set: then later changes are kept and only the
// action's own are reverted, if the two do not overlap.
func (l *Ledger) PlanUndo(ctx context.Context, a Action, merge bool) (plan.Plan, error) {
	p := plan.Plan{Job: "undo", Reason: "undo of " + a.Job + " " + a.ID, Undoes: a.ID}
	if err := purged(a); err != nil {
		return p, err
	}
	if a.Outcome == RolledBack {
		p.Summary = "action " + a.ID + " had changed nothing"
		return p, nil
	}
	var said []string
	// In reverse order: what the action removed comes back before what it added is
	// removed.
	for i := len(a.Files) - 1; i >= 0; i-- {
		f := a.Files[i]
		if f.Skipped {
			continue
		}
		doc, err := l.read(ctx, f.Path)
		if err != nil && !errors.Is(err, vault.ErrAbsent) {
			return p, err
		}
		c, late, err := l.undoFile(a, i, doc, merge)
		if err != nil {
			return p, err
		}
		if late.Code != "" {
			p.Findings = append(p.Findings, late)
			said = append(said, string(f.Path)+" "+late.Text)
		}
		if c.Op == plan.Remove && doc.Version == vault.Absent || c.Op == plan.Write && bytes.Equal(c.New, c.Old) && doc.Version != vault.Absent {
			continue
		}
		p.Changes = append(p.Changes, c)
	}
	p.Summary = fmt.Sprintf("undid %s %s: %s restored", a.Job, a.ID, describeChanged(p))
	if len(said) > 0 {
		p.Summary += " (" + strings.Join(said, "; ") + ")"
	}
	return p, nil
}

// describeChanged names the files of a plan, or counts them if they are many.
func describeChanged(p plan.Plan) string {
	switch n := len(p.Changes); {
	case n == 0:
		return "nothing had to be"
	case n > 3:
		return fmt.Sprintf("%d files", n)
	}
	names := make([]string, len(p.Changes))
	for i, c := range p.Changes {
		names[i] = string(c.Path)
	}
	return strings.Join(names, ", ")
}

// undoFile returns the change that undoes an action on one file. late reports how the
// restored text differs from the one the action displaced.
func (l *Ledger) undoFile(a Action, i int, doc vault.Doc, merge bool) (c plan.Change, late finding.Finding, err error) {
	f := a.Files[i]
	c = plan.Change{Path: f.Path, Op: plan.Write, Before: doc.Version, Old: doc.Data, Why: "undo of " + a.ID}
	if f.Op == plan.Append {
		// Remove exactly the added text, even if more has been appended since.
		at := f.Edit.find(doc.Data, merge)
		if at < 0 {
			return c, late, &MovedOnError{Action: a.ID, Path: f.Path, Diff: string(f.Edit.Text), Merge: merge}
		}
		c.New = append(bytes.Clone(doc.Data[:at]), doc.Data[at+len(f.Edit.Text):]...)
		if len(c.New) == 0 && f.Before == vault.Absent {
			c.Op = plan.Remove
		}
		return c, late, nil
	}
	before, now, err := l.before(a, i, restoreMost)
	if err != nil {
		return c, late, err
	}
	if now != nil {
		// A writer that had the file open meant its text for the memory, so that comes back, too.
		name := string(f.Path)
		late = finding.LateWrite.In(name, "written to after action %s had replaced it: what comes back is %s and was %s", a.ID,
			vault.VersionOf(now).Short(), f.displaced().Short()).
			WithDiff(udiff.Unified(name+" as "+a.ID+" found it", name+" as it comes back", string(before), string(now)))
		before = now
	}
	c.New, c.Like = before, f.Attr
	if len(before) > largeText && f.Trash != "" {
		c.From = fromTrash + f.Trash
	}
	if f.Before == vault.Absent && f.Was == "" {
		c.Op = plan.Remove
	}
	if doc.Version == f.After || doc.Version == f.displaced() { // unchanged since the action, or restored already
		return c, late, nil
	}
	after, err := l.After(a, i)
	if err != nil {
		return c, late, err
	}
	if merge {
		if merged, conflicts := note.Merge(after, doc.Data, before, false); conflicts == 0 {
			c.New, c.From = merged, ""
			if c.Op == plan.Remove && len(merged) > 0 {
				c.Op = plan.Write
			}
			return c, late, nil
		}
	}
	return c, late, &MovedOnError{
		Action: a.ID, Path: f.Path, Merge: merge,
		Diff: udiff.Unified(string(f.Path)+" after "+a.ID, string(f.Path)+" now", string(after), string(doc.Data)),
	}
}
