package workcopy

import (
	"testing"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/state/plan"
	"tend/internal/sync/store/storetest/memstore"
	"tend/test/light"
)

// TestCrashPoints: the power fails after every operation on the disk, and before and
// after every request to the store, of a sync that pulls, merges, finds a conflict and
// pushes. The next sync must end with the same files on both machines and nothing lost,
// and one more must change nothing.
func TestCrashPoints(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	b := clone(t, "desktop", s)
	a.act(plan.Append, "memory/2026-11-15.md", "- laptop\n")
	a.write("MEMORY.md", "# Memory\n\n- one\n- two of laptop\n- three\n- four of laptop\n")
	a.write("new.md", "new on laptop\n")
	a.sync()
	b.act(plan.Append, "memory/2026-11-15.md", "- desktop\n")
	b.write("MEMORY.md", "# Memory\n\n- one of desktop\n- two of desktop\n- three\n- four\n")
	b.disk.Flush()
	b.disk.Record()
	before, commit := s.Clone(), -1
	s.Break(func(when memstore.When, op, _ string) error {
		if op == "create" && when == memstore.After {
			commit = b.disk.Len()
		}
		return nil
	})
	b.sync()
	s.Break(nil)
	if commit < 0 {
		t.Fatal("the sync committed nothing")
	}
	states, seen := 0, 0
	for n, disk := range b.disk.EveryCrash(memfs.Limits{Exhaust: 16, Samples: 4}) {
		if seen++; seen%light.Cases(1, 20, 60) != 0 {
			continue
		}
		if n <= commit {
			states++
			after(t, n, disk, before.Clone(), a, b)
		}
		if n >= commit {
			states++
			after(t, n, disk, s.Clone(), a, b)
		}
		if t.Failed() {
			t.Fatalf("after %d operations; the commit came after %d", n, commit)
		}
	}
	t.Logf("%d crash states after %d operations", states, b.disk.Len())
	if states < light.Cases(1000, 50, 15) {
		t.Errorf("only %d crash states", states)
	}
}

// after runs the next processes after a crash.
func after(t *testing.T, n int, disk *memfs.Disk, s *memstore.Store, a, b *machine) {
	t.Helper()
	x := &machine{t: t, name: "desktop", disk: disk.CrashAt(0, memfs.LoseNothing), now: b.now, store: s}
	x.disk.SetTime(b.now)
	x.open()
	y := &machine{t: t, name: "laptop", disk: a.disk.KillAt(a.disk.Len()), now: b.now, store: s}
	y.open()
	x.sync()
	y.sync()
	x.sync()
	same(t, y, x)
	for _, line := range []string{"- laptop\n", "- desktop\n", "two of laptop", "two of desktop", "four of laptop",
		"one of desktop", "new on laptop"} {
		if !x.holds(line) || !y.holds(line) {
			t.Errorf("%q is lost after %d operations", line, n)
		}
	}
	if r := x.sync(); r.Pulled+r.Pushed != 0 {
		t.Errorf("not quiet after %d operations: %+v", n, r)
	}
}
