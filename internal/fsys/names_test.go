package fsys_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tend/internal/fsys"
	"tend/internal/fsys/memfs"
)

// TestNames: the names of a folder are those that ReadDir gives, in its order, on every tree.
func TestNames(t *testing.T) {
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
		names, err := fsys.Names(tree, "d")
		if err != nil {
			t.Fatal(err)
		}
		infos, err := tree.ReadDir("d")
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, i := range infos {
			want = append(want, i.Name)
		}
		if !slices.Equal(names, want) || len(names) != 4 {
			t.Errorf("%s: %q, want %q", what, names, want)
		}
		if _, err := fsys.Names(tree, "missing"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a missing folder: %v", what, err)
		}
	}
}
