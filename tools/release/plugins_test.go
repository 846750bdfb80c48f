package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"tend/test/require"
)

var must = require.NoError

const version = "1.2.3"

// published runs the steps for harnesses and npm and returns the files they make. The programs are this test's own, under
// the names of all platforms.
func published(t *testing.T, scope string) map[string][]byte {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
	exe, err := os.Executable()
	must(t, err)
	program := filepath.Join(t.TempDir(), "program")
	data, err := os.ReadFile(exe)
	must(t, err)
	must(t, os.WriteFile(program, data[:4096], 0o755))
	r := &release{out: t.TempDir(), version: version, date: time.Unix(1_760_000_000, 0).UTC(), scope: scope,
		base: "https://downloads.example.org/tend"}
	var built []build
	for _, target := range targets() {
		built = append(built, build{target: target, path: program})
	}
	must(t, r.ecosystems(built, "licences", []byte("licence")))
	entries, err := os.ReadDir(r.out)
	must(t, err)
	files := map[string][]byte{}
	for _, e := range entries {
		files[e.Name()], err = os.ReadFile(filepath.Join(r.out, e.Name()))
		must(t, err)
	}
	return files
}

// packed is a file of an archive.
type packed struct {
	data []byte
	mode int64
}

// unpacked returns what an archive has.
func unpacked(t *testing.T, name string, data []byte) map[string]packed {
	t.Helper()
	all := map[string]packed{}
	if strings.HasSuffix(name, ".mcpb") {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		must(t, err)
		for _, f := range z.File {
			in, err := f.Open()
			must(t, err)
			text, err := io.ReadAll(in)
			must(t, err)
			all[f.Name] = packed{text, int64(f.Mode().Perm())}
		}
		return all
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	must(t, err)
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		must(t, err)
		text, err := io.ReadAll(in)
		must(t, err)
		all[h.Name] = packed{text, h.Mode}
	}
}

// value reads JSON and returns what is at a path of members.
func value(t *testing.T, data []byte, members ...string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	for _, m := range members {
		o, ok := v.(object)
		if !ok {
			t.Fatalf("no %s in %s", m, data)
		}
		v = o[m]
	}
	return v
}

// Everything of a release has one version, and every file that a manifest names is there.
func TestManifests(t *testing.T) {
	files := published(t, "")
	names := func(prefix string) (list []string) {
		for name := range files {
			if strings.HasPrefix(name, prefix) {
				list = append(list, name)
			}
		}
		return list
	}
	if got := len(files); got != 4+1+1+2*len(targets()) { // plugins, server.json, npm, and npm and mcpb of each platform
		t.Errorf("%d files: %v", got, names(""))
	}
	for name, data := range files {
		if name == "server.json" {
			continue
		}
		inside := unpacked(t, name, data)
		for file, f := range inside {
			if strings.Contains(string(f.data), "{{") && !strings.HasSuffix(file, ".toml") {
				t.Errorf("%s: %s is not filled in", name, file)
			}
			base := path.Base(file)
			if (base == "tend" || base == "tend.exe" || base == "tend.js") && f.mode != 0o755 {
				t.Errorf("%s: %s has mode %o", name, file, f.mode)
			}
			if !strings.HasSuffix(file, ".json") || strings.HasSuffix(file, "hooks.json") || base == ".mcp.json" {
				continue
			}
			v := value(t, f.data)
			if base == "marketplace.json" {
				v = value(t, f.data, "metadata")
			}
			if got := v.(object)["version"]; got != version {
				t.Errorf("%s: %s has version %v", name, file, got)
			}
		}
	}
	for name, file := range map[string]string{
		"claude-code.tar.gz": "tend_1.2.3_claude-code/LICENSE", "gemini.tar.gz": "tend_1.2.3_gemini/hooks/hooks.json",
		"hermes.tar.gz": "tend_1.2.3_hermes/tend/__init__.py", "openclaw.tgz": "package/handler.js", "npm.tgz": "package/bin/tend.js",
		"npm_linux-x64.tgz": "package/bin/tend", "npm_win32-arm64.tgz": "package/bin/tend.exe", "darwin_arm64.mcpb": "server/tend",
		"windows_amd64.mcpb": "server/tend.exe",
	} {
		if inside := unpacked(t, name, files["tend_1.2.3_"+name]); len(inside[file].data) == 0 {
			t.Errorf("%s has no %s: %v", name, file, inside)
		}
	}
}

// Every hook and server of a plugin runs the program in the PATH, by a command line that names no machine's file.
func TestPluginCommands(t *testing.T) {
	files := published(t, "")
	command := regexp.MustCompile(`^tend (context|checkpoint) --plugin [a-z-]+$`)
	for harness, events := range map[string][]string{
		"claude-code": {"SessionStart", "PreCompact"}, "gemini": {"SessionStart", "PreCompress"},
	} {
		inside := unpacked(t, ".tgz", files["tend_1.2.3_"+harness+".tar.gz"])
		for file, f := range inside {
			if path.Base(file) != "hooks.json" {
				continue
			}
			hooks := value(t, f.data, "hooks").(object)
			if len(hooks) != len(events) {
				t.Errorf("%s: %v", harness, hooks)
			}
			for _, event := range events {
				group := hooks[event].([]any)[0].(object)["hooks"].([]any)[0].(object)
				if line, _ := group["command"].(string); !command.MatchString(line) || !strings.HasSuffix(line, " "+harness) {
					t.Errorf("%s: %s runs %q", harness, event, line)
				}
			}
		}
	}
	for file, data := range map[string][]byte{
		"claude-code": unpacked(t, "", files["tend_1.2.3_claude-code.tar.gz"])["tend_1.2.3_claude-code/tend/.mcp.json"].data,
		"gemini":      unpacked(t, "", files["tend_1.2.3_gemini.tar.gz"])["tend_1.2.3_gemini/gemini-extension.json"].data,
		"openclaw":    unpacked(t, "", files["tend_1.2.3_openclaw.tgz"])["package/openclaw.plugin.json"].data,
	} {
		want := object{"command": "tend", "args": []any{"mcp", "--plugin", file}}
		got := value(t, data, "mcpServers", "tend-memory")
		if a, b := string(manifest("", got).data), string(manifest("", want).data); a != b {
			t.Errorf("%s: the server is %s, want %s", file, a, b)
		}
	}
	var about struct {
		Name, Version, Description string
		Hooks                      []string `yaml:"provides_hooks"`
	}
	inside := unpacked(t, "", files["tend_1.2.3_hermes.tar.gz"])
	must(t, yaml.Unmarshal(inside["tend_1.2.3_hermes/tend/plugin.yaml"].data, &about))
	module := string(inside["tend_1.2.3_hermes/tend/__init__.py"].data)
	if about.Name != "tend" || about.Version != version || len(about.Hooks) != 2 {
		t.Errorf("plugin.yaml: %+v", about)
	}
	for _, hook := range about.Hooks {
		if !strings.Contains(module, `ctx.register_hook("`+hook+`"`) {
			t.Errorf("%s is declared and not registered", hook)
		}
	}
}

// The npm package names a package for each platform, with the same version, and the registry names the npm package.
func TestNPM(t *testing.T) {
	for scope, want := range map[string]string{"": "@downloads.example.org/tend", "@publisher": "@publisher/tend"} {
		t.Run(want, func(t *testing.T) {
			files := published(t, scope)
			about := unpacked(t, "", files["tend_1.2.3_npm.tgz"])["package/package.json"].data
			if got := value(t, about, "name"); got != want {
				t.Errorf("name: %v", got)
			}
			optional := value(t, about, "optionalDependencies").(object)
			for name, v := range optional {
				platform := strings.TrimPrefix(name, want+"-")
				part := unpacked(t, "", files["tend_1.2.3_npm_"+platform+".tgz"])["package/package.json"].data
				osys, cpu, _ := strings.Cut(platform, "-")
				if v != version || value(t, part, "name") != name || !slices.Equal(value(t, part, "os").([]any), []any{osys}) ||
					!slices.Equal(value(t, part, "cpu").([]any), []any{cpu}) {
					t.Errorf("%s %v: %s", name, v, part)
				}
			}
			if len(optional) != len(targets()) {
				t.Errorf("platforms: %v", optional)
			}
			server := files["server.json"]
			listed := value(t, server, "packages").([]any)[0].(object)
			if value(t, server, "name") != "org.example.downloads/tend" || value(t, about, "mcpName") != value(t, server, "name") ||
				listed["identifier"] != want || listed["version"] != version || value(t, server, "version") != version {
				t.Errorf("server.json: %s", server)
			}
			// The registry's schema limits these.
			if d := value(t, server, "description").(string); len(d) > 100 || !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).
				MatchString(value(t, server, "name").(string)) {
				t.Errorf("server.json: %s", server)
			}
		})
	}
}

// A bundle starts the program that is in it.
func TestBundles(t *testing.T) {
	files := published(t, "")
	for _, target := range targets() {
		inside := unpacked(t, ".mcpb", files["tend_1.2.3_"+target.os+"_"+target.arch+".mcpb"])
		about := inside["manifest.json"].data
		entry := value(t, about, "server", "entry_point").(string)
		if len(inside[entry].data) == 0 || value(t, about, "server", "mcp_config", "command") != "${__dirname}/"+entry {
			t.Errorf("%s starts %s: %s", target, entry, about)
		}
		platform, _ := target.node()
		if !slices.Equal(value(t, about, "compatibility", "platforms").([]any), []any{platform}) {
			t.Errorf("%s is for %s", target, about)
		}
	}
}

// The same release gives the same bytes: nothing depends on the time or on the order of a map. test/release compares whole
// releases of two checkouts.
func TestSameBytes(t *testing.T) {
	var runs []map[string][]byte
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) { runs = append(runs, published(t, "")) })
	}
	if len(runs) != 2 || len(runs[0]) != len(runs[1]) {
		t.Fatalf("%d runs", len(runs))
	}
	for name, data := range runs[0] {
		if !bytes.Equal(data, runs[1][name]) {
			t.Errorf("%s differs", name)
		}
	}
}

// Without a publisher's address there is no name for anything.
func TestNoHost(t *testing.T) {
	r := &release{out: t.TempDir(), version: version, base: "downloads"}
	if err := r.ecosystems(nil, "", nil); err == nil {
		t.Error("published without a host")
	}
}
