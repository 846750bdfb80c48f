package mcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serve starts a server without a token on a free port and returns its address.
func serve(t *testing.T, dir string, args ...string) string {
	t.Helper()
	addr, _ := serveSaying(t, dir, append(args, "--no-token")...)
	return addr
}

// serveSaying starts a server and returns its address and the rest of its output.
func serveSaying(t *testing.T, dir string, args ...string) (string, *bufio.Reader) {
	t.Helper()
	cmd := tend(dir, append([]string{"mcp", "ada", "--http", "127.0.0.1:0"}, args...)...)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(said)
	line, err := lines.ReadString('\n')
	addr := regexp.MustCompile(`http://([^/]+)/mcp`).FindStringSubmatch(line)
	if err != nil || addr == nil {
		t.Fatalf("the server said %q, %v", line, err)
	}
	if slices.Contains(args, "--no-token") {
		go io.Copy(io.Discard, lines)
	}
	return addr[1], lines
}

// TestHTTPAsksForAToken: a token is required, as every user of this machine can reach the port.
func TestHTTPAsksForAToken(t *testing.T) {
	dir := newWorkspace(t, "", nil)
	made := func(args ...string) string {
		out, err := tend(dir, append([]string{"token", "create", "-q"}, args...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	mine, reader, operator := made("ada"), made("ada", "--read-only"), made("--operator")
	addr, said := serveSaying(t, dir)
	line, err := said.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, said)
	run, _, _ := strings.Cut(strings.TrimPrefix(line, "Authorization: Bearer "), " ")
	const write = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_write","arguments":{"filename":"memory/NAME.md","content":"hello"}}}`
	tries, held := 0, 0
	for name, tc := range map[string]struct {
		secret string
		serves bool
		writes bool
	}{
		"nobody": {"", false, false}, "madeup": {"tend_0000000000", false, false}, "run": {run, true, true},
		"mine": {mine, true, true}, "reader": {reader, true, false}, "operator": {operator, true, true},
	} {
		tries++
		header := map[string]string{}
		if tc.secret != "" {
			header["Authorization"] = "Bearer " + tc.secret
		}
		code, _ := post(t, "POST", addr, discover, header)
		if (code == 200) != tc.serves || !tc.serves && code != 401 {
			t.Errorf("%s: %d", name, code)
		}
		post(t, "POST", addr, strings.Replace(write, "NAME", name, 1), header)
		_, err := os.Stat(filepath.Join(dir, "ws", "memory", name+".md"))
		if wrote := err == nil; wrote != tc.writes {
			t.Errorf("%s wrote: %v, want %v", name, wrote, tc.writes)
			continue
		}
		held++
	}
	t.Logf("mcp --http: %d tries, %d held", tries, held)
}

const discover = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`

// post sends a request with some headers and returns the status and the body.
func post(t *testing.T, method, addr, body string, header map[string]string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, "http://"+addr+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for k, v := range header {
		if k == "Host" {
			req.Host = v
		} else {
			req.Header.Set(k, v)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(data)
}

func TestHTTP(t *testing.T) {
	dir := newWorkspace(t, "", map[string]string{"ws/MEMORY.md": "mine\n"})
	addr := serve(t, dir)

	t.Run("client", func(t *testing.T) {
		for _, version := range []string{"", "2025-06-18"} {
			s, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(context.Background(),
				&sdk.StreamableClientTransport{Endpoint: "http://" + addr + "/mcp"}, &sdk.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			c := client{t, s}
			if got := c.must("memory_read", map[string]any{"filename": "MEMORY.md"}); !strings.Contains(got, "mine") {
				t.Errorf("read %q", got)
			}
			c.must("memory_append", map[string]any{"filename": "http.md", "text": "hello"})
			s.Close()
		}
	})

	// Attacks H1-H5, H12-H13: other origins, other names, other methods, huge bodies.
	for _, tt := range []struct {
		name, method string
		header       map[string]string
		body         string
		want         []int
	}{
		{"fair", "POST", nil, discover, []int{200}},
		{"same origin", "POST", map[string]string{"Origin": "http://" + addr}, discover, []int{200}},
		{"evil origin", "POST", map[string]string{"Origin": "http://evil.example"}, discover, []int{403}},
		{"null origin", "POST", map[string]string{"Origin": "null"}, discover, []int{403}},
		{"rebound name", "POST", map[string]string{"Host": "evil.example"}, discover, []int{403}},
		{"rebound name, same origin", "POST",
			map[string]string{"Host": "evil.example", "Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"}, discover, []int{403}},
		{"cross-site fetch", "POST", map[string]string{"Sec-Fetch-Site": "cross-site"}, discover, []int{403}},
		{"GET from elsewhere", "GET", map[string]string{"Origin": "http://evil.example"}, "", []int{403, 405}},
		{"GET", "GET", nil, "", []int{405}},
		{"DELETE", "DELETE", nil, "", []int{405}},
		{"foreign session", "POST", map[string]string{"Mcp-Session-Id": "somebody-elses"}, discover, []int{200}},
		{"H13 5 MiB", "POST", nil, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"` + strings.Repeat("a", 5<<20) + `"}}`,
			[]int{413}},
		{"not JSON", "POST", nil, "this is not JSON", []int{400}},
		{"another type", "POST", map[string]string{"Content-Type": "text/plain"}, discover, []int{400, 415}},
		{"another path in the version", "POST", map[string]string{"Mcp-Protocol-Version": "1999-01-01"}, discover, []int{400}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, body := post(t, tt.method, addr, tt.body, tt.header)
			if slices.Contains(tt.want, got) {
				return
			}
			t.Errorf("%d, want %v: %.200s", got, tt.want, body)
		})
	}
}

// TestHTTPHeadersMatchTheBody: as the newest protocol asks.
func TestHTTPHeadersMatchTheBody(t *testing.T) {
	addr := serve(t, newWorkspace(t, "", nil))
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_list","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	fair := map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "memory_list"}
	with := func(k, v string) map[string]string {
		m := map[string]string{}
		maps.Copy(m, fair)
		m[k] = v
		return m
	}
	for _, tt := range []struct {
		name   string
		header map[string]string
		status int
		code   string
	}{
		{"fair", fair, 200, `"result"`},
		{"another name", with("Mcp-Name", "memory_read"), 400, "-32020"},
		{"another method", with("Mcp-Method", "tools/list"), 400, "-32020"},
		{"another version", with("Mcp-Protocol-Version", "2099-01-01"), 400, "-320"},
	} {
		if status, got := post(t, "POST", addr, body, tt.header); status != tt.status || !strings.Contains(got, tt.code) {
			t.Errorf("%s: %d %.200s, want %d %s", tt.name, status, got, tt.status, tt.code)
		}
	}
}

// TestHTTPStaysOnThisMachine: without tokens and TLS other machines are not served.
func TestHTTPStaysOnThisMachine(t *testing.T) {
	dir := newWorkspace(t, "", nil)
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:80", "example.org:80", "nonsense"} {
		out, err := tend(dir, "mcp", "ada", "--http", addr).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "127.0.0.1:PORT") {
			t.Errorf("%s: %v, %s", addr, err, out)
		}
	}
}

// TestHTTPSmuggling: requests that two servers would read differently.
func TestHTTPSmuggling(t *testing.T) {
	addr := serve(t, newWorkspace(t, "", nil))
	for name, head := range map[string]string{
		"two lengths":      "Content-Length: 5\r\nContent-Length: 6\r\n",
		"length and chunk": "Content-Length: 5\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
	} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%s\r\n{}   ", addr, head)
		line, _ := bufio.NewReader(conn).ReadString('\n')
		if !strings.Contains(line, "400") && !strings.Contains(line, "501") {
			t.Errorf("%s: %q", name, line)
		}
		conn.Close()
	}
}

// TestHTTPReadOnly: --read-only applies to HTTP too.
func TestHTTPReadOnly(t *testing.T) {
	dir := newWorkspace(t, "", map[string]string{"ws/MEMORY.md": "mine\n"})
	addr := serve(t, dir, "--read-only")
	status, body := post(t, "POST", addr,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_write","arguments":{"filename":"MEMORY.md","content":"x"}}}`, nil)
	if got := read(t, filepath.Join(dir, "ws/MEMORY.md")); got != "mine\n" || !strings.Contains(body, "unknown tool") {
		t.Errorf("%d %s, file %q", status, body, got)
	}
}
