package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAutomationOff is acceptance test 20: with automation off only an explicit call of a writing tool changes the workspace,
// whatever else runs and however much there is to do.
func TestAutomationOff(t *testing.T) {
	dir := newWorkspace(t, "    automation: off\n    baselines: {SOUL.md: ./soul.md}\n    policy: {hot.max_lines: 5, baseline.min_bytes: 1}\n",
		map[string]string{
			"soul.md":             "# Soul\n\nKind.\n\n---\n",
			"ws/SOUL.md":          "# Soul\n\nCruel.\n\n---\n- drifted\n",
			"ws/MEMORY.md":        "# Memory\n\n" + strings.Repeat("- an old and untagged entry\n", 80),
			"ws/SESSION-STATE.md": "# Session State\nlast_updated: 2026-01-01\n",
			"ws/memory/working-buffer.md": "# Working Buffer\ncreated: 2026-01-01T00:00:00Z\nlast_active: 2026-01-01T00:00:00Z\n\n" +
				strings.Repeat("- [lesson] forgotten work\n", 100),
			"ws/memory/observations.md":    strings.Repeat("- 2026-01-01 seen\n", 150),
			"ws/memory/2026-11-14.md":      "# 2026-11-14\n\n- [decision] tea, not coffee\n",
			"ws/memory/2026-11-15.md":      "# 2026-11-15\n\n- [lesson] the proxy caches for an hour\n",
			"ws/memory/2026-01-01.md":      "# 2026-01-01\n\n- [decision] something long ago\n",
			"ws/memory/semantic/facts.md":  "no tags here\n",
			"ws/memory/2026-11-15-note.md": "a slug\n",
		})
	before := tree(t, filepath.Join(dir, "ws"))
	for _, args := range []string{
		"status", "status ada --json", "check ada", "compare ada", "preview ada", "context ada", "context ada --hook claude-code",
		"search proxy", "search --past proxy", "grep coffee", "tags", "log ada", "past list ada", "rules ada", "policy ada",
		"baseline list", "baseline verify", "baseline diff ada", "baseline approve ada", "proposals ada", "doctor", "buffer show", "session show",
		"curate ada", "prune ada", "nightly ada", "rotate ada", "archive ada", "review ada", "replay ada",
		"curate ada --dry-run", "nightly ada --dry-run", "reset ada --dry-run", "fit ada --dry-run", "note x --dry-run",
	} {
		cmd := tend(dir, append([]string{"--clock", "2026-11-15T23:00:00Z"}, strings.Fields(args)...)...)
		cmd.Stdin = strings.NewReader(`{"hook_event_name":"SessionStart"}`)
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), "unknown command") {
			t.Errorf("tend %s: %s", args, out)
		}
		if diff := cmp.Diff(before, tree(t, filepath.Join(dir, "ws"))); diff != "" {
			t.Fatalf("tend %s changed the workspace (%v):\n%s\n%s", args, err, out, diff)
		}
	}

	c := connect(t, dir, nil)
	type m = map[string]any
	c.must("memory_list", nil)
	c.must("memory_read", m{"filename": "MEMORY.md"})
	c.must("memory_search", m{"query": "proxy", "past": true})
	c.must("memory_history", nil)
	c.must("memory_lost", nil)
	for p, err := range c.Prompts(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		_ = p
	}
	if diff := cmp.Diff(before, tree(t, filepath.Join(dir, "ws"))); diff != "" {
		t.Fatalf("reading tools changed the workspace:\n%s", diff)
	}

	c.must("memory_append", m{"filename": "MEMORY.md", "text": "- asked for"})
	after := tree(t, filepath.Join(dir, "ws"))
	if after["MEMORY.md"] != before["MEMORY.md"]+"- asked for\n" {
		t.Error("an explicit call did not write")
	}
	delete(before, "MEMORY.md")
	delete(after, "MEMORY.md")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("it changed more than it was asked to:\n%s", diff)
	}
}

// tree returns the texts of all files below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			out[rel] = read(t, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
