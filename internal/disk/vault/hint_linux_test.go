package vault

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tend/internal/disk/fsys"
)

// TestRefresh: a hint is written in place, a shorter one leaves nothing of the longer one, and a partial write is no hint.
func TestRefresh(t *testing.T) {
	dir := t.TempDir()
	tree, err := fsys.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	file := filepath.Join(dir, "hints")
	refresh := func(text string, want bool) {
		t.Helper()
		if done, err := Refresh(tree, "hints", []byte(text)); err != nil || done != want {
			t.Fatalf("refresh: %v, %v, want %v", done, err, want)
		}
	}
	read := func(want string) {
		t.Helper()
		if got, err := ReadHint(tree, "hints"); err != nil || string(got) != want {
			t.Fatalf("read %q, %v, want %q", got, err, want)
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	read("")
	refresh("one", false) // there is none yet
	write("of an earlier version\n")
	read("of an earlier version\n")
	was, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	refresh("a long text with the words that somebody wants to be gone", true)
	read("a long text with the words that somebody wants to be gone")
	refresh("short", true)
	read("short")
	now, err := os.Stat(file)
	if err != nil || !os.SameFile(was, now) {
		t.Fatalf("it is another file now, %v", err)
	}
	text, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(text), "gone") {
		t.Fatalf("the file has %q, %v", text, err)
	}
	refresh("", true)
	read("")

	refresh("a text of which a part is written", true)
	text, err = os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := range text {
		write(string(text[:n]))
		if got, err := ReadHint(tree, "hints"); err != nil || n > len(hintMark) && len(got) > 0 && !strings.HasPrefix(string(got), "a text of which a part is written") {
			t.Fatalf("the first %d bytes are read as %q, %v", n, got, err)
		}
	}
	write(strings.Replace(string(text), "part", "bit!", 1))
	read("")

	if err := os.Link(file, filepath.Join(dir, "other")); err != nil {
		t.Fatal(err)
	}
	refresh("for one name only", false)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("other", file); err != nil {
		t.Fatal(err)
	}
	refresh("not through a link", false)
}
