package runner

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tend/internal/state/plan"
)

// TestRecordedNightsThroughOllama gives what readers answered in the recorded nights to a server that speaks Ollama's API. The
// night goes the way of any other: request, check, ledger. No line leaves the workspace, and undoing it restores the page.
func TestRecordedNightsThroughOllama(t *testing.T) {
	files, err := filepath.Glob("../job/testdata/nights/*.txtar")
	must(t, err)
	named := regexp.MustCompile(`["']request["']: ?["'][^"']*["']`)
	key := regexp.MustCompile(`{"request":"[^"]*"`)
	played := 0
	for _, file := range files {
		for _, answer := range []string{"answer", "answer small"} {
			h := newHome(t, "openclaw@2026.8", "UTC", map[string]any{"automation": "curate", "curator": "ollama/qwen3:8b"})
			recorded := ""
			archive, err := txtar.ParseFile(file)
			must(t, err)
			for _, f := range archive.Files {
				switch text := string(f.Data); {
				case f.Name == "today":
					h.at(strings.TrimSpace(text) + " 23:00")
				case f.Name == answer:
					recorded = text
				case strings.HasSuffix(f.Name, ".md"):
					h.write(f.Name, text)
				}
			}
			if recorded == "" {
				continue
			}
			played++
			before := h.read("MEMORY.md")
			// The request is another one here, as nothing is known of who wrote the page.
			ollamaServer(t, func(prompt string) string {
				return named.ReplaceAllString(recorded, key.FindString(prompt)[1:])
			})
			r := h.run("curate")
			if r.Outcome != plan.Changed || len(r.Did.Judges) != 1 {
				t.Errorf("%s: %s: %s, %d judges", file, answer, r.Outcome, len(r.Did.Judges))
				continue
			}
			var all strings.Builder
			for _, text := range h.files() {
				all.WriteString(text)
			}
			for line := range strings.Lines(before) {
				if !strings.Contains(all.String(), strings.TrimSpace(line)) {
					t.Errorf("%s: %s: lost %s", file, answer, line)
				}
			}
			a := h.agent()
			act, err := a.Ledger.Find(r.Action)
			must(t, err)
			_, err = Undo(t.Context(), a, act, false, Options{Who: "test"})
			must(t, err)
			if h.read("MEMORY.md") != before {
				t.Errorf("%s: %s: undone, the page is\n%s", file, answer, h.read("MEMORY.md"))
			}
		}
	}
	if played < 36 {
		t.Errorf("only %d answers were played", played)
	}
}
