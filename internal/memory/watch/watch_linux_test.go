package watch

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func names(c Changes) []string { return slices.Sorted(maps.Keys(c.Names)) }

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestEveryFinishedWriteIsKnown asks right after each write: an answer that
// comes a moment late would be an answer from an old file.
func TestEveryFinishedWriteIsKnown(t *testing.T) {
	dir := t.TempDir()
	w, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "a.md", "x")
	w, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Add("sub"); err != nil {
		t.Fatal(err)
	}
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
	check("in a folder nobody added", false)
	os.RemoveAll(filepath.Join(dir, "sub"))
	check("folder gone", true)
	if err := w.Add("never/was"); err != nil {
		t.Errorf("a folder that is gone: %v", err)
	}
}

func TestWaitWakesAndKeeps(t *testing.T) {
	dir := t.TempDir()
	w, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	woken := make(chan error)
	go func() { woken <- w.Wait() }()
	write(t, dir, "a.md", "x")
	if err := <-woken; err != nil {
		t.Fatal(err)
	}
	if c, err := w.Changed(); err != nil || !c.Names["a.md"] {
		t.Errorf("waiting took the change: %v, %v", c, err)
	}
	go func() { woken <- w.Wait() }()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-woken; err == nil {
		t.Error("a closed watch waits without an error")
	}
}

func TestOverflowIsNotSilent(t *testing.T) {
	limit, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Fatal(err)
	}
	var most int
	fmt.Sscan(string(limit), &most)
	dir := t.TempDir()
	w, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, dir, "a", "x")
	for range most/2 + 10 { // each rename is two events
		if err := os.Rename(a, b); err != nil {
			t.Fatal(err)
		}
		a, b = b, a
	}
	if c, err := w.Changed(); err != nil || !c.All {
		t.Errorf("after more events than are kept: %+v, %v", c.All, err)
	}
}
