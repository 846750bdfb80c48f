package ledger_test

import (
	"errors"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

func TestBeforeAndAfter(t *testing.T) {
	d := newDesk(t)
	base := []byte("baseline\n---\n")
	d.must(d.disk.MkdirAll("state/baselines/ada"))
	d.must(d.disk.WriteFile("state/"+ledger.BaselineText("ada", vault.VersionOf(base)), string(base)))
	d.has("a.md", "old \xff\r\n")
	d.has("gone.md", "gone\n")

	from := d.change(plan.Write, "made.md", string(base))
	from.From = ledger.FromBaseline(vault.VersionOf(base))
	a := d.apply(plan.Plan{Job: "job", Changes: []plan.Change{
		d.change(plan.Write, "a.md", "new \xff\xfe"), from, d.change(plan.Append, "log.md", "line\n"), d.change(plan.Remove, "gone.md", ""),
		d.change(plan.Write, "empty.md", ""),
	}})
	for i, want := range []struct{ before, after string }{
		{"old \xff\r\n", "new \xff\xfe"}, {"", string(base)}, {"", "line\n"}, {"gone\n", ""}, {"", ""},
	} {
		before, err := d.Before(d.last(), i)
		if err != nil || string(before) != want.before {
			t.Errorf("before, file %d: %q, %v, want %q", i, before, err, want.before)
		}
		after, err := d.After(d.last(), i)
		if err != nil || string(after) != want.after {
			t.Errorf("after, file %d: %q, %v, want %q", i, after, err, want.after)
		}
	}
	// An append keeps nothing of the file: its old text is known as long as the file, or one
	// that a later action displaced, begins with it.
	d.edit(plan.Append, "log.md", "more\n")
	added := d.last()
	texts := func(when string) {
		t.Helper()
		before, err := d.Before(added, 0)
		if err != nil || string(before) != "line\n" {
			t.Errorf("before an append, %s: %q, %v", when, before, err)
		}
		after, err := d.After(added, 0)
		if err != nil || string(after) != "line\nmore\n" {
			t.Errorf("after an append, %s: %q, %v", when, after, err)
		}
	}
	texts("still there")
	d.must(d.disk.AppendFile("ws/log.md", "and more\n"))
	texts("added to")
	d.edit(plan.Write, "log.md", "other\n")
	texts("rewritten by an action")
	for name := range d.disk.Files("state/trash/ada") {
		d.must(d.disk.Remove(name))
	}
	if _, err := d.After(added, 0); !errors.Is(err, ledger.ErrNoText) {
		t.Errorf("after an append to what nobody has: %v, want %v", err, ledger.ErrNoText)
	}
	if a.Files[3].Trash == "" {
		t.Errorf("the action does not say where the removed text is: %+v", a.Files[3])
	}
}
