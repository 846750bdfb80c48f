package workcopy

import (
	"strings"
	"testing"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/state/plan"
	"tend/internal/sync/store/storetest/memstore"
	"tend/test/light"
)

// TestAgentWrites: the agent writes to a file before each operation of a sync that changes
// that file. Whenever that is, the line must be there once on both machines, and so must
// everything that was there before.
func TestAgentWrites(t *testing.T) {
	const late = "- written during the sync\n"
	log := "memory/2026-11-15.md"
	for _, way := range []string{"append", "rename"} {
		raced := 0
		for n := 1; ; n += light.Or(1, 9) {
			s := memstore.New()
			a := pushed(t, s)
			b := clone(t, "desktop", s)
			a.act(plan.Append, log, "- laptop\n")
			a.sync()
			b.add(log, "- desktop\n")
			count, wrote := 0, false
			b.disk.OnOp(func(memfs.Op) {
				if count++; count != n {
					return
				}
				wrote = true
				if way == "append" {
					must(t, b.disk.AppendFile("ws/"+log, late))
				} else {
					must(t, b.disk.RenameOver("ws/"+log, b.get(log)+late))
				}
			})
			b.sync()
			b.disk.OnOp(nil)
			if !wrote {
				break
			}
			raced++
			b.sync()
			a.sync()
			same(t, a, b)
			for _, line := range []string{late, "- laptop\n", "- desktop\n", "- by tend\n"} {
				if got := strings.Count(b.get(log), line); got != 1 {
					t.Errorf("%s before operation %d: %q is there %d times in %q", way, n, line, got, b.get(log))
				}
			}
			if t.Failed() {
				t.FailNow()
			}
		}
		t.Logf("%s: %d operations", way, raced)
		if raced < light.Or(100, 10) {
			t.Errorf("only %d operations", raced)
		}
	}
}
