package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/memory"
)

// served returns a server of a small memory.
func served(t *testing.T, conf string, o Options, files ...string) *sdk.Server {
	t.Helper()
	dir := t.TempDir()
	top := "MEMORY.md"
	if conf == harness { // which has its memory in a folder
		top = "notes.txt"
	}
	put(t, filepath.Join(dir, "ws", top), []byte("- kept\n"))
	for i := 0; i < len(files); i += 2 {
		put(t, filepath.Join(dir, "ws", files[i]), []byte(files[i+1]))
	}
	put(t, filepath.Join(dir, "tend.yaml"), fmt.Appendf(nil, talkConfig, conf))
	m := memory.New(open(t, dir, !o.ReadOnly), memory.Options{})
	s, err := New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// TestBadLineDoesNotEndTheServer sends every kind of invalid line; the request after it must be answered.
func TestBadLineDoesNotEndTheServer(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		code       int
		id         string
	}{
		{"no JSON", "hello", -32700, "null"},
		{"half an object", `{"jsonrpc":"2.0","id":2,`, -32700, "null"},
		{"bytes", "\x00\xff\xfe", -32700, "null"},
		{"half a character", `{"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":{"x":"` + "\xc3" + `"}}}`, -32700, "2"},
		{"two on a line", `{"jsonrpc":"2.0","id":2,"method":"ping"} {}`, -32700, "null"},
		{"too long", `"` + strings.Repeat("x", maxLine) + `"`, -32700, "null"},
		{"a number", "7", -32600, "null"},
		{"null", "null", -32600, "null"},
		{"no version", `{"id":2,"method":"ping"}`, -32600, "2"},
		{"method a number", `{"jsonrpc":"2.0","id":"a","method":5}`, -32600, `"a"`},
		{"id an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, "null"},
		{"empty batch", "[]", -32600, "null"},
		{"bad batch", "[1]", -32600, "null"},
		{"one id twice", `[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`, -32600, "null"},
		{"large batch", "[" + strings.Repeat("1,", 60) + "1]", -32600, "null"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			in := hello + tt.line + "\r\n\n  " + `{"jsonrpc":"2.0","id":9,"method":"ping"} `
			if err := ServeStdio(t.Context(), served(t, "", Options{}), strings.NewReader(in), &out, nil); err != nil {
				t.Fatal(err)
			}
			refused, answered := false, false
			for sc := bufio.NewScanner(&out); sc.Scan(); {
				var a struct {
					ID     json.RawMessage
					Result json.RawMessage
					Error  struct{ Code int }
				}
				if err := json.Unmarshal(sc.Bytes(), &a); err != nil {
					t.Fatalf("%s: %v", sc.Bytes(), err)
				}
				refused = refused || a.Error.Code == tt.code && string(a.ID) == tt.id
				answered = answered || string(a.ID) == "9" && a.Result != nil
			}
			if !refused || !answered {
				t.Errorf("refused %v, next one answered %v", refused, answered)
			}
		})
	}
}
