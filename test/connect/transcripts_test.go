//go:build harness

package connect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHarnessTranscripts: what the real programs wrote of a session that worked in an agent's workspace becomes a section of the
// day's log, with what was said and nothing else; a second import has nothing to add.
func TestHarnessTranscripts(t *testing.T) {
	for name, run := range map[string]func(*harnessWorld, *model) func(string){
		"claude-code": claudeSession, "codex": codexSession, "gemini": geminiSession, "openclaw": openclawSession,
	} {
		t.Run(name, func(t *testing.T) {
			w, m := newHarnessWorld(t), newModel(t)
			must(t, os.WriteFile(filepath.Join(w.workspace, "SESSION-STATE.md"), []byte("# Session\n"), 0o644))
			w.project = w.workspace
			say := run(w, m)
			const rule = "Always answer in one sentence."
			const key = "sk-ant-api03-" + "Zq7Lw2Xc9Vb4Nm1Kj6Hg3Fd8Sa5Po0Iu" + "Yt7Re4Wq2As9Df6Gh3Jk1Lz8Xc5Vb0Nm" + "AA"
			say(question)
			say(rule + " The key is " + key)
			var out struct {
				Sessions, Imported, Sections, Masked int
				Proposals                            []struct{ Text string }
			}
			load := func() {
				text := w.must(w.tend, "--config", w.config, "import", "--transcripts", "--agent", "claw", "--json")
				must(t, json.Unmarshal([]byte(text), &out))
			}
			load()
			log := w.today()
			t.Log(log)
			w.says(log, "user: "+question, "agent: "+answer, "user: "+rule, "~~~session\nsource: ")
			said := 0
			for line := range strings.Lines(log) {
				if strings.Contains(line, " user: ") || strings.Contains(line, " agent: ") {
					said++
				}
			}
			masked := out.Masked > 0 || name == "openclaw" // which masks secrets itself
			if said != 4 || out.Imported == 0 || !masked || strings.Contains(log, key) {
				t.Errorf("%d statements, %+v", said, out)
			}
			load()
			if out.Imported != 0 || w.today() != log {
				t.Errorf("a second import: %+v\n%s", out, w.today())
			}
		})
	}
}

func claudeSession(w *harnessWorld, m *model) func(string) {
	w.env = []string{"ANTHROPIC_BASE_URL=" + m.url, "ANTHROPIC_API_KEY=sk-ant-none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
	claude, again := filepath.Join(w.packages, "@anthropic-ai", "claude-code-linux-x64", "claude"), []string{}
	return func(text string) {
		w.must(claude, append([]string{"-p", text}, again...)...)
		again = []string{"--continue"}
	}
}

func codexSession(w *harnessWorld, m *model) func(string) {
	w.writeSettings(filepath.Join(w.home, ".codex", "config.toml"), `model = "gpt-5"
model_provider = "local"

[model_providers.local]
name = "local"
base_url = "`+m.url+`/v1"
wire_api = "responses"
`)
	run := []string{filepath.Join(w.packages, "@openai", "codex", "bin", "codex.js"), "exec", "--skip-git-repo-check"}
	return func(text string) {
		w.must(w.node, append(run, text)...)
		run = append(run[:3:3], "resume", "--last")
	}
}

func geminiSession(w *harnessWorld, m *model) func(string) {
	w.writeSettings(filepath.Join(w.home, ".gemini", "settings.json"), `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`)
	w.env = []string{"GOOGLE_GEMINI_BASE_URL=" + m.url, "GEMINI_API_KEY=none"}
	run := []string{filepath.Join(w.packages, ".bin", "gemini"), "-m", "gemini-2.5-pro", "--yolo"}
	return func(text string) {
		w.must(w.node, append(run, "-p", text)...)
		run = append(run[:4:4], "--resume", "latest")
	}
}

func openclawSession(w *harnessWorld, m *model) func(string) {
	openclaw := filepath.Join(w.packages, "openclaw", "openclaw.mjs")
	w.writeSettings(filepath.Join(w.home, ".openclaw", "openclaw.json"), `{
  gateway: { mode: "local", bind: "loopback", port: `+freePort(w.t)+`, auth: { mode: "token", token: "none" } },
  models: { providers: { local: { baseUrl: "`+m.url+
		`/v1", apiKey: "none", api: "openai-completions", models: [{ id: "m", name: "m", contextWindow: 100000, maxTokens: 1000 }] } } },
  agents: { defaults: { workspace: "`+w.workspace+`", model: { primary: "local/m" } } },
}
`)
	w.start("[gateway] ready", w.node, openclaw, "gateway", "run")
	return func(text string) { w.must(w.node, openclaw, "agent", "--agent", "main", "-m", text) }
}
