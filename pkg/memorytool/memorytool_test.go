package memorytool_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tend/pkg/memorytool"
)

func open(t *testing.T, o memorytool.Options) *memorytool.Tool {
	t.Helper()
	tool, err := memorytool.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tool.Close(); err != nil {
			t.Error(err)
		}
	})
	return tool
}

func folder(t *testing.T) memorytool.Options {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "memories"), 0o755); err != nil {
		t.Fatal(err)
	}
	return memorytool.Options{Dir: filepath.Join(dir, "memories"), State: filepath.Join(dir, "state")}
}

func TestCommands(t *testing.T) {
	tool := open(t, folder(t))
	for _, tt := range []struct {
		input, want string
		isError     bool
	}{
		{`{"command":"view","path":"/memories"}`, "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n0B\t/memories", false},
		{`{"command":"create","path":"/memories/a.md","file_text":"one\ntwo\n"}`, "File created successfully at: /memories/a.md", false},
		{`{"command":"create","path":"/memories/a.md","file_text":"x"}`, "Error: File /memories/a.md already exists", true},
		{`{"command":"view","path":"/memories/a.md"}`, "Here's the content of /memories/a.md with line numbers:\n     1\tone\n     2\ttwo", false},
		{`{"command":"str_replace","path":"/memories/a.md","old_str":"two","new_str":"2"}`, "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tone\n     2\t2", false},
		{`{"command":"insert","path":"/memories/a.md","insert_line":0,"insert_text":"zero\n"}`, "The file /memories/a.md has been edited.", false},
		{`{"command":"insert","path":"/memories/a.md","insert_line":9,"insert_text":"x"}`, "Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 3]", true},
		{`{"command":"rename","old_path":"/memories/a.md","new_path":"/memories/b/c.md"}`, "Successfully renamed /memories/a.md to /memories/b/c.md", false},
		{`{"command":"delete","path":"/memories/b"}`, "Successfully deleted /memories/b", false},
		{`{"command":"delete","path":"/memories/"}`, "Cannot delete the /memories directory itself", true},
		{`{"command":"view","path":"/memoriesX"}`, "Path must start with /memories, got: /memoriesX", true},
		{`{"command":"create","path":"/memories/k.md","file_text":"AKIAIOSFODNN7EXAMPLQ"}`, "secret", true},
		{`not json`, "The input is not that of the memory tool", true},
	} {
		text, isError := tool.Run(t.Context(), []byte(tt.input))
		if isError != tt.isError || !strings.Contains(text, tt.want) {
			t.Errorf("%s: %v, %q; want %v, %q", tt.input, isError, text, tt.isError, tt.want)
		}
	}
}

func TestReadOnly(t *testing.T) {
	o := folder(t)
	if err := os.WriteFile(filepath.Join(o.Dir, "a.md"), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	o.ReadOnly = true
	tool := open(t, o)
	if text, isError := tool.Run(t.Context(), []byte(`{"command":"view","path":"/memories/a.md"}`)); isError || !strings.Contains(text, "1\tx") {
		t.Errorf("view: %v, %s", isError, text)
	}
	if text, isError := tool.Run(t.Context(), []byte(`{"command":"delete","path":"/memories/a.md"}`)); !isError || !strings.Contains(text, "read-only") {
		t.Errorf("delete: %v, %s", isError, text)
	}
	if _, err := os.Stat(o.State); !os.IsNotExist(err) {
		t.Errorf("a read-only tool made a state folder: %v", err)
	}
}

// TestTwoPrograms has two tools on one folder insert at once: none overwrites the other.
func TestTwoPrograms(t *testing.T) {
	o := folder(t)
	tools := []*memorytool.Tool{open(t, o), open(t, o)}
	if text, isError := tools[0].Run(t.Context(), []byte(`{"command":"create","path":"/memories/a.md","file_text":"start\n"}`)); isError {
		t.Fatal(text)
	}
	var wg sync.WaitGroup
	for i, tool := range tools {
		wg.Go(func() {
			for n := range 10 {
				input, _ := json.Marshal(map[string]any{"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": strings.Repeat("x", 10*i+n+1) + "\n"})
				if text, isError := tool.Run(t.Context(), input); isError {
					t.Error(text)
				}
			}
		})
	}
	wg.Wait()
	data, err := os.ReadFile(filepath.Join(o.Dir, "a.md"))
	if err != nil || strings.Count(string(data), "\n") != 21 {
		t.Errorf("%d lines, %v: an insert was lost", strings.Count(string(data), "\n"), err)
	}
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]memorytool.Options{
		"nothing":         {},
		"both":            {Config: "tend.yaml", Dir: "x", State: "y"},
		"no state":        {Dir: t.TempDir()},
		"state within":    {Dir: t.TempDir(), State: ""},
		"no such folder":  {Dir: filepath.Join(t.TempDir(), "none"), State: t.TempDir()},
		"no such config":  {Config: filepath.Join(t.TempDir(), "tend.yaml")},
		"state in memory": inside(t.TempDir()),
	} {
		if tool, err := memorytool.Open(o); err == nil {
			tool.Close()
			t.Errorf("%s: opened", name)
		}
	}
}

func inside(dir string) memorytool.Options {
	return memorytool.Options{Dir: dir, State: filepath.Join(dir, "state")}
}

func TestWithConfig(t *testing.T) {
	dir := t.TempDir()
	conf := "version: 1\nstate_dir: ./state\nagents:\n  ada:\n    layout: harness@0.1\n    workspace: ./ws\n    baselines: {IDENTITY.md: ./id.md}\n"
	for name, text := range map[string]string{"tend.yaml": conf, "id.md": "# Me\n\n---\n", "ws/IDENTITY.md": "# Me\n\n---\n- mine\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tool := open(t, memorytool.Options{Config: filepath.Join(dir, "tend.yaml")})
	if text, isError := tool.Run(t.Context(), []byte(`{"command":"str_replace","path":"/memories/IDENTITY.md","old_str":"# Me","new_str":"# You"}`)); !isError || !strings.Contains(text, "operator's") {
		t.Errorf("the operator's part: %v, %s", isError, text)
	}
}
