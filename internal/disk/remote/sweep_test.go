package remote_test

import (
	"strings"
	"testing"

	"tend/internal/disk/remote/sshdtest"
	"tend/internal/disk/vault"
)

// TestLeftoversAreSwept: what a reset displaced on a host stays beside the agent's file for the grace period. The next job
// after that removes it, even if it changes nothing.
func TestLeftoversAreSwept(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	w := approved(t, s)
	beside := func() (list []string) {
		for name := range files(t, w.ws("far")) {
			if strings.Contains(name, vault.TempPrefix) {
				list = append(list, name)
			}
		}
		return list
	}
	w.ok("reset", "far")
	w.ok("reset", "far", "--clock", "2026-11-16 08:00")
	if len(beside()) == 0 {
		t.Fatal("within the grace period a writer may still have the old file open, and nothing is left of it")
	}
	w.ok("reset", "far", "--clock", "2026-11-17 00:00")
	if left := beside(); len(left) > 0 {
		t.Errorf("still there after the grace period: %q", left)
	}
	if code, out := w.tend("search", "--past", "a note of far", "--agent", "far"); code != 0 || !strings.Contains(out, "a note of far") {
		t.Errorf("the note is gone: %d %s", code, out)
	}
}
