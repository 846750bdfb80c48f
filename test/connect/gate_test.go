//go:build harness

package connect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// gateway is a real OpenClaw gateway with a workspace that Tend looks after.
type gateway struct {
	*harnessWorld
	m        *model
	openclaw string
	sessions int
	// connected: Tend's hook is called at the start of each session.
	connected bool
	kept      string // copies of the memory, a folder for each session
}

func newGateway(t *testing.T, connected bool) *gateway { return newGatewayWith(t, connected, "", "") }

// newGatewayWith starts a gateway with more defaults for its agents, and more settings.
func newGatewayWith(t *testing.T, connected bool, defaults, more string) *gateway {
	g := &gateway{harnessWorld: newHarnessWorld(t), m: newModel(t), kept: t.TempDir(), connected: connected}
	g.openclaw = filepath.Join(g.packages, "openclaw", "openclaw.mjs")
	g.writeSettings(filepath.Join(g.home, ".openclaw", "openclaw.json"), `{
  gateway: { mode: "local", bind: "loopback", port: `+freePort(t)+`, auth: { mode: "token", token: "none" } },
  models: { providers: { local: { baseUrl: "`+g.m.url+
		`/v1", apiKey: "none", api: "openai-completions", models: [{ id: "m", name: "m", contextWindow: 100000, maxTokens: 1000 }] } } },
  agents: { defaults: { `+defaults+`workspace: "`+g.workspace+`", model: { primary: "local/m" } } },
  tools: { toolSearch: false },
`+more+`}
`)
	g.env = []string{"OPENCLAW_STATE_DIR=" + filepath.Join(g.home, ".openclaw")}
	g.writeSettings(g.config, "version: 1\nstate_dir: ./state\ndefaults: {layout: openclaw@2026.9, timezone: UTC, automation: curate}\n"+
		"agents:\n  claw: {workspace: ./ws}\n")
	must(t, os.Remove(filepath.Join(g.workspace, "SESSION-STATE.md")))
	if connected {
		g.connect("openclaw")
	}
	g.start("[gateway] ready", g.node, g.openclaw, "gateway", "run")
	return g
}

// session runs a new session of the agent and returns the first request to the model.
func (g *gateway) session(question string) string {
	g.t.Helper()
	g.sessions++
	g.m.forget()
	g.must(g.node, g.openclaw, "agent", "--agent", "main", "--session-id", fmt.Sprintf("s%d", g.sessions), "-m", question)
	g.m.mu.Lock()
	defer g.m.mu.Unlock()
	if len(g.m.asked) == 0 {
		g.t.Fatal("the model was not asked")
	}
	return g.m.asked[0]
}

// write has the agent replace a file with its own tool.
func (g *gateway) write(name, text string) {
	g.t.Helper()
	g.m.use("write", object{"path": filepath.Join(g.workspace, name), "content": text})
	g.session("write " + name)
	g.file(name, text)
}

func (g *gateway) file(name, want string) {
	g.t.Helper()
	if got, err := os.ReadFile(filepath.Join(g.workspace, name)); err != nil || string(got) != want {
		g.t.Errorf("%s: %v\n%s", name, err, got)
	}
}

// loaded checks whether the next session has a text, and that Tend says so.
func (g *gateway) loaded(want bool, text string) {
	g.t.Helper()
	if got := strings.Contains(g.session("what do you know?"), text); got != want {
		g.t.Errorf("%q is in the request: %v, want %v", text, got, want)
	}
	out, _ := g.run("preview", "claw", "--print", "MEMORY.md")
	if got := strings.Contains(out, text); got != want {
		g.t.Errorf("preview shows %q: %v, want %v", text, got, want)
	}
}

// TestHarnessGate: OpenClaw stops loading a file that others change between two writes of its agent. Nothing that Tend does
// may cause that; if it happened, Tend says so and there is a way out.
func TestHarnessGate(t *testing.T) {
	g := newGateway(t, false)
	const alpha = "the first fact is alpha"
	day := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	memory := func(lines ...string) string { return "# Memory\n\n- " + strings.Join(lines, "\n- ") + "\n" }

	// The agent writes, a night passes, the agent writes again.
	g.write("MEMORY.md", memory(alpha))
	g.writeSettings(filepath.Join(g.workspace, "memory", day+".md"), "# "+day+"\n\n- 09:00 [decision] the gateway moves to Oslo in March\n")
	if out, code := g.run("nightly", "claw"); code > 1 || !strings.Contains(out, "MEMORY.md") {
		t.Errorf("nightly: exit %d", code)
	}
	g.file("MEMORY.md", memory(alpha))
	if out, _ := g.run("proposals"); !strings.Contains(out, "Oslo") {
		t.Error("the night's entry is not proposed")
	}
	if out, code := g.run("restore", "MEMORY.md", "--agent", "claw", "--at", "2020-01-01"); code == 0 {
		t.Errorf("restored: %s", out)
	}
	today := time.Now().UTC().Format(time.DateOnly)
	g.write("memory/"+today+".md", "# "+today+"\n\n- the agent's own entry\n")
	g.run("note", "--agent", "claw", "an entry of Tend's")
	g.file("memory/"+today+".md", "# "+today+"\n\n- the agent's own entry\n")
	g.write("MEMORY.md", memory(alpha, "the second fact is beta"))
	g.loaded(true, alpha)
	if out, code := g.run("check", "claw", "--only", "shown"); code != 0 {
		t.Errorf("check: exit %d\n%s", code, out)
	}

	// Control: the same with a change from outside.
	g.writeSettings(filepath.Join(g.workspace, "MEMORY.md"), memory(alpha, "from outside"))
	if out, _ := g.run("check", "claw", "--only", "shown"); !strings.Contains(out, "harness-will-exclude") {
		t.Error("check does not see what is coming")
	}
	g.write("MEMORY.md", memory(alpha, "the third fact is gamma"))
	g.loaded(false, alpha)
	for _, command := range [][]string{{"preview", "claw"}, {"check", "claw"}, {"status", "claw"}, {"doctor"}} {
		if out, code := g.run(command...); code == 0 || !strings.Contains(strings.Join(strings.Fields(out), " "), "not loaded") {
			t.Errorf("%v: exit %d, and no word of it", command, code)
		}
	}

	// The way out.
	g.run("nightly", "claw")
	g.m.use("apply_patch", object{"input": "*** Begin Patch\n*** Delete File: MEMORY.md\n*** End Patch"})
	g.session("delete MEMORY.md")
	if out, code := g.run("restore", "MEMORY.md", "--agent", "claw"); code != 0 {
		t.Errorf("restore: exit %d\n%s", code, out)
	}
	g.file("MEMORY.md", memory(alpha, "the third fact is gamma"))
	g.loaded(true, "the third fact is gamma")
	g.write("MEMORY.md", memory(alpha, "the fourth fact is delta"))
	g.loaded(true, "the fourth fact is delta")
}

// TestHarnessOnlyMissing: with Tend connected, what OpenClaw loads is in the request once, and Tend adds what it does not
// load: the newest log, and entries that only the agent may write.
func TestHarnessOnlyMissing(t *testing.T) {
	g := newGateway(t, true)
	const fact = "the first fact is alpha"
	g.write("MEMORY.md", "# Memory\n\n- "+fact+"\n")
	day := time.Now().UTC().AddDate(0, 0, -5).Format(time.DateOnly)
	g.writeSettings(filepath.Join(g.workspace, "memory", day+".md"), "# "+day+"\n\n- 09:00 [decision] the gateway moves to Oslo in March\n")
	g.run("nightly", "claw")
	request := g.session("what do you know?")
	for text, want := range map[string]int{fact: 1, "I tend the claw": 1, "# Proposed for MEMORY.md": 1,
		"- 09:00 [decision] the gateway moves to Oslo": 1} {
		if got := strings.Count(request, text); got != want {
			t.Errorf("%q is in the request %d times, want %d", text, got, want)
		}
	}
	g.connect("openclaw", "--undo")
}
