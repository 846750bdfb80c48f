package fsys_test

import (
	"os"
	"path/filepath"
	"testing"

	"tend/internal/fsys"
)

func TestWritten(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.md")
	if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	tree, err := fsys.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	is := func(when string, want bool) {
		t.Helper()
		if got := fsys.Written(tree, "a.md"); got != want {
			t.Errorf("%s: got %v, want %v", when, got, want)
		}
	}
	is("nobody has it", false)
	w, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	is("a writer has it", true)
	if err := os.Rename(name, filepath.Join(dir, "b.md")); err != nil {
		t.Fatal(err)
	}
	if !fsys.Written(tree, "b.md") {
		t.Error("under its new name nobody seems to have it")
	}
	if err := os.Rename(filepath.Join(dir, "b.md"), name); err != nil {
		t.Fatal(err)
	}
	w.Close()
	is("closed again", false)
	r, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	is("a reader has it", false)
	if fsys.Written(tree, "absent") || fsys.Written(fsys.Missing, "a.md") {
		t.Error("what is not there is being written")
	}
}
