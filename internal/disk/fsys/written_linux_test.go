package fsys_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"tend/internal/disk/fsys"
)

func TestWritten(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.md")
	must(t, os.WriteFile(name, []byte("x"), 0o600))
	tree, err := fsys.Dir(dir)
	must(t, err)
	defer tree.Close()
	is := func(when, name string, want bool) {
		t.Helper()
		f, err := tree.Open(name)
		must(t, err)
		defer f.Close()
		if got := fsys.Written(f); got != want {
			t.Errorf("%s: got %v, want %v", when, got, want)
		}
		if text, err := io.ReadAll(f); string(text) != "x" || err != nil {
			t.Errorf("%s: it reads %q, %v after that", when, text, err)
		}
	}
	is("nobody has it", "a.md", false)
	w, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	is("a writer has it", "a.md", true)
	must(t, os.Rename(name, filepath.Join(dir, "b.md")))
	is("under its new name", "b.md", true)
	must(t, os.Rename(filepath.Join(dir, "b.md"), name))
	w.Close()
	is("closed again", "a.md", false)
	r, err := os.Open(name)
	must(t, err)
	defer r.Close()
	is("a reader has it", "a.md", false)
}
