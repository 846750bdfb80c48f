package watch

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/test/require"
)

var must = require.NoError

func names(c Changes) []string { return slices.Sorted(maps.Keys(c.Names)) }

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

// TestEveryFinishedWriteIsKnown checks right after each write: a late event would mean an answer from an old file.
func TestEveryFinishedWriteIsKnown(t *testing.T) {
	dir := t.TempDir()
	w, err := New(dir)
	must(t, err)
	defer w.Close()
	for i := range 2000 {
		name := fmt.Sprintf("n%d.md", i%7)
		write(t, dir, name, fmt.Sprint(i))
		c, err := w.Changed()
		if err != nil || !c.Names[name] || len(c.Names) != 1 {
			t.Fatalf("write %d of %s: %v, %v", i, name, c, err)
		}
	}
	if c, err := w.Changed(); err != nil || c.Any() {
		t.Errorf("nothing happened, and got %v, %v", c, err)
	}
}

func TestRenameRemoveAndFolders(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	write(t, dir, "a.md", "x")
	w, err := New(dir)
	must(t, err)
	defer w.Close()
	must(t, w.Add("sub"))
	check := func(what string, all bool, want ...string) {
		t.Helper()
		c, err := w.Changed()
		if err != nil || c.All != all || (!all && cmp.Diff(names(c), want) != "") {
			t.Errorf("%s: %+v, %v; want %v, %v", what, c, err, all, want)
		}
	}
	os.Rename(filepath.Join(dir, "a.md"), filepath.Join(dir, "sub", "b.md"))
	check("rename", false, "a.md", "sub/b.md")
	os.Remove(filepath.Join(dir, "sub", "b.md"))
	check("remove", false, "sub/b.md")
	os.Mkdir(filepath.Join(dir, "new"), 0o755)
	check("new folder", true)
	write(t, filepath.Join(dir, "new"), "unseen.md", "x")
	check("in a folder that was not added", false)
	os.RemoveAll(filepath.Join(dir, "sub"))
	check("folder gone", true)
	if err := w.Add("never/was"); err != nil {
		t.Errorf("a folder that is gone: %v", err)
	}
}

func TestWaitWakesAndKeeps(t *testing.T) {
	dir := t.TempDir()
	w, err := New(dir)
	must(t, err)
	woken := make(chan error)
	go func() { woken <- w.Wait() }()
	write(t, dir, "a.md", "x")
	must(t, <-woken)
	if c, err := w.Changed(); err != nil || !c.Names["a.md"] {
		t.Errorf("waiting took the change: %v, %v", c, err)
	}
	go func() { woken <- w.Wait() }()
	must(t, w.Close())
	if err := <-woken; err == nil {
		t.Error("a closed watch waits without an error")
	}
}

func TestOverflowIsNotSilent(t *testing.T) {
	limit, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	must(t, err)
	var most int
	fmt.Sscan(string(limit), &most)
	dir := t.TempDir()
	w, err := New(dir)
	must(t, err)
	defer w.Close()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, dir, "a", "x")
	for range most/2 + 10 { // each rename is two events
		must(t, os.Rename(a, b))
		a, b = b, a
	}
	if c, err := w.Changed(); err != nil || !c.All {
		t.Errorf("after more events than are kept: %+v, %v", c.All, err)
	}
}
