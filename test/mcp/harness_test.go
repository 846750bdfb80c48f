//go:build harness

package mcp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The programs tested against, as they are on npm.
var packages = []string{"node@22.23.3", "@modelcontextprotocol/conformance@0.1.16", "@modelcontextprotocol/inspector@2.12.0"}

// npm installs the packages, unless they are installed, into TEND_HARNESS_DIR or a temporary folder, and returns the folder.
func npm(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("TEND_HARNESS_DIR")
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "tend-harness")
	}
	dir = filepath.Join(dir, "mcp")
	stamp := filepath.Join(dir, "installed-"+digest(strings.Join(packages, " "))[:12])
	if _, err := os.Stat(stamp); err == nil {
		return dir
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "package.json"), "{\"private\": true}\n")
	run(t, dir, "npm", append([]string{"install", "--no-audit", "--no-fund", "--foreground-scripts"}, packages...)...)
	if _, err := os.Stat(filepath.Join(dir, "node_modules/node/bin/node")); err != nil {
		// Newer versions of npm need consent to run a package's install script.
		run(t, filepath.Join(dir, "node_modules/node"), "node", "installArchSpecificPackage.js")
	}
	write(t, stamp, "")
	return dir
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// node runs a program of a package on the Node that was installed with it.
func node(t *testing.T, dir, program string, args ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.Command(filepath.Join(dir, "node_modules/node/bin/node"),
		append([]string{filepath.Join(dir, "node_modules", program)}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), asTend+"=1")
	cmd.Dir = t.TempDir()
	return cmd.Output()
}

// TestHarnessConformance runs the official suite over HTTP, and over standard input and output through a bridge;
// conformance.yml lists what is left out and why.
func TestHarnessConformance(t *testing.T) {
	dir := npm(t)
	left := read(t, "conformance.yml")
	files := map[string]string{"ws/MEMORY.md": "# Memory\n"}
	for _, transport := range []struct {
		name, addr string
		own        []string // scenarios of this transport
	}{
		{"http", serve(t, newWorkspace(t, "", files)), []string{"dns-rebinding-protection"}},
		{"stdio", newBridge(t, newWorkspace(t, "", files)), nil},
	} {
		t.Run(transport.name, func(t *testing.T) {
			list := left
			if transport.name == "stdio" { // the scenarios about streams would test the bridge, not the server
				list = regexp.MustCompile(`(?m)^  - server-sse-.*\n`).ReplaceAllString(list, "")
			}
			expected := filepath.Join(t.TempDir(), "conformance.yml")
			write(t, expected, list)
			out, err := node(t, dir, "@modelcontextprotocol/conformance/dist/index.js",
				"server", "--url", "http://"+transport.addr+"/mcp", "--suite", "all", "--expected-failures", expected)
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			must := append([]string{"server-initialize", "ping", "tools-list", "resources-list", "prompts-list",
				"logging-set-level"}, transport.own...)
			passed := 0
			for _, name := range must {
				if regexp.MustCompile(name + `: [1-9]\d* passed, 0 failed`).Match(out) {
					passed++
				} else {
					t.Errorf("%s did not pass", name)
				}
			}
			_, summary, _ := strings.Cut(string(out), "=== SUMMARY ===")
			t.Logf("%d of %d applicable scenarios passed over %s%s", passed, len(must), transport.name, summary)
		})
	}
}

// TestHarnessInspector lists and calls every tool with the Inspector's command line.
func TestHarnessInspector(t *testing.T) {
	dir := npm(t)
	home := newWorkspace(t, "", map[string]string{"ws/MEMORY.md": "# Memory\n\n- tea, not coffee\n"})
	inspect := func(args ...string) (out []byte, err error) {
		return node(t, dir, "@modelcontextprotocol/inspector/clients/launcher/build/index.js",
			append([]string{"--cli", "-e", "TEND_CONFIG=" + filepath.Join(home, "tend.yaml"), "-e", asTend + "=1", os.Args[0], "mcp", "ada"},
				args...)...)
	}
	out, err := inspect("--method", "tools/list")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(out, &list); err != nil || len(list.Tools) == 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	calls := []struct {
		tool string
		args []string
		want string
	}{
		{"memory_list", nil, "MEMORY.md"},
		{"memory_read", []string{"filename=MEMORY.md"}, "tea, not coffee"},
		{"memory_write", []string{"filename=a.md", "content=one"}, "Created a.md"},
		{"memory_append", []string{"filename=a.md", "text=two"}, "Saved a.md"},
		{"memory_insert", []string{"filename=a.md", "line=0", "text=zero"}, "Saved a.md"},
		{"memory_replace", []string{"filename=a.md", "old_str=one", "new_str=1"}, "Saved a.md"},
		{"memory_note", []string{"text=the proxy caches", `tags=["lesson"]`}, "Created memory/"},
		{"memory_checkpoint", []string{"used=170000", "window=200000", "text=half done"}, "85 %"},
		{"memory_propose", []string{"filename=SOUL.md", "text=I answer in two lines.", "why=asked for twice"}, "needs the operator"},
		{"memory_search", []string{"query=coffee"}, "tea, not coffee"},
		{"memory_history", []string{"filename=a.md"}, "memory_replace"},
		{"memory_restore", []string{"filename=a.md"}, "Saved a.md"},
		{"memory_propose", []string{"text=answer in German"}, "needs the operator"},
		{"memory_move", []string{"from=a.md", "to=b.md"}, "Moved a.md"},
		{"memory_delete", []string{"filename=b.md"}, "Deleted b.md"},
	}
	called := map[string]bool{}
	var change string // the replacement's id
	for _, c := range calls {
		if c.tool == "memory_restore" {
			c.args = append(c.args, "id="+change)
		}
		args := []string{"--method", "tools/call", "--tool-name", c.tool}
		for _, a := range c.args {
			args = append(args, "--tool-arg", a)
		}
		out, err := inspect(args...)
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s %v: %v\n%s", c.tool, c.args, err, out)
		}
		if called[c.tool] = true; c.tool == "memory_replace" {
			if m := regexp.MustCompile(`action (\w+)`).FindSubmatch(out); m != nil {
				change = string(m[1])
			}
		}
	}
	for _, tool := range list.Tools {
		if !called[tool.Name] {
			t.Errorf("%s was not called", tool.Name)
		}
	}
	if out, err := inspect("--method", "tools/call", "--tool-name", "memory_read", "--tool-arg", "filename=none.md"); err == nil ||
		!strings.Contains(string(out), `"isError": true`) {
		t.Errorf("a tool's error: %v\n%s", err, out)
	}
	for method, want := range map[string]string{"resources/list": "memory://ada/MEMORY.md", "prompts/list": "weekly-review"} {
		if out, err := inspect("--method", method); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s", method, err, out)
		}
	}
}
