//go:build harness

package connect

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestHarnessClaudeCodeMemory: of the MEMORY.md beside a project's CLAUDE.md, Claude Code loads what the rules import, or what its
// settings name as its memory. Preview says the same.
func TestHarnessClaudeCodeMemory(t *testing.T) {
	w, m := newHarnessWorld(t), newModel(t)
	w.env = []string{"ANTHROPIC_BASE_URL=" + m.url, "ANTHROPIC_API_KEY=sk-ant-none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
	w.workspace = w.project
	w.writeSettings(w.config, "version: 1\nstate_dir: ./state\ndefaults: {timezone: UTC}\n"+
		"agents:\n  claw: {workspace: ./project, layout: claude-code@2.1}\n")
	const rules, ownFact, otherFact = "Use tabs in every file.", "the lathe hums at forty hertz", "the kiln is fired on Thursdays"
	w.writeSettings(filepath.Join(w.project, "MEMORY.md"), "# Memory\n\n- "+ownFact+"\n")
	slug := strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(w.project)
	w.writeSettings(filepath.Join(w.home, ".claude", "projects", slug, "memory", "MEMORY.md"), "# Memory\n\n- "+otherFact+"\n")
	for _, tt := range []struct {
		name, rules, settings string
		own, other            bool
	}{
		{"beside the rules", rules, "{}", false, true},
		{"imported", rules + "\n\n@MEMORY.md", "{}", true, true},
		{"the memory of the settings", rules, `{"autoMemoryDirectory": "` + w.project + `"}`, true, false},
	} {
		w.writeSettings(filepath.Join(w.project, "CLAUDE.md"), tt.rules+"\n")
		w.writeSettings(filepath.Join(w.home, ".claude", "settings.json"), tt.settings)
		m.forget()
		w.must(filepath.Join(w.packages, "@anthropic-ai", "claude-code-linux-x64", "claude"), "-p", question)
		got := m.asks(question)
		if !strings.Contains(got, rules) || strings.Contains(got, ownFact) != tt.own || strings.Contains(got, otherFact) != tt.other {
			t.Errorf("%s: rules %t, own memory %t, the other %t", tt.name, strings.Contains(got, rules), strings.Contains(got, ownFact),
				strings.Contains(got, otherFact))
		}
		var view struct {
			Files []struct {
				Name  string `json:"name"`
				Shown bool   `json:"shown"`
			} `json:"files"`
		}
		out := w.must(w.tend, "--config", w.config, "--json", "preview", "claw")
		if err := json.Unmarshal([]byte(out), &view); err != nil {
			t.Fatal(err)
		}
		for _, f := range view.Files {
			if f.Name == "MEMORY.md" && f.Shown != tt.own {
				t.Errorf("%s: preview says shown %t", tt.name, f.Shown)
			}
		}
	}
}
