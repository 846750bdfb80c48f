//go:build harness

package connect

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestHarnessCuts: where Claude Code and Codex cut what they load, preview has the very text of their request.
func TestHarnessCuts(t *testing.T) {
	lines := func(n int, more string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "- fact %d %s\n", i, more)
		}
		return b.String()
	}
	tests := []struct{ name, text string }{
		{"whole", lines(150, "is short")},
		{"many lines", lines(260, "is short")},
		{"many characters", lines(190, strings.Repeat("wide ", 40))},
		{"many bytes", lines(190, strings.Repeat("größer ", 14))},
		{"comments and front matter", "---\nname: x\n---\n\n# Notes\n\n<!-- not for the model -->\n" + lines(20, "is short")},
	}
	for _, h := range programs() {
		if h.name != "claude-code" && h.name != "codex" {
			continue
		}
		t.Run(h.name, func(t *testing.T) {
			w, m := newHarnessWorld(t), newModel(t)
			_, run := h.prepare(w, m)
			file, layout, times := "AGENTS.md", "codex@2026.8", 3
			w.workspace = w.project
			if h.own {
				project := strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(w.project)
				w.workspace = filepath.Join(w.home, ".claude", "projects", project, "memory")
				file, layout, times = "MEMORY.md", "claude-code@2.1", 1
			}
			w.writeSettings(w.config, "version: 1\nstate_dir: ./state\ndefaults: {timezone: UTC}\n"+
				"agents:\n  claw: {workspace: "+w.workspace+", layout: "+layout+"}\n")
			for _, tt := range tests {
				text := strings.Repeat(tt.text, times)
				w.writeSettings(filepath.Join(w.workspace, file), text)
				m.forget()
				w.must(run[0], append(run[1:], question)...)
				got := m.asks(question)
				out, _ := w.run("--json", "preview", "claw", "--print", file)
				var view struct {
					Text string `json:"text"`
					Lost int    `json:"lost"`
				}
				if err := json.Unmarshal([]byte(out), &view); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				want, err := json.Marshal(strings.TrimSpace(view.Text))
				must(t, err)
				shown := strings.ReplaceAll(strings.ReplaceAll(strings.Trim(string(want), `"`), `\u003c`, "<"), `\u003e`, ">")
				if !strings.Contains(got, shown) {
					at := strings.Index(got, "- fact 0")
					t.Errorf("%s: preview's text is not in the request; it has %.3000s", tt.name, got[max(0, at-200):])
				}
				t.Logf("%s: %d bytes, %d lost by preview", tt.name, len(text), view.Lost)
			}
		})
	}
}
