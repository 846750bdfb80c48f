//go:build linux

package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
)

// TestBesideOnAnotherDisk: if the state is on another file system, the file that a reset displaced stays beside the
// agent's file for the grace period. The next job after that removes it, even one that changes nothing.
func TestBesideOnAnotherDisk(t *testing.T) {
	ws, err := os.MkdirTemp("/dev/shm", "tend")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(ws) })
	y := newYard(t, "ada")
	y.write("tend.yaml", strings.Replace(y.read("tend.yaml"), "workspace: ./ada", "workspace: "+ws, 1))
	file := filepath.Join(ws, "MEMORY.md")
	must(t, os.WriteFile(file, []byte(operators+"- a note\n"), 0o644))
	run := func() (beside int) {
		a, err := y.open(fleet.Options{Write: true}).Agent(t.Context(), "ada")
		must(t, err)
		defer a.Close()
		_, err = Job(t.Context(), a, "reset", Options{Who: "test"})
		must(t, err)
		names, err := filepath.Glob(filepath.Join(ws, vault.TempPrefix+"*"))
		must(t, err)
		return len(names)
	}
	if n := run(); n != 1 {
		t.Fatalf("%d displaced files are beside the memory, want 1: is the state on the same file system?", n)
	}
	y.now = y.now.Add(20 * time.Hour)
	if n := run(); n != 1 {
		t.Fatalf("%d files after 20 hours: a writer may still have the old file open", n)
	}
	y.now = y.now.Add(16 * time.Hour)
	if n := run(); n != 0 {
		t.Errorf("%d files are left after the grace period", n)
	}
	if archived := filepath.Join("deep", "state"); !strings.Contains(tree(t, y.path(archived)), "- a note") {
		t.Error("the note is in no kept file")
	}
}

// tree returns the text of all files below a folder.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	must(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(name)
		all.Write(text)
		return err
	}))
	return all.String()
}
