package mcp

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tend/internal/app/memory"
)

// FuzzInput sends any line to the server between a handshake and a ping: nothing panics, and files outside the workspace
// stay as they are. Opening a fleet costs a hundred times as much as a line, so one serves many lines.
func FuzzInput(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_write","arguments":{"filename":"../tend.yaml","content":"x"}}}`)
	f.Add(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"memory://../x"}}`)
	f.Add(`[{"jsonrpc":"2.0","id":1},`)
	f.Add("\x00\xff{")
	const yaml = "version: 1\nstate_dir: ./state\nagents:\n  ada: {workspace: ./ws, layout: openclaw, timezone: UTC}\n"
	dir := f.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "ws"), 0o755),
		os.WriteFile(filepath.Join(dir, "tend.yaml"), []byte(yaml), 0o644)); err != nil {
		f.Fatal(err)
	}
	m := memory.New(open(f, dir, true), memory.Options{})
	f.Fuzz(func(t *testing.T, line string) {
		s, err := New(m, Options{Version: "test"})
		if err != nil {
			t.Fatal(err)
		}
		in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"f","version":"1"}}}` + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + strings.ReplaceAll(line, "\n", " ") + "\n" +
			`{"jsonrpc":"2.0","id":9,"method":"ping"}` + "\n"
		var out bytes.Buffer
		_ = ServeStdio(t.Context(), s, strings.NewReader(in), &out, nil)
		if got, err := os.ReadFile(filepath.Join(dir, "tend.yaml")); err != nil || string(got) != yaml {
			t.Errorf("the configuration was changed: %q %v", got, err)
		}
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if n := e.Name(); n != "ws" && n != "state" && n != "tend.yaml" {
				t.Errorf("%s was written outside", n)
			}
		}
	})
}
