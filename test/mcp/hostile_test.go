package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pipe is a server on raw pipes, for input that no client sends.
type pipe struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func raw(t *testing.T, dir string) *pipe {
	t.Helper()
	cmd := tend(dir, "mcp", "ada")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &pipe{t, cmd, in, bufio.NewReaderSize(out, 1<<20)}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	if _, err := p.answer(1); err != nil {
		t.Fatal(err)
	}
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return p
}

// send ignores errors: a server may close the connection.
func (p *pipe) send(line string) { _, _ = io.WriteString(p.in, line+"\n") }

// answer reads until the answer to a request; io.EOF if the server has ended.
func (p *pipe) answer(id int) (string, error) {
	for {
		line, err := p.out.ReadString('\n')
		if err != nil {
			return "", err
		}
		var msg struct{ ID any }
		if json.Unmarshal([]byte(line), &msg) == nil && fmt.Sprint(msg.ID) == fmt.Sprint(id) {
			return line, nil
		}
	}
}

// TestMalformedInput sends invalid requests. The server may answer with an error or exit, but it writes nothing, and a new
// one works.
func TestMalformedInput(t *testing.T) {
	write := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_write","arguments":{"filename":"planted.md","content":"x"}}`
	for name, line := range map[string]string{
		"no JSON":            `this is no JSON`,
		"cut off":            write,
		"an array":           `[1,2,3]`,
		"a number":           `42`,
		"null":               `null`,
		"no version":         `{"id":2,"method":"ping"}`,
		"another version":    `{"jsonrpc":"1.0","id":2,"method":"ping"}`,
		"method is a number": `{"jsonrpc":"2.0","id":2,"method":7}`,
		"id is an object":    `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		"unexpected answer":  `{"jsonrpc":"2.0","id":99,"result":{}}`,
		"doubled keys":       strings.Replace(write+"}", `"filename":"planted.md"`, `"filename":"planted.md","filename":"../planted.md"`, 1),
		"keys in other case": strings.Replace(write+"}", `"filename"`, `"FileName"`, 1),
		"deep": `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_read","arguments":` +
			strings.Repeat(`{"a":`, 10_000) + `1` + strings.Repeat(`}`, 10_000) + `}}`,
		"invalid UTF-8": strings.Replace(write+"}", "planted.md", "plan\xffted.md", 1),
		"NUL":           "\x00\x00\x00",
		"a million keys": `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_read","arguments":{` + keys(1_000_000) +
			`}}}`,
		"a line without end":  strings.Repeat("a", 17<<20),
		"params are an array": `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newWorkspace(t, "", map[string]string{"ws/MEMORY.md": "mine\n"})
			p := raw(t, dir)
			p.send(line)
			p.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory_read","arguments":{"filename":"MEMORY.md"}}}`)
			if got, err := p.answer(3); err == nil && !strings.Contains(got, "mine") {
				t.Errorf("the next request got %.200s", got)
			} else if err != nil {
				if got, err := raw(t, dir).ask("memory_read", `{"filename":"MEMORY.md"}`); err != nil || !strings.Contains(got, "mine") {
					t.Errorf("a new server: %.200s, %v", got, err)
				}
			}
			for _, planted := range []string{"ws/planted.md", "planted.md"} {
				if names, _ := filepath.Glob(filepath.Join(dir, planted)); len(names) > 0 {
					t.Errorf("%s was made", planted)
				}
			}
		})
	}
}

func keys(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"k%d":1`, i)
	}
	return b.String()
}

func (p *pipe) ask(tool, args string) (string, error) {
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args))
	return p.answer(7)
}

// TestHugeInput writes more than a file may have, with every tool.
func TestHugeInput(t *testing.T) {
	dir := newWorkspace(t, "", map[string]string{"ws/MEMORY.md": "mine\n"})
	c := connect(t, dir, nil)
	huge := strings.Repeat("0123456789abcdef", 2<<20/16)
	type m = map[string]any
	for tool, args := range map[string]m{
		"memory_write":   {"filename": "huge.md", "content": huge},
		"memory_append":  {"filename": "MEMORY.md", "text": huge},
		"memory_insert":  {"filename": "MEMORY.md", "line": 0, "text": huge},
		"memory_replace": {"filename": "MEMORY.md", "old_str": "mine", "new_str": huge},
		"memory_note":    {"text": huge},
	} {
		text, failed := c.call(tool, args)
		if !failed || len(text) > 500 {
			t.Errorf("%s: failed %v, %.200s", tool, failed, text)
		}
	}
	// A search text as large as the file, and one that occurs a million times.
	if text, failed := c.call("memory_replace", m{"filename": "MEMORY.md", "old_str": huge, "new_str": ""}); !failed || len(text) > 500 {
		t.Errorf("a huge old_str: %.200s", text)
	}
	c.must("memory_write", m{"filename": "many.md", "content": strings.Repeat("a", 1_000_000)})
	if text, failed := c.call("memory_replace", m{"filename": "many.md", "old_str": "a", "new_str": "b"}); !failed ||
		!strings.Contains(text, "1000000 times") || len(text) > 500 {
		t.Errorf("a million places: %.200s", text)
	}
	if got := read(t, filepath.Join(dir, "ws/MEMORY.md")); got != "mine\n" {
		t.Errorf("the file was changed: %.50q", got)
	}
}
