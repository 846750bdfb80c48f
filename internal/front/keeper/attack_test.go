package keeper

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"tend/internal/front/keeper/httpapi"
	"tend/internal/state/token"
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
	must(h.t, err)
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
	res, err := http.DefaultTransport.RoundTrip(req) // follows no redirect
	must(h.t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(h.t, err)
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

// TestAttacksOverHTTP tries known attacks on MCP servers. Each is refused, and the same request without the attack is
// served, so none is refused for another reason.
func TestAttacksOverHTTP(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a", "b")
	past := time.Now().Add(-time.Hour)
	mine, other, operator := h.token(token.Token{Agent: "a"}), h.token(token.Token{Agent: "b"}), h.token(token.Token{})
	expired, stranger := h.token(token.Token{Agent: "a", Expires: &past}), h.token(token.Token{Agent: "gone"})
	h.start()
	own := "http://" + h.addr
	ok := call{path: "/mcp", body: initialize}.with(mine)
	if code, text, _ := h.do(ok); code != http.StatusOK {
		t.Fatalf("a valid call: %d %s", code, text)
	}
	if code, text, _ := h.do(ok.and("Origin", own)); code != http.StatusOK {
		t.Fatalf("a valid call of the same origin: %d %s", code, text)
	}
	search := tool("memory_read", map[string]any{"filename": "MEMORY.md"}).with(mine)
	if code, text, _ := h.do(search); code != http.StatusOK || !strings.Contains(text, "The operator's text") {
		t.Fatalf("a valid tool call: %d %s", code, text)
	}
	status := call{method: "GET", path: "/api/v1/status"}.with(operator)
	if code, text, _ := h.do(status); code != http.StatusOK {
		t.Fatalf("a valid status request: %d %s", code, text)
	}
	unsigned := "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0."
	for _, c := range []struct {
		name string
		call call
		want int
	}{
		{"another origin", ok.and("Origin", "http://evil.example"), 403},
		{"another origin, API", status.and("Origin", "http://evil.example"), 403},
		{"origin null", ok.and("Origin", "null"), 403},
		{"rebinding", call{path: ok.path, body: ok.body, header: ok.header, host: "evil.example"}, 403},
		{"rebinding of the same origin", call{path: ok.path, body: ok.body, host: "evil.example:7433",
			header: ok.and("Origin", "http://evil.example:7433").and("Sec-Fetch-Site", "same-origin").header}, 403},
		{"GET of another origin", call{method: "GET", path: "/mcp"}.with(mine).and("Origin", "http://evil.example"), 403},
		{"GET of another site", call{method: "GET", path: "/metrics"}.and("Sec-Fetch-Site", "cross-site"), 403},
		{"no token", call{path: "/mcp", body: initialize}, 401},
		{"no token, API", call{method: "GET", path: "/api/v1/status"}, 401},
		{"expired", ok.and("Authorization", "Bearer "+expired), 401},
		{"alg none", ok.and("Authorization", "Bearer "+unsigned), 401},
		{"another issuer", ok.and("Authorization", "Bearer tend_aaaaaaaaaaaaaaaaaaaaaaaaaa"), 401},
		{"basic", ok.and("Authorization", "Basic "+mine), 401},
		{"removed agent", ok.and("Authorization", "Bearer "+stranger), 401},
		{"token in the query", call{path: "/mcp?access_token=" + mine, body: initialize}, 401},
		{"token in the query, API", call{method: "GET", path: "/api/v1/status?token=" + operator}, 401},
		{"name is not the body's", search.and("Mcp-Name", "memory_write"), 400},
		{"method is not the body's", search.and("Mcp-Method", "tools/list"), 400},
		{"version is not the body's", search.and("MCP-Protocol-Version", "2025-11-25"), 400},
		{"unknown version", search.and("MCP-Protocol-Version", "1999-01-01"), 400},
		{"DELETE", call{method: "DELETE", path: "/mcp"}.with(mine), 405},
		{"GET", call{method: "GET", path: "/mcp"}.with(mine), 405},
		{"H13 5 MiB", call{path: "/mcp", body: `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 5<<20) + `"}`}.with(mine), 413},
		{"H13 10,000 deep", call{path: "/mcp", body: strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)}.with(mine), 400},
		{"H13 20,000 deep", call{path: "/mcp", body: strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)}.with(mine), 400},
		{"another agent's status", call{method: "GET", path: "/api/v1/status?agent=b"}.with(mine), 404},
		{"an absent agent's status", call{method: "GET", path: "/api/v1/status?agent=nobody"}.with(mine), 404},
		{"another agent's findings", call{method: "GET", path: "/api/v1/findings?agent=b"}.with(mine), 404},
		{"another agent's memory", call{path: "/mcp/b", body: initialize}.with(mine), 404},
		{"agent ..", call{path: "/mcp/..%2fb", body: initialize}.with(mine), 404},
		{"agent -x", call{path: "/mcp/-x", body: initialize}.with(operator), 404},
		{"long agent", call{path: "/mcp/" + strings.Repeat("a", 200), body: initialize}.with(operator), 404},
		{"memory without an agent", call{path: "/mcp", body: initialize}.with(operator), 404},
		{"an agent starts jobs", call{path: "/api/v1/agents/a/jobs/reset"}.with(mine), 403},
		{"an agent starts another's jobs", call{path: "/api/v1/agents/b/jobs/reset"}.with(mine), 403},
		{"an agent reloads", call{path: "/api/v1/reload"}.with(mine), 403},
		{"an agent acknowledges", call{path: "/api/v1/findings/x/ack"}.with(mine), 403},
		{"unknown job", call{path: "/api/v1/agents/a/jobs/rm"}.with(operator), 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, text, head := h.do(c.call)
			if code != c.want {
				t.Errorf("%d, want %d: %.200s", code, c.want, text)
			}
			if code == 401 && !strings.Contains(head.Get("WWW-Authenticate"), "resource_metadata=") {
				t.Errorf("WWW-Authenticate is %q", head.Get("WWW-Authenticate"))
			}
			if strings.Contains(text, h.dir) {
				t.Errorf("the answer names a path of this machine: %s", text)
			}
			// The protocol's error code.
			if want := map[string]string{"H10": "-32020", "H11": "-32022"}[strings.Fields(c.name)[0]]; want != "" && !strings.Contains(text, want) {
				t.Errorf("no code %s in %s", want, text)
			}
		})
	}
	// T1: another agent's memory and a missing one give the same answer.
	_, theirs, _ := h.do(call{path: "/mcp/b", body: initialize}.with(mine))
	_, nobodys, _ := h.do(call{path: "/mcp/nobody", body: initialize}.with(mine))
	if theirs != nobodys {
		t.Errorf("another's memory answers %q, an absent one %q", theirs, nobodys)
	}
	t.Run("every listed version works", func(t *testing.T) {
		_, text, _ := h.do(search.and("MCP-Protocol-Version", "1999-01-01"))
		var answer struct {
			Error struct{ Data struct{ Supported []string } }
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Error.Data.Supported) < 2 {
			t.Fatalf("%v: %s", err, text)
		}
		for _, v := range answer.Error.Data.Supported[1:] {
			if code, text, _ := h.do(call{path: "/mcp", body: strings.Replace(initialize, "2025-06-18", v, 1)}.with(mine).
				and("MCP-Protocol-Version", v)); code != 200 || !strings.Contains(text, v) {
				t.Errorf("%s: %d %s", v, code, text)
			}
		}
	})
	t.Run("foreign session", func(t *testing.T) {
		// A session id is ignored, in the current and the previous version of the protocol.
		legacy := call{path: "/mcp", header: map[string]string{"MCP-Protocol-Version": "2025-06-18"},
			body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_read","arguments":{"filename":"MEMORY.md"}}}`}.with(mine)
		for _, c := range []call{search, legacy} {
			if code, text, _ := h.do(c.and("Mcp-Session-Id", "somebody-elses")); code != http.StatusOK || !strings.Contains(text, "# a") ||
				strings.Contains(text, "# b") {
				t.Errorf("%d %s", code, text)
			}
		}
	})
	// A tool's arguments cannot reach another agent.
	for name, args := range map[string]map[string]any{
		"..": {"filename": "../b/MEMORY.md"}, "absolute": {"filename": "/etc/passwd"}, "lists ..": {"folder": ".."},
		"agent in the arguments": {"filename": "MEMORY.md", "agent": "b"},
	} {
		t.Run(name, func(t *testing.T) {
			what := "memory_read"
			if args["folder"] != nil {
				what = "memory_list"
			}
			_, text, _ := h.do(tool(what, args).with(mine))
			if strings.Contains(text, "# b") || strings.Contains(text, "root:x:") || strings.Contains(text, h.dir) || strings.Contains(text, `"b/`) {
				t.Errorf("%v: %s", args, text)
			}
		})
	}
	if code, text, _ := h.do(tool("memory_read", map[string]any{"filename": "MEMORY.md"}).with(other)); code != 200 ||
		!strings.Contains(text, "# b") {
		t.Errorf("b's own memory: %d %s", code, text)
	}
	if got := h.read("ws/a/MEMORY.md"); got != baseline("a") {
		t.Errorf("a file was changed: %q", got)
	}
}

func TestReadOnlyTokenCannotWrite(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a")
	secret := h.token(token.Token{Agent: "a", ReadOnly: true})
	h.start()
	code, text, _ := h.do(tool("memory_write", map[string]any{"filename": "memory/x.md", "content": "hello"}).with(secret))
	if code == 200 && !strings.Contains(text, "error") || h.read("ws/a/memory/x.md") != "" {
		t.Errorf("written by a read-only token: %d %s", code, text)
	}
}

// TestRevokedTokenIsRefusedAtOnce: revoking needs no restart.
func TestRevokedTokenIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
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

// raw sends raw bytes and returns everything the server sends before it closes the connection; "still open" if it does
// not. With over, it closes its own side for writing.
func (h *home) raw(text string, over bool) (got string) {
	h.t.Helper()
	for range 20 {
		var err error
		if got, err = h.rawOnce(text, over); got != "" || !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
			break
		}
		// The server closed before the answer was read: retry.
	}
	return got
}

func (h *home) rawOnce(text string, over bool) (string, error) {
	h.t.Helper()
	c, err := net.Dial("tcp", h.addr)
	must(h.t, err)
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		return "", err
	}
	if over {
		_ = c.(*net.TCPConn).CloseWrite() // the server may have closed already
	}
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Minute))
	got, err := io.ReadAll(c)
	if e, ok := err.(net.Error); ok && e.Timeout() {
		return "still open", nil
	}
	return string(got), err
}

func TestSmugglingAndSlowloris(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a")
	head := "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAuthorization: Bearer " +
		h.token(token.Token{Agent: "a"}) + "\r\n"
	h.start()
	const hidden = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
	if got := h.raw(hidden+hidden, true); strings.Count(got, "HTTP/1.1 200") != 2 {
		t.Fatalf("two valid requests on one connection: %q", got)
	}
	for name, text := range map[string]string{
		"two lengths":       head + "Content-Length: 4\r\nContent-Length: 40\r\n\r\nabcd" + hidden,
		"list of lengths":   head + "Content-Length: 4, 4\r\n\r\nabcd" + hidden,
		"length with sign":  head + "Content-Length: +4\r\n\r\nabcd" + hidden,
		"length and chunk":  head + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
		"chunk and blank":   head + "Content-Length: 4\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + hidden,
		"folded chunk":      head + "Content-Length: 4\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n" + hidden,
		"chunk twice":       head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
		"chunk of a kind":   head + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + hidden,
		"chunk then none":   head + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + hidden,
		"extension with LF": head + "Transfer-Encoding: chunked\r\n\r\n2;\nxx\r\n0\r\n\r\n" + hidden,
		"no host":           "GET /healthz HTTP/1.1\r\n\r\n",
		"two hosts":         "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
		"large header":      "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + strings.Repeat("x", 100<<10) + "\r\n\r\n",
	} {
		t.Run("H15 "+name, func(t *testing.T) {
			got := h.raw(text, true)
			if first, _, _ := strings.Cut(got, "\n"); !strings.Contains(first, " 4") && !strings.Contains(first, " 501") {
				t.Errorf("%q, want a refusal", first)
			}
			if strings.Count(got, "HTTP/1.1 ") > 1 || strings.Contains(got, " 200 ") {
				t.Errorf("the hidden request was served: %q", got)
			}
		})
	}
	for name, text := range map[string]string{
		"header": "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
		"line":   "GET /hea",
		"nobody": "",
	} {
		t.Run("slow "+name, func(t *testing.T) {
			t.Parallel()
			if got := h.raw(text, false); got == "still open" {
				t.Error("a request that never ends was kept open")
			}
		})
	}
}

// TestRefusesToServeInTheOpen: see test/keeper for the command's exit code.
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
		if err := httpapi.CheckListen(c.addr, c.tls, c.tokens); (err == nil) != c.fine {
			t.Errorf("%s with TLS %v, tokens %v: %v", c.addr, c.tls, c.tokens, err)
		}
	}
	h := newHome(t, often, "keeper:\n  listen: 0.0.0.0:0\n", "a")
	err := Run(t.Context(), Options{Load: h.load, Log: discard(), Clock: time.Now})
	if err == nil || !strings.Contains(err.Error(), "TLS") {
		t.Errorf("listening in the open: %v", err)
	}
}

// TestHandlesOfAnother: ids, cursors and sessions of one agent are useless to another.
func TestHandlesOfAnother(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a", "b")
	mine, other := h.token(token.Token{Agent: "a"}), h.token(token.Token{Agent: "b"})
	h.start()
	_, text, header := h.do(tool("memory_write", map[string]any{"filename": "memory/plan.md", "content": "only for a"}).with(mine))
	if h.read("ws/a/memory/plan.md") == "" {
		t.Fatalf("a could not write: %s", text)
	}
	_, text, _ = h.do(tool("memory_history", map[string]any{}).with(mine))
	ids := regexp.MustCompile(`\b[0-9a-hjkmnp-tv-z]{10}\b`).FindAllString(text, -1)
	if len(ids) == 0 {
		t.Fatalf("no action in %s", text)
	}
	session := header.Get("Mcp-Session-Id") + "x"
	for name, c := range map[string]call{
		"action of a":           tool("memory_history", map[string]any{"id": ids[0]}),
		"action of a, restored": tool("memory_restore", map[string]any{"id": ids[0], "filename": "memory/plan.md"}),
		"file of a":             tool("memory_read", map[string]any{"filename": "memory/plan.md"}),
		"session of a":          tool("memory_read", map[string]any{"filename": "memory/plan.md"}).and("Mcp-Session-Id", session),
		"search for a's words":  tool("memory_search", map[string]any{"query": "only for a"}),
		"cursor of a": {path: "/mcp", body: `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"memory/pla"}}`,
			header: map[string]string{"MCP-Protocol-Version": "2025-06-18"}},
		"page of a's resources": {path: "/mcp",
			body:   `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"tend://a/memory/plan.md"}}`,
			header: map[string]string{"MCP-Protocol-Version": "2025-06-18"}},
		"findings by their path": {method: "GET", path: "/api/v1/findings?agent=a"},
	} {
		t.Run("T5 "+name, func(t *testing.T) {
			_, text, _ := h.do(c.with(other))
			if strings.Contains(text, "only for a") && !strings.Contains(name, "search") || strings.Contains(text, "plan.md") &&
				strings.Contains(text, `"resources"`) {
				t.Errorf("b was served: %s", text)
			}
			if h.read("ws/b/memory/plan.md") != "" {
				t.Error("b has a's text now")
			}
		})
	}
	if _, text, _ := h.do(tool("memory_history", map[string]any{"id": ids[0]}).with(mine)); !strings.Contains(text, ids[0]) {
		t.Errorf("a's own action is not known to it: %s", text)
	}
}
