package fsys_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/memfs"
)

// TestKinds: names and types in a folder are those that ReadDir gives, in its order, on every tree.
func TestKinds(t *testing.T) {
	dir := t.TempDir()
	disk := memfs.New()
	if err := disk.MkdirAll("d/sub"); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "d", "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b.md", "a.md", ".tmp"} {
		if err := errors.Join(disk.WriteFile("d/"+name, "x"), os.WriteFile(filepath.Join(dir, "d", name), []byte("x"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(disk.Symlink("a.md", "d/link"), os.Symlink("a.md", filepath.Join(dir, "d", "link"))); err != nil {
		t.Fatal(err)
	}
	real, err := fsys.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer real.Close()
	mem, err := disk.Tree(".")
	if err != nil {
		t.Fatal(err)
	}
	for what, tree := range map[string]fsys.FS{"a folder": real, "memory": mem} {
		kinds, err := fsys.Kinds(tree, "d")
		if err != nil {
			t.Fatal(err)
		}
		infos, err := tree.ReadDir("d")
		if err != nil {
			t.Fatal(err)
		}
		same := func(a, b fsys.Info) bool { return a.Name == b.Name && a.Mode.Type() == b.Mode.Type() }
		if !slices.EqualFunc(kinds, infos, same) || len(kinds) != 5 {
			t.Errorf("%s: %v, want %v", what, kinds, infos)
		}
		if _, err := fsys.Kinds(tree, "missing"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a missing folder: %v", what, err)
		}
	}
}
