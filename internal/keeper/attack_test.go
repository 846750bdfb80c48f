package keeper

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"tend/internal/keeper/door"
	"tend/internal/token"
)

// call is a request as an attacker may write it.
type call struct {
	method, path, body string
	header             map[string]string
	host               string
}

func (h *home) do(c call) (int, string, http.Header) {
	h.t.Helper()
	if c.method == "" {
		c.method = http.MethodPost
	}
	req, err := http.NewRequest(c.method, "http://"+h.addr+c.path, strings.NewReader(c.body))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for k, v := range c.header {
		if v == "" {
			req.Header.Del(k)
		} else {
			req.Header.Set(k, v)
		}
	}
	if c.host != "" {
		req.Host = c.host
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return res.StatusCode, string(text), res.Header
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// tool calls a tool by the stateless protocol.
func tool(name string, args map[string]any) call {
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": name, "arguments": args,
		"_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "x", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		},
	}})
	return call{path: "/mcp", body: string(body), header: map[string]string{
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name,
	}}
}

func (c call) with(secret string) call {
	header := map[string]string{"Authorization": "Bearer " + secret}
	maps.Copy(header, c.header)
	c.header = header
	return c
}

func (c call) and(k, v string) call {
	header := map[string]string{k: v}
	for k2, v2 := range c.header {
		if k2 != k {
			header[k2] = v2
		}
	}
	c.header = header
	return c
}

// TestAttacksOverHTTP tries what is tried against such servers. Each is refused, and the
// same request without the attack is served, so none is refused for another reason.
func TestAttacksOverHTTP(t *testing.T) {
	h := newHome(t, often, "", "a", "b")
	past := time.Now().Add(-time.Hour)
	mine, other, operator := h.token(token.Token{Agent: "a"}), h.token(token.Token{Agent: "b"}), h.token(token.Token{})
	expired, stranger := h.token(token.Token{Agent: "a", Expires: &past}), h.token(token.Token{Agent: "gone"})
	h.start()
	own := "http://" + h.addr
	ok := call{path: "/mcp", body: initialize}.with(mine)
	if code, text, _ := h.do(ok); code != http.StatusOK {
		t.Fatalf("an honest call: %d %s", code, text)
	}
	if code, text, _ := h.do(ok.and("Origin", own)); code != http.StatusOK {
		t.Fatalf("an honest call of the same origin: %d %s", code, text)
	}
	search := tool("memory_read", map[string]any{"filename": "MEMORY.md"}).with(mine)
	if code, text, _ := h.do(search); code != http.StatusOK || !strings.Contains(text, "The operator's text") {
		t.Fatalf("an honest tool call: %d %s", code, text)
	}
	status := call{method: "GET", path: "/api/v1/status"}.with(operator)
	if code, text, _ := h.do(status); code != http.StatusOK {
		t.Fatalf("an honest look at the status: %d %s", code, text)
	}
	unsigned := "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0."
	for _, c := range []struct {
		name string
		call call
		want int
	}{
		{"H1 another origin", ok.and("Origin", "http://evil.example"), 403},
		{"H1 another origin, API", status.and("Origin", "http://evil.example"), 403},
		{"H2 origin null", ok.and("Origin", "null"), 403},
		{"H3 rebinding", call{path: ok.path, body: ok.body, header: ok.header, host: "evil.example"}, 403},
		{"H4 rebinding of the same origin", call{path: ok.path, body: ok.body, host: "evil.example:7433",
			header: ok.and("Origin", "http://evil.example:7433").and("Sec-Fetch-Site", "same-origin").header}, 403},
		{"H5 GET of another origin", call{method: "GET", path: "/mcp"}.with(mine).and("Origin", "http://evil.example"), 403},
		{"H5 GET of another site", call{method: "GET", path: "/metrics"}.and("Sec-Fetch-Site", "cross-site"), 403},
		{"H6 no token", call{path: "/mcp", body: initialize}, 401},
		{"H6 no token, API", call{method: "GET", path: "/api/v1/status"}, 401},
		{"H7 expired", ok.and("Authorization", "Bearer "+expired), 401},
		{"H7 alg none", ok.and("Authorization", "Bearer "+unsigned), 401},
		{"H7 another issuer", ok.and("Authorization", "Bearer tend_aaaaaaaaaaaaaaaaaaaaaaaaaa"), 401},
		{"H7 basic", ok.and("Authorization", "Basic "+mine), 401},
		{"H7 agent that is gone", ok.and("Authorization", "Bearer "+stranger), 401},
		{"H8 token in the query", call{path: "/mcp?access_token=" + mine, body: initialize}, 401},
		{"H8 token in the query, API", call{method: "GET", path: "/api/v1/status?token=" + operator}, 401},
		{"H10 name is not the body's", search.and("Mcp-Name", "memory_write"), 400},
		{"H10 method is not the body's", search.and("Mcp-Method", "tools/list"), 400},
		{"H11 version is not the body's", search.and("MCP-Protocol-Version", "2025-11-25"), 400},
		{"H11 unknown version", search.and("MCP-Protocol-Version", "1999-01-01"), 400},
		{"H12 DELETE", call{method: "DELETE", path: "/mcp"}.with(mine), 405},
		{"H12 GET", call{method: "GET", path: "/mcp"}.with(mine), 405},
		{"H13 5 MiB", call{path: "/mcp", body: `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 5<<20) + `"}`}.with(mine), 413},
		{"H13 deep", call{path: "/mcp", body: strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)}.with(mine), 400},
		{"T1 another agent's status", call{method: "GET", path: "/api/v1/status?agent=b"}.with(mine), 404},
		{"T1 an absent agent's status", call{method: "GET", path: "/api/v1/status?agent=nobody"}.with(mine), 404},
		{"T1 another agent's findings", call{method: "GET", path: "/api/v1/findings?agent=b"}.with(mine), 404},
		{"T1 another agent's memory", call{path: "/mcp/b", body: initialize}.with(mine), 404},
		{"T3 agent ..", call{path: "/mcp/..%2fb", body: initialize}.with(mine), 404},
		{"T3 agent -x", call{path: "/mcp/-x", body: initialize}.with(operator), 404},
		{"T3 long agent", call{path: "/mcp/" + strings.Repeat("a", 200), body: initialize}.with(operator), 404},
		{"T6 nobody's memory", call{path: "/mcp", body: initialize}.with(operator), 404},
		{"an agent starts jobs", call{path: "/api/v1/agents/a/jobs/reset"}.with(mine), 403},
		{"an agent starts another's jobs", call{path: "/api/v1/agents/b/jobs/reset"}.with(mine), 404},
		{"an agent reloads", call{path: "/api/v1/reload"}.with(mine), 403},
		{"an agent acknowledges", call{path: "/api/v1/findings/x/ack"}.with(mine), 403},
		{"a job there is not", call{path: "/api/v1/agents/a/jobs/rm"}.with(operator), 404},
	} {
		code, text, head := h.do(c.call)
		if code != c.want {
			t.Errorf("%s: %d, want %d: %.200s", c.name, code, c.want, text)
		}
		if code == 401 && !strings.Contains(head.Get("WWW-Authenticate"), "resource_metadata=") {
			t.Errorf("%s: WWW-Authenticate is %q", c.name, head.Get("WWW-Authenticate"))
		}
		if strings.Contains(text, h.dir) {
			t.Errorf("%s: the answer names a path of this machine: %s", c.name, text)
		}
	}
	// T1: what is another's and what is not there look the same.
	_, theirs, _ := h.do(call{path: "/mcp/b", body: initialize}.with(mine))
	_, nobodys, _ := h.do(call{path: "/mcp/nobody", body: initialize}.with(mine))
	if theirs != nobodys {
		t.Errorf("another's memory answers %q, an absent one %q", theirs, nobodys)
	}
	// H12: somebody's session id opens nothing and is not needed.
	if code, text, _ := h.do(search.and("Mcp-Session-Id", "somebody-elses")); code != http.StatusOK {
		t.Errorf("H12 foreign session: %d %s", code, text)
	}
	// H13: many keys are only slow if somebody looks at them one by one for each other.
	var keys strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&keys, `"k%d":1,`, i)
	}
	if code, _, _ := h.do(call{path: "/mcp", body: `{` + keys.String() + `"z":1}`}.with(mine)); code < 400 {
		t.Errorf("H13 keys: %d, want a refusal", code)
	}
	// T2, T4, T5: an agent that asks for another by a tool's arguments gets its own or nothing.
	for _, args := range []map[string]any{{"filename": "../b/MEMORY.md"}, {"filename": "MEMORY.md", "agent": "b"}, {"filename": "/etc/passwd"}} {
		_, text, _ := h.do(tool("memory_read", args).with(mine))
		if strings.Contains(text, "# b") || strings.Contains(text, "root:x:") {
			t.Errorf("T2/T4 %v: %s", args, text)
		}
	}
	if code, text, _ := h.do(tool("memory_read", map[string]any{"filename": "MEMORY.md"}).with(other)); code != 200 || !strings.Contains(text, "# b") {
		t.Errorf("b's own memory: %d %s", code, text)
	}
	// H9: no token is in the log.
	for _, secret := range []string{mine, other, operator, expired} {
		if strings.Contains(h.log.String(), secret) || strings.Contains(h.log.String(), strings.TrimPrefix(secret, "tend_")) {
			t.Error("H9: a token is in the log")
		}
	}
	if got := h.read("ws/a/MEMORY.md"); got != baseline("a") {
		t.Errorf("a file was changed: %q", got)
	}
}

func TestReadOnlyTokenCannotWrite(t *testing.T) {
	h := newHome(t, often, "", "a")
	secret := h.token(token.Token{Agent: "a", ReadOnly: true})
	h.start()
	code, text, _ := h.do(tool("memory_write", map[string]any{"filename": "memory/x.md", "content": "hello"}).with(secret))
	if code == 200 && !strings.Contains(text, "error") || h.read("ws/a/memory/x.md") != "" {
		t.Errorf("written by a read-only token: %d %s", code, text)
	}
}

// TestRevokedTokenIsRefusedAtOnce needs no restart.
func TestRevokedTokenIsRefusedAtOnce(t *testing.T) {
	h := newHome(t, often, "", "a").start()
	secret := h.token(token.Token{})
	get := call{method: "GET", path: "/api/v1/status"}.with(secret)
	if code, _, _ := h.do(get); code != 200 {
		t.Fatalf("%d with a new token", code)
	}
	h.write("state/tokens.json", "[]")
	if code, _, _ := h.do(get); code != 401 {
		t.Errorf("%d with a revoked token, want 401", code)
	}
}

// raw sends bytes as they are and returns the status line, "" if the connection was closed.
func (h *home) raw(text string) string {
	h.t.Helper()
	c, err := net.Dial("tcp", h.addr)
	if err != nil {
		h.t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		h.t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil && line == "" {
		if e, ok := err.(net.Error); ok && e.Timeout() {
			return "still open"
		}
		return ""
	}
	return line
}

func TestSmugglingAndSlowloris(t *testing.T) {
	h := newHome(t, often, "", "a").start()
	for name, text := range map[string]string{
		"two lengths":      "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nContent-Length: 40\r\n\r\nabcd",
		"length and chunk": "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
		"no host":          "GET /healthz HTTP/1.1\r\n\r\n",
		"large header":     "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + strings.Repeat("x", 100<<10) + "\r\n\r\n",
	} {
		if got := h.raw(text); got != "" && !strings.Contains(got, " 4") && !strings.Contains(got, " 501") {
			t.Errorf("H15 %s: %q, want a refusal", name, got)
		}
	}
	if got := h.raw("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "); got == "still open" {
		t.Error("H14: a request that never ends was kept open")
	}
}

// TestRefusesToServeInTheOpen is H16.
func TestRefusesToServeInTheOpen(t *testing.T) {
	for _, c := range []struct {
		addr        string
		tls, tokens bool
		fine        bool
	}{
		{"127.0.0.1:7433", false, false, true}, {"[::1]:7433", false, false, true}, {"localhost:7433", false, false, true},
		{"0.0.0.0:7433", false, true, false}, {":7433", false, true, false}, {"0.0.0.0:7433", true, false, false},
		{"192.0.2.1:7433", false, false, false}, {"tend.example:7433", true, true, true}, {"[::]:7433", true, true, true},
	} {
		if err := door.CheckListen(c.addr, c.tls, c.tokens); (err == nil) != c.fine {
			t.Errorf("%s with TLS %v, tokens %v: %v", c.addr, c.tls, c.tokens, err)
		}
	}
	h := newHome(t, often, "keeper:\n  listen: 0.0.0.0:0\n", "a")
	err := Run(t.Context(), Options{Load: h.load, Log: discard(), Clock: time.Now})
	if err == nil || !strings.Contains(err.Error(), "TLS") {
		t.Errorf("listening in the open: %v", err)
	}
}
