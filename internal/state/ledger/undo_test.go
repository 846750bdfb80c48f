package ledger_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// undo undoes an action and returns the new one.
func (d *desk) undo(a ledger.Action, merge bool) (ledger.Action, error) {
	d.Helper()
	p, err := d.PlanUndo(context.Background(), a, merge)
	if err != nil {
		return ledger.Action{}, err
	}
	var act ledger.Action
	d.session(func(s *ledger.Session) { act, err = s.Apply(context.Background(), p) })
	return act, err
}

// last returns the newest action of the ledger.
func (d *desk) last() ledger.Action {
	d.Helper()
	return d.actions()[0]
}

func TestUndo(t *testing.T) {
	long := "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	for _, tt := range []struct {
		name  string
		start string // of a.md; "-" is missing
		do    func(d *desk)
		then  func(d *desk)
		merge bool
		want  string // "-" is missing
		moved string // what the error shows
	}{
		{name: "write", start: "old\n", do: func(d *desk) { d.edit(plan.Write, "a.md", "new\n") }, want: "old\n"},
		{name: "write without a final newline", start: "old", do: func(d *desk) { d.edit(plan.Write, "a.md", "new") }, want: "old"},
		{name: "write of crlf", start: "a\r\nb\r\n", do: func(d *desk) { d.edit(plan.Write, "a.md", "a\nb\n") }, want: "a\r\nb\r\n"},
		{name: "creation", start: "-", do: func(d *desk) { d.edit(plan.Write, "a.md", "new\n") }, want: "-"},
		{name: "removal", start: "old\n", do: func(d *desk) { d.edit(plan.Remove, "a.md", "") }, want: "old\n"},
		{name: "append", start: "old\n", do: func(d *desk) { d.edit(plan.Append, "a.md", "new\n") }, want: "old\n"},
		{name: "append that created the file", start: "-", do: func(d *desk) { d.edit(plan.Append, "a.md", "new\n") }, want: "-"},
		{name: "append, added to since", start: "old\n", do: func(d *desk) { d.edit(plan.Append, "a.md", "new\n") },
			then: func(d *desk) { d.must(d.disk.AppendFile("ws/a.md", "later\n")) }, want: "old\nlater\n"},
		{name: "append, gone since", start: "old\n", do: func(d *desk) { d.edit(plan.Append, "a.md", "new\n") },
			then: func(d *desk) { d.has("a.md", "other\n") }, want: "other\n", moved: "new\n"},
		{name: "already as it was", start: "old\n", do: func(d *desk) { d.edit(plan.Write, "a.md", "new\n") },
			then: func(d *desk) { d.has("a.md", "old\n") }, want: "old\n"},
		{name: "creation, gone already", start: "-", do: func(d *desk) { d.edit(plan.Write, "a.md", "new\n") },
			then: func(d *desk) { d.must(d.disk.Remove("ws/a.md")) }, want: "-"},
		{name: "moved on", start: "old\n", do: func(d *desk) { d.edit(plan.Write, "a.md", "new\n") },
			then: func(d *desk) { d.has("a.md", "new\nlater\n") }, want: "new\nlater\n", moved: "+later"},
		{name: "moved on elsewhere, merged", start: long, do: func(d *desk) {
			d.edit(plan.Write, "a.md", strings.Replace(long, "2\n", "two\n", 1))
		},
			then: func(d *desk) { d.has("a.md", strings.Replace(long, "2\n", "two\n", 1)+"10\n") }, merge: true, want: long + "10\n"},
		{name: "moved on at the same place, not merged", start: long,
			do:   func(d *desk) { d.edit(plan.Write, "a.md", strings.Replace(long, "2\n", "two\n", 1)) },
			then: func(d *desk) { d.has("a.md", strings.Replace(long, "2\n", "TWO\n", 1)) }, merge: true,
			want: strings.Replace(long, "2\n", "TWO\n", 1), moved: "+TWO"},
		{name: "creation, added to since", start: "-", do: func(d *desk) { d.edit(plan.Write, "a.md", "new\n") },
			then: func(d *desk) { d.must(d.disk.AppendFile("ws/a.md", "later\n")) }, want: "new\nlater\n", moved: "+later"},
		{name: "creation, added to since, merged", start: "-", do: func(d *desk) { d.edit(plan.Write, "a.md", "new\n") },
			then: func(d *desk) { d.must(d.disk.AppendFile("ws/a.md", "later\n")) }, merge: true, want: "later\n"},
		{name: "both added at the end, merged", start: "base\n- taken\n", do: func(d *desk) { d.edit(plan.Write, "a.md", "base\n") },
			then: func(d *desk) { d.has("a.md", "base\n- since\n") }, merge: true, want: "base\n- taken\n- since\n"},
		{name: "both added at the end, merged, without a final newline", start: "base\n- taken",
			do:   func(d *desk) { d.edit(plan.Write, "a.md", "base\n") },
			then: func(d *desk) { d.has("a.md", "base\n- since") }, merge: true, want: "base\n- taken\n- since"},
		{name: "both added the same, merged", start: "base\n- one\n", do: func(d *desk) { d.edit(plan.Write, "a.md", "base\n") },
			then: func(d *desk) { d.has("a.md", "base\n- one\n") }, merge: true, want: "base\n- one\n"},
		{name: "append that came second", start: "old\n", do: func(d *desk) { d.edit(plan.Append, "a.md", "new\n") },
			then: func(d *desk) { d.has("a.md", "old\nfaster\nnew\nlater\n") }, want: "old\nfaster\nlater\n"},
		{name: "append, text before it grew", start: "old\n", do: func(d *desk) { d.edit(plan.Append, "a.md", "new\n") },
			then: func(d *desk) { d.has("a.md", "new title\nold\nnew\n") }, want: "new title\nold\n"},
		{name: "append, text before it shrank", start: "long old\n", do: func(d *desk) { d.edit(plan.Append, "a.md", "new\n") },
			then: func(d *desk) { d.has("a.md", "o\nnew\n") }, want: "o\nnew\n", moved: "new"},
		{name: "append, text before it shrank, merged", start: "long old\n", do: func(d *desk) { d.edit(plan.Append, "a.md", "new\n") },
			then: func(d *desk) { d.has("a.md", "o\nnew\n") }, merge: true, want: "o\n"},
		{name: "append, said twice since", start: "old\n", do: func(d *desk) { d.edit(plan.Append, "a.md", "new\n") },
			then: func(d *desk) { d.has("a.md", "old\nx\nnew\nnew\n") }, merge: true, want: "old\nx\nnew\nnew\n", moved: "new"},
		{name: "removed since", start: "old\n", do: func(d *desk) { d.edit(plan.Write, "a.md", "new\n") },
			then: func(d *desk) { d.must(d.disk.Remove("ws/a.md")) }, want: "-", moved: "-new"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			if tt.start != "-" {
				d.has("a.md", tt.start)
			} else {
				d.must(d.disk.MkdirAll("ws"))
			}
			tt.do(d)
			act := d.last()
			if tt.then != nil {
				tt.then(d)
			}
			did, err := d.undo(act, tt.merge)
			var moved *ledger.MovedOnError
			switch {
			case tt.moved == "" && err != nil:
				t.Fatal(err)
			case tt.moved != "" && (!errors.As(err, &moved) || !strings.Contains(moved.Diff, tt.moved)):
				t.Errorf("undo: %v, want a refusal that shows %q", err, tt.moved)
			case tt.moved == "" && did.Undoes != act.ID:
				t.Errorf("the undo says it undoes %q", did.Undoes)
			}
			got, err := d.disk.ReadFile("ws/a.md")
			if err != nil {
				got = "-"
			}
			if got != tt.want {
				t.Errorf("a.md holds %q, want %q", got, tt.want)
			}
		})
	}
}

// An undo is an action and can be undone, too.
func TestUndoOfAnUndo(t *testing.T) {
	d := newDesk(t)
	d.has("a.md", "old\n")
	d.edit(plan.Write, "a.md", "new\n")
	_, err := d.undo(d.last(), false)
	d.must(err)
	d.holds("a.md", "old\n")
	_, err = d.undo(d.last(), false)
	d.must(err)
	d.holds("a.md", "new\n")
}

func TestUndoOfSeveralFiles(t *testing.T) {
	d := newDesk(t)
	d.has("a.md", "a\n")
	d.has("b.md", "b\n")
	d.apply(plan.Plan{Job: "job", Changes: []plan.Change{
		d.change(plan.Append, "log.md", "log\n"), d.change(plan.Write, "a.md", "A\n"), d.change(plan.Remove, "b.md", ""),
	}})
	did, err := d.undo(d.last(), false)
	d.must(err)
	d.holds("a.md", "a\n")
	d.holds("b.md", "b\n")
	if _, err := d.disk.ReadFile("ws/log.md"); err == nil {
		t.Error("log.md is still there")
	}
	if did.Files[0].Path != "b.md" || did.Files[2].Path != "log.md" {
		t.Errorf("undone in the order %v", did.Files)
	}
}

func TestUndoOfRolledBackAction(t *testing.T) {
	d := newDesk(t)
	d.has("a.md", "newer\n")
	c := plan.Change{Path: "a.md", Op: plan.Write, Before: vault.VersionOf([]byte("old\n")), Old: []byte("old\n"), New: []byte("new\n")}
	d.session(func(s *ledger.Session) {
		_, err := s.Apply(context.Background(), plan.Plan{Job: "write", Changes: []plan.Change{c}})
		if !errors.Is(err, vault.ErrChanged) {
			t.Errorf("apply: %v, want %v", err, vault.ErrChanged)
		}
	})
	if a := d.last(); a.Outcome != ledger.RolledBack {
		t.Errorf("outcome %s", a.Outcome)
	}
	p, err := d.PlanUndo(context.Background(), d.last(), false)
	if err != nil || !p.Empty() {
		t.Errorf("undo: %+v, %v", p, err)
	}
	d.holds("a.md", "newer\n")
}

// If the displaced text is no longer kept, the undo fails and changes nothing.
func TestUndoWithoutTheText(t *testing.T) {
	d := newDesk(t)
	d.has("a.md", "old\n")
	d.edit(plan.Write, "a.md", "new\n")
	for name := range d.disk.Files("state/trash") {
		d.must(d.disk.Remove(name))
	}
	if _, err := d.undo(d.last(), false); !errors.Is(err, ledger.ErrNoText) {
		t.Errorf("undo: %v, want %v", err, ledger.ErrNoText)
	}
	d.holds("a.md", "new\n")
}

// A writer that had the file open appends to the displaced file: the text that the action
// wrote is still known, and the undo restores both.
func TestUndoAfterALateWrite(t *testing.T) {
	d := newDesk(t)
	d.has("a.md", "1\n2\n3\n4\n5\n")
	d.edit(plan.Write, "a.md", "one\n2\n3\n4\n5\n")
	act := d.last()
	d.must(d.disk.AppendFile("state/trash/ada/"+act.Files[0].Trash, "late\n"))
	text, err := d.After(act, 0)
	d.must(err)
	if got, want := string(text), "one\n2\n3\n4\n5\n"; got != want {
		t.Errorf("after: got %q, want %q", got, want)
	}
	d.has("a.md", "one\n2\n3\nfour\n5\n")
	_, err = d.undo(act, true)
	d.must(err)
	d.holds("a.md", "1\n2\n3\nfour\n5\nlate\n")
}
