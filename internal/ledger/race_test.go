package ledger_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"tend/internal/ledger"
	"tend/internal/plan"
	"tend/internal/vault"
)

// interrupted is a vault in which something happens right before, or instead of, a commit.
type interrupted struct {
	*vault.Local
	commit func(s vault.Staged) (vault.Displaced, error)
}

func (v interrupted) Stage(ctx context.Context, c vault.Change) (vault.Staged, error) {
	s, err := v.Local.Stage(ctx, c)
	return interruptedStage{s, v.commit}, err
}

type interruptedStage struct {
	vault.Staged
	commit func(s vault.Staged) (vault.Displaced, error)
}

func (s interruptedStage) Commit(context.Context) (vault.Displaced, error) { return s.commit(s.Staged) }

// interrupt lets commits of the desk's ledger go through commit.
func (d *desk) interrupt(commit func(s vault.Staged) (vault.Displaced, error)) {
	d.Helper()
	state, err := d.disk.Tree("state")
	d.must(err)
	d.Ledger = ledger.New("ada", ledger.Options{
		State: state, Vault: interrupted{d.vault, commit}, Durable: vault.EachAlone{}, Clock: func() time.Time { return d.now },
	})
}

// texts are those of all archives of a kind.
func (d *desk) texts(kind string) []string {
	d.Helper()
	list, err := d.Archives()
	d.must(err)
	var out []string
	for _, x := range list {
		a, err := d.OpenArchive(x.Name)
		d.must(err)
		if a.Kind == kind {
			out = append(out, string(a.Text))
		}
	}
	return out
}

// TestRacedIsArchivedOnce: what was added while a file was replaced is archived at once, and
// the sweep, which looks at the same inode again, does not take it for another late write.
func TestRacedIsArchivedOnce(t *testing.T) {
	d := newDesk(t)
	d.has("a.md", "old\n")
	d.interrupt(func(s vault.Staged) (vault.Displaced, error) {
		open, err := d.disk.OpenAppend("ws/a.md")
		d.must(err)
		_, err = io.WriteString(open, "late\n")
		d.must(err)
		return s.Commit(context.Background())
	})
	c := d.change(plan.Write, "a.md", "new\n")
	c.Force = true
	d.apply(plan.Plan{Job: "reset", Changes: []plan.Change{c}})
	d.holds("a.md", "new\n")
	if got := d.texts("late"); len(got) != 1 || got[0] != "late\n" {
		t.Errorf("archived %q, want the line that came late", got)
	}
	d.now = d.now.Add(grace + time.Second)
	if found := d.sweep(); len(found) > 0 {
		t.Errorf("told again: %v", found)
	}
	if got := d.texts("late"); len(got) != 1 {
		t.Errorf("archived again: %q", got)
	}
}

// TestStrayIsArchived: text that reached a file between a commit and its taking back is kept,
// though the action did not happen.
func TestStrayIsArchived(t *testing.T) {
	d := newDesk(t)
	d.has("a.md", "old\n")
	d.interrupt(func(vault.Staged) (vault.Displaced, error) {
		return vault.Displaced{Stray: []byte("new\nstray\n")}, vault.ErrChanged
	})
	d.session(func(s *ledger.Session) {
		_, err := s.Apply(context.Background(), plan.Plan{Job: "write", Changes: []plan.Change{d.change(plan.Write, "a.md", "new\n")}})
		if !errors.Is(err, vault.ErrChanged) {
			t.Errorf("got %v, want %v", err, vault.ErrChanged)
		}
	})
	d.holds("a.md", "old\n")
	if got := d.texts("late"); len(got) != 1 || got[0] != "stray\n" {
		t.Errorf("archived %q, want the stray line", got)
	}
	if acts := d.actions(); len(acts) != 1 || acts[0].Outcome != ledger.TakenBack {
		t.Errorf("actions %+v", acts)
	}
}

// TestUndoOfRaced: an action that met a newer text than it was made for is taken back to
// that text; where somebody has put that back already there is nothing to complain of.
func TestUndoOfRaced(t *testing.T) {
	for _, now := range []string{"new\n", "old\nlate\n"} {
		d := newDesk(t)
		d.has("a.md", "old\n")
		d.interrupt(func(s vault.Staged) (vault.Displaced, error) {
			open, err := d.disk.OpenAppend("ws/a.md")
			d.must(err)
			_, err = io.WriteString(open, "late\n")
			d.must(err)
			return s.Commit(context.Background())
		})
		c := d.change(plan.Write, "a.md", "new\n")
		c.Force = true
		act := d.apply(plan.Plan{Job: "reset", Changes: []plan.Change{c}})
		d.interrupt(func(s vault.Staged) (vault.Displaced, error) { return s.Commit(context.Background()) })
		d.has("a.md", now)
		if _, err := d.undo(act, false); err != nil {
			t.Errorf("undo where the file holds %q: %v", now, err)
		}
		d.holds("a.md", "old\nlate\n")
	}
}
