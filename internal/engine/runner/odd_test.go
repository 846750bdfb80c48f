package runner

import (
	"os"
	"slices"
	"strings"
	"testing"

	"tend/internal/disk/vault/vaulttest"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
)

// TestResetSetsAside: whatever an agent puts in the place of its memory file, a reset
// creates the file from its baseline and sets the thing aside unchanged.
func TestResetSetsAside(t *testing.T) {
	for name, plant := range map[string]func(at string) error{
		"a link out":           func(at string) error { return os.Symlink("../tend.yaml", at) },
		"a link to a folder":   func(at string) error { return os.Symlink("memory", at) },
		"a folder":             func(at string) error { return os.MkdirAll(at+"/inner", 0o755) },
		"a FIFO":               func(at string) error { return vaulttest.Mkfifo(at) },
		"a link to the ledger": func(at string) error { return os.Symlink("../deep/state/agents/ada/ledger", at) },
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t, "ada")
			at := y.path("ada/MEMORY.md")
			must(t, os.MkdirAll(y.path("ada/memory"), 0o755))
			must(t, os.Remove(at))
			must(t, plant(at))
			was, err := os.Lstat(at)
			must(t, err)
			config, err := os.ReadFile(y.path("tend.yaml"))
			must(t, err)
			f := y.open(fleet.Options{Write: true})
			r := Do(t.Context(), f, "ada", "reset", Options{Who: "test"})
			if r.Outcome != job.Created ||
				!slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Code == finding.SetAside.Code }) {
				t.Fatalf("got %s (%s %v) with %v", r.Outcome, r.Summary, r.Err, r.Findings)
			}
			if now, err := os.Lstat(at); err != nil || !now.Mode().IsRegular() {
				t.Errorf("the memory file is %v, %v", now.Mode(), err)
			}
			all, err := os.ReadDir(y.path("ada"))
			must(t, err)
			aside := slices.IndexFunc(all, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "MEMORY.md.aside-") })
			if aside < 0 {
				t.Fatalf("nothing is set aside among %v", all)
			}
			if got, err := all[aside].Info(); err != nil || !os.SameFile(was, got) {
				t.Errorf("set aside: %v, %v", got, err)
			}
			if now, err := os.ReadFile(y.path("tend.yaml")); err != nil || string(now) != string(config) {
				t.Errorf("the link was followed: %q, %v", now, err)
			}
			if again := Do(t.Context(), f, "ada", "reset", Options{Who: "test"}); again.Outcome != job.Unchanged {
				t.Errorf("the next reset: %s (%v)", again.Outcome, again.Err)
			}
		})
	}
}
