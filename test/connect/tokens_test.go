//go:build harness

package connect

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tend/internal/text/session/o200k"
)

// mostAdded is how much a session's start may cost more because Tend is connected, in per cent. Notes count if the agent's memory
// is the program's own; a program that has no memory of the agent without Tend needs them in any case.
const mostAdded = 15

// program is a harness whose requests are counted.
type program struct {
	name    string
	own     bool     // the agent's memory is the harness's own
	search  string   // its name of memory_search
	allow   []string // arguments without which it may not be called
	prepare func(w *harnessWorld, m *model) (connect []string, run []string)
}

func programs() []program {
	return []program{
		{"claude-code", true, "mcp__claw-memory__memory_search", []string{"--allowedTools", "mcp__claw-memory__memory_search"}, func(
			w *harnessWorld, m *model,
		) (connect, run []string) {
			w.env = []string{"ANTHROPIC_BASE_URL=" + m.url, "ANTHROPIC_API_KEY=sk-ant-none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
			return []string{"claude-code", "--scope", "user"},
				[]string{filepath.Join(w.packages, "@anthropic-ai", "claude-code-linux-x64", "claude"), "-p"}
		}},
		{"codex", false, "memory_search", nil, func(w *harnessWorld, m *model) (connect, run []string) {
			w.writeSettings(filepath.Join(w.home, ".codex", "config.toml"), "model = \"gpt-5\"\nmodel_provider = \"local\"\n\n"+
				"[model_providers.local]\nname = \"local\"\nbase_url = \""+m.url+"/v1\"\nwire_api = \"responses\"\n")
			return []string{"codex"}, []string{w.node, filepath.Join(w.packages, "@openai", "codex", "bin", "codex.js"), "exec",
				"--skip-git-repo-check", "--dangerously-bypass-hook-trust"}
		}},
		{"gemini", false, "mcp_claw-memory_memory_search", nil, func(w *harnessWorld, m *model) (connect, run []string) {
			w.writeSettings(filepath.Join(w.home, ".gemini", "settings.json"), `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`)
			w.env = []string{"GOOGLE_GEMINI_BASE_URL=" + m.url, "GEMINI_API_KEY=none"}
			return []string{"gemini"}, []string{w.node, filepath.Join(w.packages, ".bin", "gemini"), "-m", "gemini-2.5-pro", "--yolo", "-p"}
		}},
		{"opencode", false, "claw-memory_memory_search", nil, func(w *harnessWorld, m *model) (connect, run []string) {
			w.writeSettings(filepath.Join(w.project, "opencode.json"), `{"model": "local/m", "small_model": "local/m", "provider": {"local": {
  "npm": "@ai-sdk/openai-compatible", "name": "local", "options": { "baseURL": "`+m.url+`/v1", "apiKey": "none" },
  "models": { "m": { "name": "m", "limit": { "context": 100000, "output": 1000 } } }}}}`)
			return []string{"opencode"}, []string{filepath.Join(w.packages, "opencode-linux-x64", "bin", "opencode"), "run"}
		}},
	}
}

// TestHarnessTokens counts what the first request of a session costs in each program, without Tend and with it. The agent has a
// memory of ordinary size and a log.
func TestHarnessTokens(t *testing.T) {
	notes := func(n int, what string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "- %s number %d is in the room at the end of the corridor since May\n", what, i)
		}
		return b.String()
	}
	count := o200k.Counter()
	for _, h := range programs() {
		t.Run(h.name, func(t *testing.T) {
			w, m := newHarnessWorld(t), newModel(t)
			must(t, os.Remove(filepath.Join(w.workspace, "SESSION-STATE.md")))
			if h.own {
				project := strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(w.project)
				w.workspace = filepath.Join(w.home, ".claude", "projects", project, "memory")
				w.writeSettings(w.config, "version: 1\nstate_dir: ./state\ndefaults: {timezone: UTC}\n"+
					"agents:\n  claw: {workspace: "+w.workspace+", layout: claude-code@2.1}\n")
			}
			w.writeSettings(filepath.Join(w.workspace, "MEMORY.md"), "# Memory\n\n"+notes(50, "machine"))
			w.writeSettings(filepath.Join(w.workspace, "memory", "2026-05-04.md"), "# 2026-05-04\n\n"+notes(20, "visitor"))
			connect, run := h.prepare(w, m)
			w.must(run[0], append(run[1:], question)...)
			without := m.asks(question)
			m.forget()
			w.connect(connect...)
			w.must(run[0], append(run[1:], question)...)
			with := w.athome(m.asks(question))
			report(t, h.own, count(w.athome(without)), count(with), count(given(with)))
			w.connect(append(connect, "--undo")...)
		})
	}
	t.Run("openclaw", func(t *testing.T) {
		g := newGateway(t, false)
		g.session("hello") // OpenClaw writes its first files
		g.writeSettings(filepath.Join(g.workspace, "MEMORY.md"), "# Memory\n\n"+notes(50, "machine"))
		g.writeSettings(filepath.Join(g.workspace, "memory", "2026-05-04.md"), "# 2026-05-04\n\n"+notes(20, "visitor"))
		without := g.session(question)
		connected := newGateway(t, true)
		connected.session("hello")
		// OpenClaw writes no rules of its own where Tend's are already.
		rules, err := os.ReadFile(filepath.Join(g.workspace, "AGENTS.md"))
		must(t, err)
		ours, err := os.ReadFile(filepath.Join(connected.workspace, "AGENTS.md"))
		must(t, err)
		if !strings.Contains(string(ours), string(rules)) {
			connected.writeSettings(filepath.Join(connected.workspace, "AGENTS.md"), string(rules)+"\n"+string(ours))
		}
		connected.writeSettings(filepath.Join(connected.workspace, "MEMORY.md"), "# Memory\n\n"+notes(50, "machine"))
		connected.writeSettings(filepath.Join(connected.workspace, "memory", "2026-05-04.md"), "# 2026-05-04\n\n"+notes(20, "visitor"))
		with := connected.session(question)
		with = connected.athome(with)
		report(t, true, count(g.athome(without)), count(with), count(given(with)))
		connected.connect("openclaw", "--undo")
	})
}

// TestHarnessAnswers: what a tool of Tend's answers reaches the model as text. A program may show it structured content instead.
func TestHarnessAnswers(t *testing.T) {
	const fired = "the kiln is fired on Thursdays"
	args := object{"query": "kiln"}
	seen := func(t *testing.T, m *model) {
		m.heard("the text of the answer", fired, "memory/kiln.md")
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, body := range m.asked {
			if strings.Contains(body, "tend/hits") {
				t.Errorf("the model is shown what is for programs: %s", body)
			}
		}
	}
	for _, h := range programs() {
		t.Run(h.name, func(t *testing.T) {
			w, m := newHarnessWorld(t), newModel(t)
			w.writeSettings(filepath.Join(w.workspace, "memory", "kiln.md"), "# Kiln\n\n- "+fired+"\n")
			connect, run := h.prepare(w, m)
			w.connect(connect...)
			m.use(h.search, args)
			w.must(run[0], slices.Concat(run[1:], []string{question}, h.allow)...)
			seen(t, m)
			w.connect(append(connect, "--undo")...)
		})
	}
	t.Run("openclaw", func(t *testing.T) {
		g := newGateway(t, true)
		g.writeSettings(filepath.Join(g.workspace, "memory", "kiln.md"), "# Kiln\n\n- "+fired+"\n")
		g.m.use("claw-memory__memory_search", args)
		g.session(question)
		seen(t, g.m)
		g.connect("openclaw", "--undo")
	})
}

// asks returns the longest request that has a text.
func (m *model) asks(text string) string {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	longest := ""
	for _, body := range m.asked {
		if strings.Contains(body, text) && len(body) > len(longest) {
			longest = body
		}
	}
	if longest == "" {
		m.t.Fatalf("none of %d requests has %q", len(m.asked), text)
	}
	return longest
}

// athome shortens the paths of the test to those of an ordinary home, so that they cost what they usually do.
func (w *harnessWorld) athome(request string) string {
	dir := filepath.Dir(w.config)
	return strings.NewReplacer(dir, "/home/ann", strings.NewReplacer("/", "-", "_", "-", ".", "-").Replace(dir), "-home-ann").Replace(request)
}

// given is what Tend's hook gave: the fenced notes, as they are in the request.
func given(request string) string {
	return strings.Join(fenced.FindAllString(request, -1), "")
}

var fenced = regexp.MustCompile(`(?s)(?:<|&lt;)memory-[0-9a-f]{12} file=.*?(?:<|&lt;)/memory-[0-9a-f]{12}`)

func report(t *testing.T, own bool, without, with, given int) {
	t.Helper()
	share := func(n int) float64 { return 100 * float64(n) / float64(without) }
	added := with - without
	t.Logf("%d tokens without Tend, %d with it: %.1f%% more, %.1f%% besides %d of notes",
		without, with, share(added), share(added-given), given)
	if !own {
		added -= given
	}
	if share(added) > mostAdded {
		t.Errorf("Tend adds %.1f%%, at most %d%% is wanted", share(added), mostAdded)
	}
}
