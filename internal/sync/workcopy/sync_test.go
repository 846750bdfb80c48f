package workcopy

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/state/plan"
	"tend/internal/sync/store"
	"tend/internal/sync/store/storetest/memstore"
)

// pushed is a machine whose agent has a history and is in the store.
func pushed(t testing.TB, s store.Store) *machine {
	t.Helper()
	a := newMachine(t, "laptop", s)
	must(t, a.disk.WriteFile("operator/soul.md", "# Soul\n\nBe kind.\n"))
	must(t, a.disk.MkdirAll("state/baselines/ada"))
	must(t, a.disk.WriteFile("state/baselines/ada/approvals.json", "[]\n"))
	a.write("MEMORY.md", "# Memory\n\n- one\n- two\n- three\n")
	a.write("memory/2026-11-15.md", "# Log\n")
	a.write("TOOLS.md", "only here\n")
	a.act(plan.Append, "memory/2026-11-15.md", "- by tend\n")
	a.act(plan.Write, "MEMORY.md", "# Memory\n\n- one\n- two\n- three\n- four\n")
	a.act(plan.Write, "old.md", "to be removed\n")
	a.act(plan.Remove, "old.md", "")
	until(t, func() error { _, err := a.Push(t.Context()); return err })
	return a
}

func clone(t testing.TB, name string, s store.Store) *machine {
	t.Helper()
	b := newMachine(t, name, s)
	b.pass(time.Hour)
	until(t, func() error { _, err := b.Join(t.Context()); return err })
	return b
}

// TestRebuild: a copy built from nothing is identical and can continue.
func TestRebuild(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	b := clone(t, "desktop", s)
	same(t, a, b)
	if b.get("TOOLS.md") != "" {
		t.Error("a file that is local to one machine went to another")
	}
	if r := b.sync(); r.Pushed != 0 || r.Pulled != 0 {
		t.Errorf("a fresh clone reports something: %+v", r)
	}
	// The clone can undo what the other machine did.
	var id string
	for act, err := range b.Ledger.Actions() {
		must(t, err)
		if !act.Pulled() && len(act.Files) > 0 && act.Files[0].Path == "MEMORY.md" {
			id = act.ID
			break
		}
	}
	b.undo(id)
	b.sync()
	if r := a.sync(); r.Pulled != 1 || strings.Contains(a.get("MEMORY.md"), "four") {
		t.Errorf("after the undo: %+v %q", r, a.get("MEMORY.md"))
	}
	same(t, a, b)
	if _, err := a.Push(t.Context()); err != nil {
		t.Errorf("pushing once more: %v", err)
	}
	if _, err := newMachine(t, "third", s).Push(t.Context()); !errors.Is(err, ErrThere) {
		t.Errorf("pushing another agent of that name: %v, want ErrThere", err)
	}
	if _, err := newMachine(t, "third", s).Sync(t.Context()); !errors.Is(err, ErrNotStored) {
		t.Errorf("syncing an agent that is in no store: %v, want ErrNotStored", err)
	}
}

// TestMerge: both machines write, one of them offline, and both end up with everything.
func TestMerge(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	b := clone(t, "desktop", s)
	a.act(plan.Write, "MEMORY.md", "# Memory\n\n- 1 by laptop\n- two\n- three\n- four\n")
	a.add("memory/2026-11-15.md", "- laptop\n")
	a.write("new-a.md", "a\n")
	b.write("MEMORY.md", "# Memory\n\n- one\n- two\n- three\n- 4 by desktop\n")
	b.act(plan.Append, "memory/2026-11-15.md", "- desktop\n")
	b.write("new-b.md", "b\n")
	must(t, b.disk.WriteFile("operator/soul.md", "# Soul\n\nBe kind and brief.\n"))
	a.sync()
	r := b.sync()
	if strings.Join(r.Merged, " ") != "MEMORY.md memory/2026-11-15.md" || len(r.Conflicts) != 0 {
		t.Errorf("merged %v with conflicts %v", r.Merged, r.Conflicts)
	}
	a.sync()
	same(t, a, b)
	if got, want := a.get("MEMORY.md"), "# Memory\n\n- 1 by laptop\n- two\n- three\n- 4 by desktop\n"; got != want {
		t.Errorf("MEMORY.md is %q, want %q", got, want)
	}
	if got, want := a.get("memory/2026-11-15.md"), "# Log\n- by tend\n- laptop\n- desktop\n"; got != want {
		t.Errorf("the log is %q, want %q", got, want)
	}
	for _, m := range []*machine{a, b} {
		if r := m.sync(); r.Pulled+r.Pushed != 0 {
			t.Errorf("%s is not quiet: %+v", m.name, r)
		}
	}
}

// TestConflict: if both changed a line, the local text stays, the other is archived and
// found, and both machines end up the same.
func TestConflict(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	b := clone(t, "desktop", s)
	a.write("MEMORY.md", "# Memory\n\n- one\n- two of laptop\n- three\n- four\n")
	b.write("MEMORY.md", "# Memory\n\n- one\n- two of desktop\n- three\n- four\n")
	a.sync()
	r := b.sync()
	if len(r.Conflicts) != 1 || len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Diff, "two of laptop") {
		t.Errorf("conflicts %v, findings %+v", r.Conflicts, r.Findings)
	}
	if !strings.Contains(b.get("MEMORY.md"), "two of desktop") {
		t.Errorf("the local text did not stay: %q", b.get("MEMORY.md"))
	}
	a.sync()
	same(t, a, b)
	for _, m := range []*machine{a, b} {
		for _, line := range []string{"two of laptop", "two of desktop"} {
			if !m.holds(line) {
				t.Errorf("%q is lost on %s", line, m.name)
			}
		}
	}
}

// TestRemoved: a removal reaches the other machine, unless the file was changed there.
func TestRemoved(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	a.write("kept.md", "x\n")
	a.write("gone.md", "y\n")
	a.sync()
	b := clone(t, "desktop", s)
	must(t, a.disk.Remove("ws/kept.md"))
	must(t, a.disk.Remove("ws/gone.md"))
	b.add("kept.md", "more\n")
	a.sync()
	b.sync()
	a.sync()
	same(t, a, b)
	if a.get("kept.md") != "x\nmore\n" || a.get("gone.md") != "" {
		t.Errorf("kept %q, gone %q", a.get("kept.md"), a.get("gone.md"))
	}
	if !b.holds("y\n") {
		t.Error("the text of the removed file is lost")
	}
}

// TestEmptyWorkspace: a folder that is suddenly empty must not count as a deletion.
func TestEmptyWorkspace(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	for name := range a.disk.Files("ws") {
		must(t, a.disk.Remove(name))
	}
	if _, err := a.Sync(t.Context()); !errors.Is(err, ErrEmpty) || !errors.Is(err, vault.ErrRefused) {
		t.Errorf("%v, want ErrEmpty", err)
	}
}

// TestLostPosition: a copy that lost its position compares everything.
func TestLostPosition(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	b := clone(t, "desktop", s)
	a.add("memory/2026-11-15.md", "- later\n")
	a.sync()
	for name := range b.disk.Files("state/agents/ada/store") {
		must(t, b.disk.Remove(name))
	}
	b.add("memory/2026-11-15.md", "- here\n")
	_, err := b.Join(t.Context())
	must(t, err)
	a.sync()
	same(t, a, b)
	for _, line := range []string{"- later\n", "- here\n", "- by tend\n"} {
		if n := strings.Count(a.get("memory/2026-11-15.md"), line); n != 1 {
			t.Errorf("%q occurs %d times in %q", line, n, a.get("memory/2026-11-15.md"))
		}
	}
}

// TestLostBase: a sync works without the saved base texts.
func TestLostBase(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	b := clone(t, "desktop", s)
	a.write("MEMORY.md", "# Memory\n\n- 1\n- two\n- three\n- four\n")
	a.sync()
	for name := range b.disk.Files("state/agents/ada/store/base") {
		must(t, b.disk.Remove(name))
	}
	b.write("MEMORY.md", "# Memory\n\n- one\n- two\n- three\n- 4\n")
	b.sync()
	if got, want := b.get("MEMORY.md"), "# Memory\n\n- 1\n- two\n- three\n- 4\n"; got != want {
		t.Errorf("merged to %q, want %q", got, want)
	}
}

// TestCost: an action costs one PUT, and at most one GET besides checking for others'.
func TestCost(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	s.Counts()
	a.act(plan.Append, "memory/2026-11-15.md", "- x\n")
	a.sync()
	if c := s.Counts(); c["create"] != 1 || c["get"] != 2 || c["list"]+c["put"] != 0 {
		t.Errorf("a sync with one action took %v, want 1 create and 2 gets", c)
	}
	a.sync()
	if c := s.Counts(); c["create"] != 0 || c["get"] != 2 {
		t.Errorf("a sync with nothing to do took %v, want 2 gets", c)
	}
	var size int
	s.Tamper(func(o map[string][]byte) { size = len(o["agents/ada/journal/000000000002"]) })
	if size > 1500 {
		t.Errorf("the entry of a line has %d bytes", size)
	}
}

// TestOwnEntry: after a crash between a commit and its record, a copy recognises its own
// entry: what it wrote since is a change to that, not a conflict.
func TestOwnEntry(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	a.write("MEMORY.md", "# Memory\n\n- one\n- second\n- three\n- four\n")
	s.Break(func(when memstore.When, op, _ string) error {
		if op == "create" && when == memstore.After || op == "get" && when == memstore.Before && s.Has("agents/ada/journal/000000000002") {
			return store.ErrUnclear
		}
		return nil
	})
	if _, err := a.Sync(t.Context()); !errors.Is(err, store.ErrUnclear) {
		t.Fatalf("%v, want ErrUnclear", err)
	}
	s.Break(nil)
	a.open()
	a.write("MEMORY.md", "# Memory\n\n- one\n- the second\n- three\n- four\n")
	if r := a.sync(); len(r.Conflicts)+len(r.Merged)+r.Pulled != 0 || r.Entry != 3 {
		t.Errorf("it does not recognise its own entry: %+v", r)
	}
}

// TestMergeOnce: a merge that was interrupted after writing a file is not repeated on the
// result, which could double lines.
func TestMergeOnce(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	b := clone(t, "desktop", s)
	log := "memory/2026-11-15.md"
	// A line is added here at the place of one that is removed there.
	a.write(log, "# Log\n- laptop\n- by tend\n")
	a.sync()
	b.write(log, "- by tend\n")
	saved, _, err := b.Load()
	must(t, err)
	b.sync()
	want := b.get(log)
	// As if the power had failed before the position was saved.
	saved.Merging = &merging{Files: map[string]vault.Version{"workspace/" + log: vault.VersionOf([]byte(want))}}
	_, saved.Merging.To, err = b.journal.Next(t.Context(), saved.Position)
	must(t, err)
	s.Tamper(func(o map[string][]byte) { delete(o, "agents/ada/journal/000000000003") })
	must(t, b.save(saved))
	b.sync()
	if got := b.get(log); got != want {
		t.Errorf("merged once %q, twice %q", want, got)
	}
}
