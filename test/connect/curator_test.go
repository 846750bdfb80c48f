//go:build harness

package connect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// chosen is a good answer to the sample request of `tend curator test`.
const chosen = `{"operations":[{"op":"replace","line":4,"from":"e1","quote":"The API listens on port 8081 now"},` +
	`{"op":"keep","from":"e2","quote":"Maria wants invoices as PDF","under":"Rules"},{"op":"skip","from":"e3"}]}`

// TestHarnessCurators: each harness's real program, with a scripted model behind it, is a curator by one line of configuration.
func TestHarnessCurators(t *testing.T) {
	for _, tt := range []struct {
		name  string
		start func(*harnessWorld) string // the program, as a shell runs it
		setup func(*harnessWorld, *model)
	}{
		{"claude", func(w *harnessWorld) string {
			return filepath.Join(w.packages, "@anthropic-ai", "claude-code-linux-x64", "claude")
		}, func(w *harnessWorld, m *model) {
			w.env = append(w.env, "ANTHROPIC_BASE_URL="+m.url, "ANTHROPIC_API_KEY=sk-ant-none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
		}},
		{"codex", func(w *harnessWorld) string {
			return w.node + " " + filepath.Join(w.packages, "@openai", "codex", "bin", "codex.js")
		}, func(w *harnessWorld, m *model) {
			w.writeSettings(filepath.Join(w.home, ".codex", "config.toml"), fmt.Sprintf("model = \"gpt-5\"\nmodel_provider = \"local\"\n\n"+
				"[model_providers.local]\nname = \"local\"\nbase_url = \"%s/v1\"\nwire_api = \"responses\"\n", m.url))
		}},
		{"gemini", func(w *harnessWorld) string { return w.node + " " + filepath.Join(w.packages, ".bin", "gemini") },
			func(w *harnessWorld, m *model) {
				w.writeSettings(filepath.Join(w.home, ".gemini", "settings.json"), `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`)
				w.env = append(w.env, "GOOGLE_GEMINI_BASE_URL="+m.url, "GEMINI_API_KEY=none")
			}},
		{"openclaw", func(w *harnessWorld) string {
			return w.node + " " + filepath.Join(w.packages, "openclaw", "openclaw.mjs")
		},
			func(w *harnessWorld, m *model) {
				w.writeSettings(filepath.Join(w.home, ".openclaw", "openclaw.json"), fmt.Sprintf(`{
  "models": {"providers": {"local": {"baseUrl": "%s/v1", "apiKey": "none", "api": "openai-completions",
    "models": [{"id": "m", "name": "m", "contextWindow": 200000, "maxTokens": 8000}]}}},
  "agents": {"defaults": {"model": {"primary": "local/m"}}}
}`, m.url))
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, m := newHarnessWorld(t), newModel(t)
			m.say = "Here is my answer:\n" + chosen
			bin := filepath.Join(w.home, "bin")
			must(t, os.MkdirAll(bin, 0o755))
			must(t, os.WriteFile(filepath.Join(bin, tt.name), []byte("#!/bin/sh\nexec "+tt.start(w)+` "$@"`+"\n"), 0o755))
			w.env = append(w.env, "PATH="+bin+":"+filepath.Dir(w.node)+":/usr/local/bin:/usr/bin:/bin")
			tt.setup(w, m)
			text, err := os.ReadFile(w.config)
			must(t, err)
			must(t, os.WriteFile(w.config, append(text, "curator: "+tt.name+"\n"...), 0o644))
			w.must(w.tend, "--config", w.config, "curator", "test", "claw")
			m.heard("the request", "Maria wants invoices as PDF", "You curate the long-term memory")
			if out := w.must(w.tend, "--config", w.config, "curator", "test", "claw", "--json"); !accepted(out) {
				t.Errorf("not all operations were accepted:\n%s", out)
			}
		})
	}
}

// accepted reports whether all three operations passed their check.
func accepted(out string) bool { return strings.Contains(out, `"accepted": 3`) }
