package config

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFlat shows which layout an agent gets from where its memory file is, and that no file widens what its tools reach.
func TestFlat(t *testing.T) {
	for _, c := range []struct {
		name, layout string
		files        []string
		want, reach  string
	}{
		{"harness, memory in its folder", "harness", []string{"memory/CONTEXT.md"}, "harness@0.1", "memory"},
		{"harness, memory at the top", "harness", []string{"MEMORY.md"}, "harness-memory@0.1", "memory"},
		{"harness, memory at the top and its folder in use", "harness", []string{"MEMORY.md", "memory/2026-11-15.md"},
			"harness-memory@0.1", "memory"},
		{"harness, both", "harness", []string{"MEMORY.md", "memory/CONTEXT.md"}, "harness@0.1", "memory"},
		{"harness, nothing yet", "harness", nil, "harness@0.1", "memory"},
		{"Hermes's home", "hermes", []string{"memories/MEMORY.md"}, "hermes@2026.8", "memories"},
		{"Hermes's memories folder as the workspace", "hermes", []string{"MEMORY.md"}, "hermes-memories@2026.8", ""},
		{"a file at the top of Hermes's home", "hermes", []string{"MEMORY.md", "memories/USER.md"}, "hermes@2026.8", "memories"},
		{"a layout that has its memory at the top", "openclaw", []string{"MEMORY.md"}, "openclaw@2026.9", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := t.TempDir()
			for _, f := range c.files {
				must(t, os.MkdirAll(filepath.Dir(filepath.Join(w, f)), 0o755))
				must(t, os.WriteFile(filepath.Join(w, f), []byte("- a line\n"), 0o644))
			}
			cfg, err := Parse("/srv/tend.yaml", []byte("version: 1\nagents:\n  a:\n    workspace: "+w+"\n    layout: "+c.layout+"\n"), testEnv())
			must(t, err)
			if a := cfg.Agents[0]; a.Layout.Ref() != c.want || a.Layout.Reach != c.reach {
				t.Errorf("layout %s with reach %q, want %s with reach %q", a.Layout.Ref(), a.Layout.Reach, c.want, c.reach)
			}
		})
	}
}
