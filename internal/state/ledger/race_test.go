package ledger_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// late plays an agent that appends a line just before the given exchanges.
func (d *desk) late(lines ...string) {
	n := 0
	d.disk.OnOp(func(op memfs.Op) {
		if op.Kind != memfs.Exchange || n == len(lines) {
			return
		}
		d.must(d.disk.AppendFile("ws/a.md", lines[n]))
		n++
	})
}

// texts returns the texts of all archives of a kind.
func (d *desk) texts(kind string) []string {
	d.Helper()
	list, err := d.Archive.List()
	d.must(err)
	var out []string
	for _, x := range list {
		a, err := d.Archive.Open(x.Name)
		d.must(err)
		if a.Kind == kind {
			out = append(out, string(a.Text))
		}
	}
	return out
}

// TestRacedIsArchivedOnce: text appended while a file was replaced is archived at once, and
// the sweep, which reads the same inode again, does not report it as another late write.
func TestRacedIsArchivedOnce(t *testing.T) {
	d := newDesk(t)
	d.has("a.md", "old\n")
	c := d.change(plan.Write, "a.md", "new\n")
	c.Force = true
	d.late("late\n")
	d.apply(plan.Plan{Job: "reset", Changes: []plan.Change{c}})
	d.holds("a.md", "new\n")
	if got := d.texts("late"); len(got) != 1 || got[0] != "late\n" {
		t.Errorf("archived %q, want the line that came late", got)
	}
	d.now = d.now.Add(grace + time.Second)
	if found := d.sweep(); len(found) > 0 {
		t.Errorf("reported again: %v", found)
	}
	if got := d.texts("late"); len(got) != 1 {
		t.Errorf("archived again: %q", got)
	}
}

// TestStrayIsArchived: text that reached a file between a commit and its reversal is kept,
// although the action did not happen.
func TestStrayIsArchived(t *testing.T) {
	d := newDesk(t)
	d.has("a.md", "old\n")
	c := d.change(plan.Write, "a.md", "new\n")
	d.late("more\n", "stray\n")
	d.session(func(s *ledger.Session) {
		_, err := s.Apply(context.Background(), plan.Plan{Job: "write", Changes: []plan.Change{c}})
		if !errors.Is(err, vault.ErrChanged) {
			t.Errorf("got %v, want %v", err, vault.ErrChanged)
		}
	})
	d.holds("a.md", "old\nmore\n")
	if got := d.texts("late"); len(got) != 1 || got[0] != "stray\n" {
		t.Errorf("archived %q, want the stray line", got)
	}
	if acts := d.actions(); len(acts) != 1 || acts[0].Outcome != ledger.RolledBack {
		t.Errorf("actions %+v", acts)
	}
}

// TestUndoOfRaced: an action that displaced a newer text than planned is undone to that
// text; if somebody has restored it already, the undo succeeds.
func TestUndoOfRaced(t *testing.T) {
	for _, now := range []string{"new\n", "old\nlate\n"} {
		d := newDesk(t)
		d.has("a.md", "old\n")
		c := d.change(plan.Write, "a.md", "new\n")
		c.Force = true
		d.late("late\n")
		act := d.apply(plan.Plan{Job: "reset", Changes: []plan.Change{c}})
		d.has("a.md", now)
		if _, err := d.undo(act, false); err != nil {
			t.Errorf("undo where the file holds %q: %v", now, err)
		}
		d.holds("a.md", "old\nlate\n")
	}
}
