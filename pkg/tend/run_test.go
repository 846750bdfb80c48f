package tend_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tend/pkg/tend"
)

// open opens a memory for the duration of a test.
func open(t *testing.T, dir string, o tend.Options) *tend.Memory {
	t.Helper()
	m, err := tend.Open(dir, o)
	must(t, err)
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// folder creates an empty memory and a folder for its state.
func folder(t *testing.T) (dir string, o tend.Options) {
	t.Helper()
	top := t.TempDir()
	dir = filepath.Join(top, "memories")
	must(t, os.Mkdir(dir, 0o755))
	return dir, tend.Options{State: filepath.Join(top, "state")}
}

func TestCommands(t *testing.T) {
	dir, o := folder(t)
	tool := open(t, dir, o)
	for _, tt := range []struct {
		input, want string
		isError     bool
	}{
		{`{"command":"view","path":"/memories"}`,
			"Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n0B\t/memories", false},
		{`{"command":"create","path":"/memories/a.md","file_text":"one\ntwo\n"}`, "File created successfully at: /memories/a.md", false},
		{`{"command":"create","path":"/memories/a.md","file_text":"x"}`, "Error: File /memories/a.md already exists", true},
		{`{"command":"view","path":"/memories/a.md"}`, "Here's the content of /memories/a.md with line numbers:\n     1\tone\n     2\ttwo",
			false},
		{`{"command":"str_replace","path":"/memories/a.md","old_str":"two","new_str":"2"}`,
			"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tone\n     2\t2", false},
		{`{"command":"insert","path":"/memories/a.md","insert_line":0,"insert_text":"zero\n"}`, "The file /memories/a.md has been edited.",
			false},
		{`{"command":"insert","path":"/memories/a.md","insert_line":9,"insert_text":"x"}`,
			"Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 3]", true},
		{`{"command":"rename","old_path":"/memories/a.md","new_path":"/memories/b/c.md"}`,
			"Successfully renamed /memories/a.md to /memories/b/c.md", false},
		{`{"command":"delete","path":"/memories/b"}`, "Successfully deleted /memories/b", false},
		{`{"command":"delete","path":"/memories/"}`, "Cannot delete the /memories directory itself", true},
		{`{"command":"view","path":"/memoriesX"}`, "Path must start with /memories, got: /memoriesX", true},
		{`{"command":"create","path":"/memories/k.md","file_text":"AKIAIOSFODNN7EXAMPLQ"}`, "secret", true},
		{`not json`, "The input is not that of the memory tool", true},
		{`{"command":["view"]}`, "Invalid `command` parameter: it should be text.", true},
		{`{"command":"view","path":"/memories","view_range":"1-2"}`, "Invalid `view_range` parameter: it should be two numbers.", true},
	} {
		text, isError := tool.Run(t.Context(), []byte(tt.input))
		if isError != tt.isError || !strings.Contains(text, tt.want) {
			t.Errorf("%s: %v, %q; want %v, %q", tt.input, isError, text, tt.isError, tt.want)
		}
	}
}

func TestReadOnly(t *testing.T) {
	dir, o := folder(t)
	must(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("x\n"), 0o644))
	o.ReadOnly = true
	tool := open(t, dir, o)
	if text, isError := tool.Run(t.Context(), []byte(`{"command":"view","path":"/memories/a.md"}`)); isError ||
		!strings.Contains(text, "1\tx") {
		t.Errorf("view: %v, %s", isError, text)
	}
	if text, isError := tool.Run(t.Context(), []byte(`{"command":"delete","path":"/memories/a.md"}`)); !isError ||
		!strings.Contains(text, "read-only") {
		t.Errorf("delete: %v, %s", isError, text)
	}
	if _, err := os.Stat(o.State); !os.IsNotExist(err) {
		t.Errorf("a read-only tool made a state folder: %v", err)
	}
}

// TestTwoPrograms: two tools insert into one folder concurrently, and neither overwrites the other.
func TestTwoPrograms(t *testing.T) {
	dir, o := folder(t)
	tools := []*tend.Memory{open(t, dir, o), open(t, dir, o)}
	if text, isError := tools[0].Run(t.Context(), []byte(`{"command":"create","path":"/memories/a.md","file_text":"start\n"}`)); isError {
		t.Fatal(text)
	}
	var wg sync.WaitGroup
	for i, tool := range tools {
		wg.Go(func() {
			for n := range 10 {
				input, _ := json.Marshal(map[string]any{"command": "insert", "path": "/memories/a.md", "insert_line": 0,
					"insert_text": strings.Repeat("x", 10*i+n+1) + "\n"})
				if text, isError := tool.Run(t.Context(), input); isError {
					t.Error(text)
				}
			}
		})
	}
	wg.Wait()
	data, err := os.ReadFile(filepath.Join(dir, "a.md"))
	if err != nil || strings.Count(string(data), "\n") != 21 {
		t.Errorf("%d lines, %v: an insert was lost", strings.Count(string(data), "\n"), err)
	}
}

// TestErrorsNameTheFolder: an error of opening names the folder, not a configuration file that does not exist.
func TestErrorsNameTheFolder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	other, state := t.TempDir(), t.TempDir()
	m := open(t, other, tend.Options{State: state})
	if _, err := m.Note(t.Context(), "the state is this folder's now"); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		dir  string
		o    tend.Options
		want string
	}{
		"no such folder":  {filepath.Join(dir, "none"), tend.Options{}, "does not exist"},
		"a file":          {file, tend.Options{}, "not a folder"},
		"state in memory": {dir, tend.Options{State: filepath.Join(dir, "state")}, "inside the folder"},
		"unknown layout":  {dir, tend.Options{State: t.TempDir(), Layout: "nothing"}, "nothing"},
		"unknown policy":  {dir, tend.Options{State: t.TempDir(), Policy: map[string]any{"file.most": 1}}, "file.most"},
		"another's state": {dir, tend.Options{State: state}, dir},
	} {
		m, err := tend.Open(tt.dir, tt.o)
		if err == nil {
			m.Close()
			t.Errorf("%s: opened", name)
			continue
		}
		if text := err.Error(); !strings.Contains(text, tt.dir) || !strings.Contains(text, tt.want) || strings.Contains(text, "tend.yaml") ||
			strings.Contains(text, ":0") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if _, err := tend.Open(filepath.Join(dir, "none"), tend.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	if _, err := tend.Open("", tend.Options{}); err == nil {
		t.Error("opened no folder")
	}
}

// TestStateBehindALink: a state that lies in the folder is refused, by whatever name either of them is given.
func TestStateBehindALink(t *testing.T) {
	top := t.TempDir()
	dir, link, deep := filepath.Join(top, "memories"), filepath.Join(top, "link"), filepath.Join(top, "deep")
	must(t, os.MkdirAll(filepath.Join(dir, "deep"), 0o755))
	must(t, os.Symlink(dir, link))
	must(t, os.Symlink(filepath.Join(dir, "deep"), deep))
	for _, tt := range []struct{ dir, state string }{
		{link, filepath.Join(dir, "state")}, {dir, filepath.Join(link, "state")}, {dir, filepath.Join(deep, "not", "yet")},
		{dir, deep}, {link, dir},
	} {
		m, err := tend.Open(tt.dir, tend.Options{State: tt.state})
		if err == nil {
			err = m.Close()
			t.Errorf("%s with its state in %s: opened, %v", tt.dir, tt.state, err)
		} else if !strings.Contains(err.Error(), "inside the") || !strings.Contains(err.Error(), tt.state) {
			t.Errorf("%s with its state in %s: %v", tt.dir, tt.state, err)
		}
	}
}

// TestMovedFolder: a folder that has moved keeps its state, unless the place where it was cannot be looked at.
func TestMovedFolder(t *testing.T) {
	dir, o := folder(t)
	moved := dir + "-moved"
	m, err := tend.Open(dir, o)
	must(t, err)
	_, err = m.Note(t.Context(), "the port is 8443")
	must(t, errors.Join(err, m.Close(), os.Rename(dir, moved), os.Symlink(dir, dir)))
	if m, err := tend.Open(moved, o); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a loop where it was: %v, %v", m, err)
	}
	must(t, os.Remove(dir))
	open(t, moved, o)
}

// TestNamesThatAreNotUTF8: such a name is refused; it would be taken for another one.
func TestNamesThatAreNotUTF8(t *testing.T) {
	dir, o := folder(t)
	must(t, os.Mkdir(dir+"é", 0o755))
	for _, tt := range []struct{ dir, state string }{{dir + "\xe9", o.State}, {dir, o.State + "\xe9"}} {
		if m, err := tend.Open(tt.dir, tend.Options{State: tt.state}); err == nil || !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%q, %q: %v, %v", tt.dir, tt.state, m, err)
		}
	}
}

func TestWithConfig(t *testing.T) {
	dir := t.TempDir()
	conf := "version: 1\nstate_dir: ./state\nagents:\n  ada:\n    layout: harness@0.1\n    workspace: ./ws\n" +
		"    baselines: {IDENTITY.md: ./id.md}\n"
	for name, text := range map[string]string{"tend.yaml": conf, "id.md": "# Me\n\n---\n", "ws/IDENTITY.md": "# Me\n\n---\n- mine\n"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	tool, err := tend.OpenAgent(filepath.Join(dir, "tend.yaml"), "ada", tend.Options{})
	must(t, err)
	defer tool.Close()
	for file, agent := range map[string]string{"tend.yaml": "bob", "none.yaml": "ada"} {
		if m, err := tend.OpenAgent(filepath.Join(dir, file), agent, tend.Options{}); err == nil ||
			!strings.HasPrefix(err.Error(), "open memory of "+agent+": ") {
			t.Errorf("agent %s of %s: %v, %v", agent, file, m, err)
		}
	}
	if text, isError := tool.Run(t.Context(),
		[]byte(`{"command":"str_replace","path":"/memories/IDENTITY.md","old_str":"# Me","new_str":"# You"}`)); !isError ||
		!strings.Contains(text, "the operator") {
		t.Errorf("the operator's part: %v, %s", isError, text)
	}
}
