package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A running server continues in a workspace that was removed and recreated, once the operator has confirmed it.
func TestReopen(t *testing.T) {
	for _, how := range []string{"removed", "moved away"} {
		t.Run(how, func(t *testing.T) {
			dir := newWorkspace(t, "", map[string]string{"ws/MEMORY.md": "- the first one\n"})
			ws := filepath.Join(dir, "ws")
			c := connect(t, dir, nil)
			c.must("memory_append", map[string]any{"filename": "MEMORY.md", "text": "- more"})
			away := os.RemoveAll
			if how != "removed" {
				away = func(ws string) error { return os.Rename(ws, ws+".old") }
			}
			if err := away(ws); err != nil {
				t.Fatal(err)
			}
			if text, failed := c.call("memory_read", map[string]any{"filename": "MEMORY.md"}); how == "removed" &&
				(!failed || !strings.Contains(text, "moved or deleted")) {
				t.Errorf("read without a workspace: %s", text)
			}
			write(t, filepath.Join(ws, "MEMORY.md"), "- the second one\n")
			if text, _ := c.call("memory_read", map[string]any{"filename": "MEMORY.md"}); strings.Contains(text, "second") {
				t.Errorf("an unconfirmed folder was read: %s", text)
			}
			if out, err := tend(dir, "move", "ada").CombinedOutput(); err != nil {
				t.Fatalf("tend move: %v\n%s", err, out)
			}
			if got := c.must("memory_read", map[string]any{"filename": "MEMORY.md"}); !strings.Contains(got, "the second one") {
				t.Errorf("after the workspace was recreated: %s", got)
			}
			c.must("memory_append", map[string]any{"filename": "MEMORY.md", "text": "- written"})
			if got := read(t, filepath.Join(ws, "MEMORY.md")); got != "- the second one\n- written\n" {
				t.Errorf("the file is %q", got)
			}
			if got := c.must("memory_search", map[string]any{"query": "second"}); !strings.Contains(got, "the second one") {
				t.Errorf("search: %s", got)
			}
		})
	}
}
