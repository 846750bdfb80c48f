package fsys_test

import (
	"io"
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
	is := func(when, name string, want bool) {
		t.Helper()
		f, err := tree.Open(name)
		if err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
	is("a writer has it", "a.md", true)
	if err := os.Rename(name, filepath.Join(dir, "b.md")); err != nil {
		t.Fatal(err)
	}
	is("under its new name", "b.md", true)
	if err := os.Rename(filepath.Join(dir, "b.md"), name); err != nil {
		t.Fatal(err)
	}
	w.Close()
	is("closed again", "a.md", false)
	r, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	is("a reader has it", "a.md", false)
}
