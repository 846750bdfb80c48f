package keeper

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tend/internal/front/keeper/httpapi"
	"tend/internal/state/token"
)

// bearer is a client of the matrix.
type bearer struct {
	name   string
	secret string
	valid  bool
	t      token.Token
}

// want returns the allowed statuses of a client's request, or 0 where the route decides; agent is the one in the path.
func (b bearer) want(r httpapi.Route, method, agent string) []int {
	switch {
	case r.Path == "/login": // two rows; a token in a header does not count as one in the form
		switch method {
		case "GET", "HEAD":
			return []int{200}
		case "POST":
			return []int{403}
		}
		return []int{405}
	case r.Method != "" && method != r.Method && !(method == "HEAD" && r.Method == "GET"):
		return []int{405, 404}
	case r.Access == httpapi.Anyone:
		return []int{200, 503}
	case r.Access == httpapi.Browser && strings.HasPrefix(r.Path, "/static/"):
		return []int{200, 404}
	case r.Access == httpapi.Browser: // a bearer token is not a session, not even the operator's
		return []int{303, 401}
	case !b.valid:
		return []int{401}
	case r.Access == httpapi.Operator && (!b.t.Operator() || b.t.ReadOnly):
		return []int{403}
	case strings.Contains(r.Path, "/mcp/{agent}") && !b.t.Operator() && b.t.Agent != agent:
		return []int{404}
	}
	return nil
}

// TestTokenMatrix tries every kind of token on every route with every method. The routes come from the server's own
// table, so new ones are included.
func TestTokenMatrix(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a", "b")
	past := time.Now().Add(-time.Hour)
	add := func(name string, tk token.Token) bearer {
		return bearer{name, h.token(tk), tk.Expires == nil, tk}
	}
	clients := []bearer{
		{name: "no token"}, {name: "made up", secret: "tend_00000000000000000000000000"},
		add("agent a", token.Token{Agent: "a"}), add("agent a, read-only", token.Token{Agent: "a", ReadOnly: true}),
		add("agent b", token.Token{Agent: "b"}), add("agent b, read-only", token.Token{Agent: "b", ReadOnly: true}),
		add("operator", token.Token{}), add("operator, read-only", token.Token{ReadOnly: true}),
		add("expired", token.Token{Expires: &past}), add("expired agent", token.Token{Agent: "a", Expires: &past}),
	}
	gone := add("removed agent", token.Token{Agent: "zoe"})
	gone.valid = false
	clients = append(clients, gone)
	h.start()
	tries, held := 0, 0
	for _, r := range httpapi.Routes() {
		for _, agent := range []string{"a", "b", "zoe"} {
			path := strings.NewReplacer("{agent}", agent, "{job}", "audit", "{id}", "00000000", "{$}", "", "{name}", "style.css", "{path...}",
				"MEMORY.md", "{verb}", "undo").Replace(r.Path)
			if path == r.Path && agent != "a" {
				continue
			}
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
				for _, c := range clients {
					tries++
					request := call{method: method, path: path, body: "{}"}
					if c.secret != "" {
						request = request.with(c.secret)
					}
					code, text, _ := h.do(request)
					want := c.want(r, method, agent)
					wrong := want != nil && !slices.Contains(want, code)
					if want == nil { // anything but a refusal
						wrong = code == 401 || code == 403 && c.t.Operator() && !c.t.ReadOnly
					}
					if wrong {
						t.Errorf("%s: %s %s: %d, want %v: %s", c.name, method, path, code, want, text)
						continue
					}
					held++
				}
			}
		}
	}
	t.Logf("token matrix: %d tries, %d held", tries, held)
}

// TestReadOnlyChangesNothing calls every tool and every route with read-only tokens.
func TestReadOnlyChangesNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t, "", "", "a")
	h.write("ws/a/memory/2026-11-15.md", "- [decision] we agreed\n")
	agent, operator := h.token(token.Token{Agent: "a", ReadOnly: true}), h.token(token.Token{ReadOnly: true})
	writer := h.token(token.Token{Agent: "a"})
	h.start()
	list := func(secret string) (names []string) {
		c := tool("", nil)
		c.body = strings.Replace(strings.Replace(c.body, "tools/call", "tools/list", 1), `"name":"",`, "", 1)
		c.header["Mcp-Method"] = "tools/list"
		delete(c.header, "Mcp-Name")
		_, text, _ := h.do(c.with(secret))
		var answer struct {
			Result struct {
				Tools []struct{ Name string } `json:"tools"`
			} `json:"result"`
		}
		if i := strings.Index(text, "{"); i >= 0 {
			_ = json.Unmarshal([]byte(text[i:]), &answer)
		}
		for _, x := range answer.Result.Tools {
			names = append(names, x.Name)
		}
		return names
	}
	all := append(list(writer), h.otherTools(writer)...)
	if len(all) < 12 {
		t.Fatalf("tools: %v", all)
	}
	before := files(t, filepath.Join(h.dir, "ws"))
	tries := 0
	for _, secret := range []string{agent, operator} {
		for _, name := range all {
			for _, args := range []map[string]any{
				{}, {"filename": "memory/x.md", "content": "x", "text": "x", "entry": "x", "tag": "decision", "summary": "x", "why": "x"},
				{"filename": "memory/2026-11-15.md", "old_text": "we agreed", "new_text": "we did not", "old_str": "we agreed", "new_str": "no",
					"line": 1},
				{"filename": "memory/2026-11-15.md"}, {"from": "memory/2026-11-15.md", "to": "memory/y.md"}, {"restore": true, "filename": "MEMORY.md"},
			} {
				for _, c := range []call{tool(name, args), tool("memory_other", map[string]any{"tool": name, "arguments": args})} {
					tries++
					if secret == operator {
						c.path = "/mcp/a"
					}
					h.do(c.with(secret))
				}
			}
		}
		for _, r := range httpapi.Routes() {
			for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodGet} {
				tries++
				path := strings.NewReplacer("{agent}", "a", "{job}", "reset", "{id}", "00000000", "{$}", "", "{name}", "style.css", "{path...}",
					"MEMORY.md", "{verb}", "undo").Replace(r.Path)
				h.do(call{method: method, path: path, body: "{}"}.with(secret))
			}
		}
	}
	after := files(t, filepath.Join(h.dir, "ws"))
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s was changed: %q", name, after[name])
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files, there were %d", len(after), len(before))
	}
	t.Logf("read-only tokens: %d tries, %d files unchanged", tries, len(before))
	// The same tool with a token that may write does.
	if code, text, _ := h.do(tool("memory_write", map[string]any{"filename": "memory/x.md", "content": "hello"}).
		with(writer)); h.read("ws/a/memory/x.md") != "hello" {
		t.Errorf("memory_write with a token that may: %d %s", code, text)
	}
}

// otherTools returns the tools that are not listed, which memory_other calls.
func (h *home) otherTools(secret string) (names []string) {
	_, text, _ := h.do(tool("memory_other", map[string]any{}).with(secret))
	var answer struct {
		Result struct {
			Content []struct{ Text string } `json:"content"`
		} `json:"result"`
	}
	if i := strings.Index(text, "{"); i >= 0 {
		_ = json.Unmarshal([]byte(text[i:]), &answer)
	}
	for _, c := range answer.Result.Content {
		for line := range strings.Lines(c.Text) {
			if name, _, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(name, "memory_") {
				names = append(names, name)
			}
		}
	}
	return names
}

// files returns the texts of all files below a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		out[filepath.ToSlash(rel)] = string(text)
		return err
	})
	must(t, err)
	return out
}
