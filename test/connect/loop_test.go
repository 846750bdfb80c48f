//go:build harness

package connect

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The real programs run a session with a model on loopback: the request to the model must have the output of the
// session-start hook and the memory's tools, a tool call must reach the memory, and a compaction must leave a checkpoint
// there.

const (
	question = "Which port was it that we moved to?"
	// remembered is in no file that a harness itself reads.
	remembered = "the service moved on a Tuesday"
)

// writeSettings writes a file of the harness's own settings before Tend is connected to it.
func (w *harnessWorld) writeSettings(name, text string) {
	w.t.Helper()
	must(w.t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(w.t, os.WriteFile(name, []byte(text), 0o644))
}

// leftOut matches the notice at the end of a session's context.
var leftOut = regexp.MustCompile(`Left out for the budget.{0,200}SESSION-STATE.md (\d+)/(\d+)`)

// shows fails unless the model was shown everything the hook printed, including the notice at its end. A harness that
// accepts less cuts out the middle.
func (w *harnessWorld) shows(m *model) {
	w.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, body := range m.asked {
		notice := leftOut.FindStringSubmatch(body)
		if !strings.Contains(body, question) || notice == nil {
			continue
		}
		left, _ := strconv.Atoi(notice[1])
		all, _ := strconv.Atoi(notice[2])
		shown := strings.Count(body, "one of many facts")
		w.t.Logf("%d of %d facts are shown", shown, all)
		if shown != all-left || shown < 50 {
			w.t.Errorf("the hook prints %d facts, the model is shown %d", all-left, shown)
		}
		return
	}
	w.t.Error("no request has the end of what the hook gave")
}

// today returns the agent's log of the day.
func (w *harnessWorld) today() string {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.workspace, "memory", "20*.md"))
	if err != nil || len(files) == 0 {
		w.t.Errorf("the log of the day is missing: %v", err)
		return ""
	}
	text := ""
	for _, f := range files {
		data, err := os.ReadFile(f)
		must(w.t, err)
		text += string(data)
	}
	return text
}

func TestHarnessLoopClaudeCode(t *testing.T) {
	w, m := newHarnessWorld(t), newModel(t)
	claude := filepath.Join(w.packages, "@anthropic-ai", "claude-code-linux-x64", "claude")
	w.connect("claude-code", "--scope", "user")
	w.env = []string{"ANTHROPIC_BASE_URL=" + m.url, "ANTHROPIC_API_KEY=sk-ant-none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
	m.callTool()
	w.must(claude, "-p", question, "--allowedTools", "mcp__claw-memory__memory_note")
	m.heard("context and tools", question, remembered, "mcp__claw-memory__memory_note", "Write first, answer then")
	w.shows(m)
	w.says(w.today(), "[decision] the port is 8443")
	m.forget()
	w.must(claude, "-p", "--continue", "/compact")
	w.says(w.today(), "- user: "+question, "- agent: "+answer)
	m.forget()
	w.must(claude, "-p", "--continue", "And the host?")
	m.heard("context after the compaction", "And the host?", remembered)
	w.connect("claude-code", "--scope", "user", "--undo")
}

func TestHarnessLoopCodex(t *testing.T) {
	w, m := newHarnessWorld(t), newModel(t)
	codex := filepath.Join(w.packages, "@openai", "codex", "bin", "codex.js")
	w.writeSettings(filepath.Join(w.home, ".codex", "config.toml"), `model = "gpt-5"
model_provider = "local"
model_auto_compact_token_limit = 5000 # soon

[model_providers.local]
name = "local"
base_url = "`+m.url+`/v1"
wire_api = "responses"
`)
	w.connect("codex")
	run := []string{codex, "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"}
	m.callTool()
	w.must(w.node, append(run, question)...)
	m.heard("context and tools", question, remembered, "mcp__claw_memory", "memory_note", "Write first, answer then")
	w.shows(m)
	w.says(w.today(), "[decision] the port is 8443")
	m.forget()
	m.fill(9000)
	w.must(w.node, append(run, "resume", "--last", "And the host?")...)
	m.forget()
	w.must(w.node, append(run, "resume", "--last", "And the name?")...)
	w.says(w.today(), "- user: "+question, "- agent: "+answer, "- user: And the host?")
	m.heard("context after the compaction", "And the name?", remembered)
	w.connect("codex", "--undo")
}

func TestHarnessLoopGemini(t *testing.T) {
	w, m := newHarnessWorld(t), newModel(t)
	gemini := filepath.Join(w.packages, ".bin", "gemini")
	w.writeSettings(filepath.Join(w.home, ".gemini", "settings.json"), `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`)
	w.connect("gemini")
	w.env = []string{"GOOGLE_GEMINI_BASE_URL=" + m.url, "GEMINI_API_KEY=none"}
	m.callTool()
	w.must(w.node, gemini, "-p", question, "-m", "gemini-2.5-pro", "--yolo")
	m.heard("context and tools", question, remembered, "mcp_claw-memory_memory_note", "Write first, answer then")
	w.shows(m)
	w.says(w.today(), "[decision] the port is 8443")
	m.forget()
	// The tool's result leads to a second turn, before which the program finds its context full.
	m.callTool()
	m.fill(700_000)
	w.must(w.node, gemini, "-p", "And the host?", "-m", "gemini-2.5-pro", "--yolo", "--resume", "latest")
	m.heard("a compaction", "state_snapshot")
	w.says(w.today(), "- user: "+question, "- agent: "+answer, "- user: And the host?")
	w.connect("gemini", "--undo")
}

func TestHarnessLoopOpencode(t *testing.T) {
	w, m := newHarnessWorld(t), newModel(t)
	opencode := filepath.Join(w.packages, "opencode-linux-x64", "bin", "opencode")
	w.writeSettings(filepath.Join(w.project, "opencode.json"), `{
  "model": "local/m",
  "small_model": "local/m",
  "provider": {
    "local": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "local",
      "options": { "baseURL": "`+m.url+`/v1", "apiKey": "none" },
      "models": { "m": { "name": "m", "limit": { "context": 100000, "output": 1000 } } }
    }
  }
}
`)
	w.connect("opencode")
	m.callTool()
	w.must(opencode, "run", question)
	m.heard("context and tools", question, remembered, "claw-memory_memory_note", "Write first, answer then")
	w.shows(m)
	w.says(w.today(), "[decision] the port is 8443")
	m.forget()
	m.fill(99_500)
	w.must(opencode, "run", "--continue", "And the host?")
	w.says(w.today(), question, "- agent: "+answer, "Checkpoint (5") // of 200,000 tokens
	w.connect("opencode", "--undo")
}

func TestHarnessLoopOpenClaw(t *testing.T) {
	w, m := newHarnessWorld(t), newModel(t)
	openclaw := filepath.Join(w.packages, "openclaw", "openclaw.mjs")
	port := freePort(t)
	w.writeSettings(filepath.Join(w.home, ".openclaw", "openclaw.json"), `// mine
{
  gateway: { mode: "local", bind: "loopback", port: `+port+`, auth: { mode: "token", token: "none" } },
  models: { providers: { local: { baseUrl: "`+m.url+
		`/v1", apiKey: "none", api: "openai-completions", models: [{ id: "m", name: "m", contextWindow: 100000, maxTokens: 1000 }] } } },
  agents: { defaults: { workspace: "`+w.workspace+`", model: { primary: "local/m" } } },
  tools: { toolSearch: false },
}
`)
	w.connect("openclaw")
	w.start("[gateway] ready", w.node, openclaw, "gateway", "run")
	m.callTool()
	w.must(w.node, openclaw, "agent", "--agent", "main", "-m", question)
	m.heard("context and tools", question, "one of many facts", remembered, "memory_note", "Write first, answer then")
	w.shows(m)
	w.says(w.today(), "[decision] the port is 8443")
	w.must(w.node, openclaw, "agent", "--agent", "main", "-m", "And the host?")
	w.must(w.node, openclaw, "sessions", "compact", "agent:main:main")
	w.says(w.today(), "- user: "+question, "- agent: "+answer)
	w.connect("openclaw", "--undo")
}
