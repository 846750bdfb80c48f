//go:build harness

package connect

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// The plugins are built as `make release` builds them, installed by each program's own command, used before and after
// `tend init` in sessions with the model on loopback, and removed.

const pluginVersion = "0.1.0"

// TestHarnessPlugins builds once for all programs.
func TestHarnessPlugins(t *testing.T) {
	dist := t.TempDir()
	cmd := exec.Command("go", "run", "./tools/release", "-nfpm", "", "-only", "linux/"+runtime.GOARCH, "-version", pluginVersion,
		"-allow-dirty", "-out", dist)
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("release: %v\n%s", err, out)
	}
	for name, run := range map[string]func(*pluginWorld){
		"claude-code": claudePlugin, "gemini": geminiPlugin, "openclaw": openclawPlugin, "hermes": hermesPlugin, "npm": npmPackages,
		"mcpb": mcpBundle,
	} {
		t.Run(name, func(t *testing.T) { run(newPluginWorld(t, dist)) })
	}
}

// pluginWorld is a user who works in an agent's workspace and has the program in the PATH, from its archive.
type pluginWorld struct {
	*harnessWorld
	m      *model
	dist   string
	before map[string]string // the files of the home before the plugin
}

func newPluginWorld(t *testing.T, dist string) *pluginWorld {
	w := &pluginWorld{harnessWorld: newHarnessWorld(t), m: newModel(t), dist: dist}
	w.must("tar", "-C", filepath.Dir(w.project), "-xzf", filepath.Join(dist, "tend_"+pluginVersion+"_linux_"+runtime.GOARCH+".tar.gz"))
	w.tend = filepath.Join(filepath.Dir(w.project), "tend_"+pluginVersion+"_linux_"+runtime.GOARCH, "tend")
	w.project = w.workspace
	w.env = []string{"PATH=" + filepath.Dir(w.node) + ":" + filepath.Dir(w.tend) + ":/usr/local/bin:/usr/bin:/bin"}
	return w
}

// file returns a file of the release; an archive is unpacked, and its folder returned.
func (w *pluginWorld) file(name string) string {
	w.t.Helper()
	name = "tend_" + pluginVersion + "_" + name
	if _, err := os.Stat(filepath.Join(w.dist, name+".tar.gz")); err != nil {
		return filepath.Join(w.dist, name)
	}
	dir := w.t.TempDir()
	w.must("tar", "-C", dir, "-xzf", filepath.Join(w.dist, name+".tar.gz"))
	return filepath.Join(dir, name)
}

// files returns the texts of a folder's files.
func (w *pluginWorld) files(dir string) map[string]string {
	w.t.Helper()
	all := map[string]string{}
	must(w.t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		all[rel] = string(data)
		return err
	}))
	return all
}

// init is what the user runs after the plugin.
func (w *pluginWorld) init() {
	w.t.Helper()
	w.must(w.tend, "init", w.workspace, "--name", "claw", "--layout", "openclaw@2026.9")
}

// unused checks that the plugin did nothing before `tend init`: no file of the workspace or of Tend's, and no tools.
func (w *pluginWorld) unused(memory map[string]string) {
	w.t.Helper()
	for name, text := range w.files(w.workspace) {
		if memory[name] != text {
			w.t.Errorf("before `tend init`: %s was written", name)
		}
	}
	for _, dir := range []string{".config/tend", ".local/state/tend"} {
		if _, err := os.Stat(filepath.Join(w.home, dir)); err == nil {
			w.t.Errorf("before `tend init`: there is %s", dir)
		}
	}
	w.silent()
}

// silent checks that the model was shown no tools and no memory.
func (w *pluginWorld) silent() {
	w.t.Helper()
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	if len(w.m.asked) == 0 {
		w.t.Error("the model was not asked")
	}
	for _, body := range w.m.asked {
		if regexp.MustCompile("memory_note|could not be loaded|one of many facts").MatchString(body) {
			w.t.Errorf("the model is shown: %.5000s", body)
		}
	}
}

var ours = regexp.MustCompile(`\btend\b`)

// gone checks that no file of the home names the plugin any more, except the program's own records of what happened and
// what `tend init` made.
func (w *pluginWorld) gone(records ...string) {
	w.t.Helper()
	for name, text := range w.files(w.home) {
		if w.before[name] == text || !ours.MatchString(name+"\n"+text) {
			continue
		}
		mine := false
		for _, record := range append(records, ".config/tend/", ".local/state/tend/") {
			mine = mine || strings.Contains(name, record)
		}
		if !mine {
			w.t.Errorf("left behind: %s\n%.2000s", name, text)
		}
	}
}

func claudePlugin(w *pluginWorld) {
	claude := filepath.Join(w.packages, "@anthropic-ai", "claude-code-linux-x64", "claude")
	w.env = append(w.env, "ANTHROPIC_BASE_URL="+w.m.url, "ANTHROPIC_API_KEY=sk-ant-none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
	w.must(claude, "plugin", "list")
	w.before = w.files(w.home)
	dir := w.file("claude-code")
	w.must(claude, "plugin", "validate", "--strict", dir)
	w.must(claude, "plugin", "validate", "--strict", filepath.Join(dir, "tend"))
	w.must(claude, "plugin", "marketplace", "add", dir)
	w.must(claude, "plugin", "install", "tend@tend")
	w.says(w.must(claude, "plugin", "list"), "tend@tend", "Version: "+pluginVersion, "enabled")

	memory := w.files(w.workspace)
	out := w.must(claude, "-p", question, "--output-format", "stream-json", "--verbose", "--include-hook-events")
	w.says(out, "Tend is not set up yet: run `tend init DIR`")
	w.unused(memory)

	w.init()
	w.says(w.must(claude, "mcp", "list"), "tend-memory", "Connected")
	w.m.forget()
	w.m.callTool()
	const session = "5e551011-0000-4000-8000-000000000001"
	w.must(claude, "-p", question, "--session-id", session, "--allowedTools", "mcp__plugin_tend_tend-memory__memory_note")
	w.m.heard("context and tools", question, remembered, "mcp__plugin_tend_tend-memory__memory_note")
	w.shows(w.m)
	w.says(w.today(), "[decision] the port is 8443")
	w.must(claude, "-p", "--resume", session, "/compact")
	w.says(w.today(), "- user: "+question, "- agent: "+answer)
	w.m.forget()
	w.must(claude, "-p", "--resume", session, "And the host?")
	w.m.heard("context after the compaction", "And the host?", remembered)
	w.m.forget()
	w.must(claude, "-p", "/tend:remember the port")
	w.m.heard("the command", "Save this in the memory", "the port")

	w.must(claude, "plugin", "uninstall", "tend@tend")
	w.must(claude, "plugin", "marketplace", "remove", "tend")
	// Claude Code deletes its copy days later, and keeps its logs and transcripts.
	w.gone(".claude.json", ".claude/plugins/cache/tend/", "/mcp-logs-plugin-tend-", ".claude/projects/", ".claude/history", ".claude/sessions")
	w.m.forget()
	w.must(claude, "-p", "And the name?")
	w.silent()
}

func geminiPlugin(w *pluginWorld) {
	gemini := filepath.Join(w.packages, ".bin", "gemini")
	w.writeSettings(filepath.Join(w.home, ".gemini", "settings.json"), `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`)
	w.env = append(w.env, "GOOGLE_GEMINI_BASE_URL="+w.m.url, "GEMINI_API_KEY=none")
	run := func(args ...string) string {
		return w.must(w.node, append([]string{gemini, "-m", "gemini-2.5-pro", "--yolo", "-p"}, args...)...)
	}
	w.must(w.node, gemini, "extensions", "list")
	w.before = w.files(w.home)
	dir := w.file("gemini")
	w.says(w.must(w.node, gemini, "extensions", "validate", dir), "successfully validated")
	w.must(w.node, gemini, "extensions", "install", dir, "--consent", "--skip-settings")
	w.says(w.must(w.node, gemini, "extensions", "list"), "tend ("+pluginVersion+")", "tend-memory")

	memory := w.files(w.workspace)
	run(question)
	w.unused(memory)

	w.init()
	w.says(w.must(w.node, gemini, "mcp", "list"), "tend-memory (from tend): tend mcp --plugin gemini", "Connected")
	w.m.forget()
	w.m.callTool()
	run(question)
	w.m.heard("context and tools", question, remembered, "mcp_tend-memory_memory_note")
	w.shows(w.m)
	w.says(w.today(), "[decision] the port is 8443")
	w.m.forget()
	// The tool's result leads to a second turn, before which the program finds its context full.
	w.m.callTool()
	w.m.fill(700_000)
	run("And the host?", "--resume", "latest")
	w.m.heard("a compaction", "state_snapshot")
	w.says(w.today(), "- user: "+question, "- agent: "+answer, "- user: And the host?")

	w.must(w.node, gemini, "extensions", "uninstall", "tend")
	w.gone(".gemini/extension_integrity.json", ".gemini/tmp/", ".gemini/history/") // digests of what was installed, transcripts, logs
	w.m.forget()
	run("And the name?")
	w.silent()
}

func openclawPlugin(w *pluginWorld) {
	openclaw := filepath.Join(w.packages, "openclaw", "openclaw.mjs")
	run := func(args ...string) string { return w.must(w.node, append([]string{openclaw}, args...)...) }
	say := func(text string) { run("agent", "--agent", "main", "-m", text) }
	w.writeSettings(filepath.Join(w.home, ".openclaw", "openclaw.json"), `{
  gateway: { mode: "local", bind: "loopback", port: `+freePort(w.t)+`, auth: { mode: "token", token: "none" } },
  models: { providers: { local: { baseUrl: "`+w.m.url+
		`/v1", apiKey: "none", api: "openai-completions", models: [{ id: "m", name: "m", contextWindow: 100000, maxTokens: 1000 }] } } },
  agents: { defaults: { workspace: "`+w.workspace+`", model: { primary: "local/m" }, compaction: { mode: "default" } } },
  tools: { toolSearch: false },
}
`)
	run("config", "validate")
	w.before = w.files(w.home)
	run("plugins", "install", "npm-pack:"+w.file("openclaw.tgz"), "--force", "--accept-capabilities") // at a terminal it asks
	w.says(run("plugins", "inspect", "tend"), pluginVersion)
	log := w.start("[gateway] ready", w.node, openclaw, "gateway", "run")
	say("Hello") // OpenClaw writes its first files into the workspace
	w.m.forget()
	memory := w.files(w.workspace)
	say(question)
	w.unused(memory)

	w.init()
	w.m.forget()
	w.m.callTool()
	run("agent", "--agent", "main", "--session-id", "two", "-m", question)
	w.m.heard("context and tools", question, "one of many facts", remembered, "tend-memory__memory_note")
	w.shows(w.m)
	w.says(w.today(), "[decision] the port is 8443")
	// The answer says that the context is full: the run compacts within itself, after its reply, which only a plugin sees.
	w.m.fill(99_500)
	run("agent", "--agent", "main", "--session-id", "two", "-m", "And the host?")
	log.next(w.t, "embedded run auto-compaction start")
	log.next(w.t, "tend: the context is about to be compacted")
	w.says(w.today(), "- user: "+question, "- agent: "+answer, "- user: And the host?")

	run("plugins", "uninstall", "tend", "--force")
	// OpenClaw keeps backups of its settings, records, logs and npm's, and in the settings a mark that the plugin is off.
	w.gone(".openclaw/openclaw.json", ".openclaw/logs/", ".openclaw/agents/", ".openclaw/state/", ".openclaw/cache/", ".npm/")
	settings := w.files(filepath.Join(w.home, ".openclaw"))["openclaw.json"]
	if left := ours.FindAllString(settings, -1); len(left) != 1 || !regexp.MustCompile(`"tend": \{\s*"enabled": false\s*\}`).MatchString(settings) {
		w.t.Errorf("left in the settings:\n%s", settings)
	}
	w.m.forget()
	say("And the name?")
	w.silent()
}

// hermesPlugin calls the module as Hermes's documentation says that Hermes does: the program itself cannot be installed here.
func hermesPlugin(w *pluginWorld) {
	module := filepath.Join(w.file("hermes"), "tend", "__init__.py")
	call := func() string {
		return w.must("python3", "-c", `
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("tend_plugin", sys.argv[1])
plugin = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plugin)
hooks = {}
class Context:
    def register_hook(self, name, callback):
        hooks[name] = callback
plugin.register(Context())
history = [{"role": "user", "content": "Which port?"}, {"role": "assistant", "content": "8443. " * 60000}]
common = dict(session_id="s1", model="m", platform="cli", task_id="t", turn_id="1")
print(json.dumps(hooks["pre_llm_call"](user_message="Which port?", conversation_history=[], is_first_turn=True, **common)))
print(json.dumps(hooks["pre_llm_call"](user_message="And?", conversation_history=history, is_first_turn=False, **common)))
hooks["post_llm_call"](user_message="Which port?", assistant_response="8443", conversation_history=history, **common)
`, module)
	}
	memory := w.files(w.workspace)
	if out := call(); out != "null\nnull\n" {
		w.t.Errorf("before tend init: %s", out)
	}
	for name, text := range w.files(w.workspace) {
		if memory[name] != text {
			w.t.Errorf("before `tend init`: %s was written", name)
		}
	}
	w.must(w.tend, "init", w.workspace, "--name", "claw", "--layout", "hermes")
	w.must(w.tend, "note", "the service moved on a Tuesday")
	w.says(call(), `{"context": "`, remembered)
	log := ""
	for name, text := range w.files(w.workspace) {
		if memory[name] != text {
			log += text
		}
	}
	w.says(log, "- user: Which port?")
}

// npmPackages installs the package and that of this platform, and asks the server of npx for its tools.
func npmPackages(w *pluginWorld) {
	dir := w.t.TempDir()
	w.must("npm", "install", "--offline", "--prefix", dir, "--no-audit", "--no-fund", w.file("npm.tgz"), w.file("npm_linux-x64.tgz"))
	w.says(w.must(filepath.Join(dir, "node_modules", ".bin", "tend"), "version"), "tend "+pluginVersion)
	w.init()
	w.says(w.tools("cd '"+dir+"' && npx --offline tend mcp --plugin generic"), `"memory_note"`)
	w.must("npm", "uninstall", "--offline", "--prefix", dir, "--no-audit", "--no-fund", "@example.org/tend", "@example.org/tend-linux-x64")
	if left, _ := filepath.Glob(filepath.Join(dir, "node_modules", "@example.org", "*")); len(left) > 0 {
		w.t.Errorf("left behind: %v", left)
	}
}

// tools asks the server that a shell command starts for its tools.
func (w *pluginWorld) tools(command string) string {
	w.t.Helper()
	requests := filepath.Join(w.t.TempDir(), "requests")
	must(w.t, os.WriteFile(requests, []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},`+
		`"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`), 0o644))
	return w.must("sh", "-c", "("+command+") < '"+requests+"'")
}

// mcpBundle has the bundle checked and unpacked by the format's own program, and starts its server as the manifest says.
func mcpBundle(w *pluginWorld) {
	mcpb := filepath.Join(w.packages, ".bin", "mcpb")
	dir := filepath.Join(w.t.TempDir(), "bundle")
	w.must(w.node, mcpb, "unpack", w.file("linux_"+runtime.GOARCH+".mcpb"), dir)
	w.says(w.must(w.node, mcpb, "validate", filepath.Join(dir, "manifest.json")), "validation passes")
	var about struct {
		Server struct {
			Config struct {
				Command string
				Args    []string
			} `json:"mcp_config"`
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	must(w.t, err)
	must(w.t, json.Unmarshal(data, &about))
	start := func(agent string) string {
		fill := strings.NewReplacer("${__dirname}", dir, "${user_config.agent}", agent)
		return w.tools("cd / && " + fill.Replace(about.Server.Config.Command+" "+strings.Join(about.Server.Config.Args, " ")))
	}
	if out := start(""); strings.Contains(out, "memory_note") || !strings.Contains(out, "Tend is not set up yet") {
		w.t.Errorf("before `tend init`: %s", out)
	}
	w.init()
	w.says(start(""), `"memory_note"`)
	w.says(start("claw"), `"memory_note"`)
}
