package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A name is a link to another memory file. Reading and writing follow it, but deleting or renaming would affect the other
// file, which the caller did not name.
func TestLinkIsNotTheFile(t *testing.T) {
	dir := newWorkspace(t, "", map[string]string{"ws/MEMORY.md": "- kept\n", "ws/memory/sub/a.md": "- a\n"})
	for name, to := range map[string]string{"in.md": "../MEMORY.md", "sub/in.md": "../../MEMORY.md"} {
		if err := os.Symlink(to, filepath.Join(dir, "ws/memory", name)); err != nil {
			t.Fatal(err)
		}
	}
	c := connect(t, dir, nil)
	type m = map[string]any
	for tool, args := range map[string]m{
		"memory_delete": {"filename": "memory/in.md"},
		"memory_move":   {"from": "memory/in.md", "to": "memory/out.md"},
	} {
		text, failed := c.call(tool, args)
		if !failed || !strings.Contains(text, "memory/in.md is a link to MEMORY.md.") {
			t.Errorf("%s %v: %s", tool, args, text)
		}
	}
	if text, failed := c.call("memory_delete", m{"filename": "memory/sub"}); !failed ||
		!strings.Contains(text, "memory/sub/in.md is a link to MEMORY.md.") {
		t.Errorf("a folder with a link in it: %s", text)
	}
	if got := read(t, filepath.Join(dir, "ws/MEMORY.md")); got != "- kept\n" {
		t.Errorf("MEMORY.md is %q", got)
	}
	if got := read(t, filepath.Join(dir, "ws/memory/sub/a.md")); got != "- a\n" {
		t.Errorf("sub/a.md is %q", got)
	}
}

// An empty folder blocks a file of its name, so it can be deleted; one with files that tools cannot see stays.
func TestEmptyFolder(t *testing.T) {
	dir := newWorkspace(t, "", map[string]string{"ws/MEMORY.md": "- kept\n", "ws/memory/odd/.hidden": "x"})
	if err := os.MkdirAll(filepath.Join(dir, "ws/memory/plans.md/deeper"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := connect(t, dir, nil)
	type m = map[string]any
	if text, failed := c.call("memory_write", m{"filename": "memory/plans.md", "content": "- one\n"}); !failed ||
		!strings.Contains(text, "is a folder") {
		t.Errorf("written over a folder: %s", text)
	}
	if got := c.must("memory_delete", m{"filename": "memory/plans.md"}); got != "Deleted memory/plans.md, an empty folder." {
		t.Errorf("deleted: %s", got)
	}
	c.must("memory_write", m{"filename": "memory/plans.md", "content": "- one\n"})
	if text, failed := c.call("memory_delete", m{"filename": "memory/odd"}); !failed ||
		!strings.Contains(text, "memory/odd is a folder without memory files.") {
		t.Errorf("a folder of hidden files: %s", text)
	}
	if got := read(t, filepath.Join(dir, "ws/memory/odd/.hidden")); got != "x" {
		t.Errorf("the hidden file is %q", got)
	}
}

// An unknown argument is reported before a missing one, as it is probably a misspelling of it. A name is suggested only if it
// is similar to the given one, not because both end in .md.
func TestMistakesInNames(t *testing.T) {
	dir := newWorkspace(t, "", map[string]string{"ws/MEMORY.md": "- kept\n"})
	c := connect(t, dir, nil)
	type m = map[string]any
	for _, x := range []struct {
		args m
		want string
	}{
		{m{"file": "MEMORY.md"}, `memory_read has no argument "file"; it has filename, from, to.`},
		{m{"filename": "日本語.md"}, "日本語.md does not exist. memory_list shows all files."},
		{m{"filename": "MEMRY.md"}, "MEMRY.md does not exist. Did you mean MEMORY.md? memory_list shows all files."},
	} {
		if text, failed := c.call("memory_read", x.args); !failed || !strings.HasSuffix(text, x.want) {
			t.Errorf("%v: %s, want %s", x.args, text, x.want)
		}
	}
}
