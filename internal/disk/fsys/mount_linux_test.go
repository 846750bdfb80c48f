package fsys_test

import (
	"errors"
	"testing"

	"tend/internal/disk/fsys"
)

// TestAlone: a tree of one mount ends where another begins. /proc is a mount everywhere.
func TestAlone(t *testing.T) {
	tree, err := fsys.OpenNoMounts("/")
	must(t, err)
	defer tree.Close()
	for call, do := range map[string]func() error{
		"open":   func() error { _, err := tree.Open("proc/version"); return err },
		"lstat":  func() error { _, err := tree.Lstat("proc/version"); return err },
		"list":   func() error { _, err := tree.ReadDir("proc"); return err },
		"create": func() error { _, err := tree.Create("proc/tend-test", 0o600); return err },
		"append": func() error { _, _, err := tree.Append("proc/version", 0o600); return err },
		"mkdir":  func() error { return tree.Mkdir("proc/tend-test", 0o700) },
		"remove": func() error { return tree.Remove("proc/tend-test") },
		"rename": func() error { return tree.Rename("proc/version", "proc/tend-test") },
		"sync":   func() error { return tree.SyncDir("proc") },
		"sub":    func() error { _, err := tree.Sub("proc"); return err },
		"deep":   func() error { _, err := tree.Open("proc/self/status"); return err },
	} {
		if err := do(); !errors.Is(err, fsys.ErrMount) {
			t.Errorf("%s: %v", call, err)
		}
	}
	if _, err := tree.Open("../x"); err == nil || errors.Is(err, fsys.ErrMount) {
		t.Errorf("the way out: %v", err)
	}
	if _, err := tree.ReadDir("etc"); err != nil {
		t.Errorf("the tree itself: %v", err)
	}
}
