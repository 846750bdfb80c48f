//go:build !windows

package keeper

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// address returns the keeper's address.
func (r *running) address() string {
	r.t.Helper()
	m := regexp.MustCompile(`listen=(\S+)`).FindStringSubmatch(r.log())
	if m == nil {
		r.t.Fatalf("it does not say where it listens\n%s", r.log())
	}
	return m[1]
}

func (h *fixture) token(args ...string) string {
	h.t.Helper()
	out, code := h.run(append([]string{"--quiet", "token", "create"}, args...)...)
	if code != 0 {
		h.t.Fatalf("token: %s", out)
	}
	return strings.TrimSpace(out)
}

// ask sends a request and returns status and body.
func ask(t *testing.T, method, url, token, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(text)
}

func toolCall(name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments)
}

// TestTokensStayInside uses valid and invalid tokens, has the agent write its own into its memory, sends alerts, and then
// searches for every token everywhere.
func TestTokensStayInside(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var outbound bytes.Buffer
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_ = r.Write(&outbound)
	}))
	defer hook.Close()
	h := newFixture(t)
	h.write("page", "#!/bin/sh\ncat >>"+h.path("paged")+"\nenv >>"+h.path("paged")+"\n")
	if err := os.Chmod(h.path("page"), 0o755); err != nil {
		t.Fatal(err)
	}
	h.add("alerts:\n  webhook: " + hook.URL + "\n  command: [" + h.path("page") + "]\n  from: info\n")
	agent, operator, revoked := h.token("scout"), h.token("--operator"), h.token("scout")
	out, _ := h.run("token", "list", "--json")
	ids := regexp.MustCompile(`"id": "([0-9a-f]+)"`).FindAllStringSubmatch(out, -1)
	if len(ids) != 3 {
		t.Fatalf("tokens: %s", out)
	}
	if out, code := h.run("token", "revoke", ids[2][1]); code != 0 {
		t.Fatal(out)
	}
	r := h.up("-v")
	base := "http://" + r.address()
	var answers strings.Builder
	try := func(method, path, token, body string, header ...string) {
		code, text := ask(t, method, base+path, token, body, header...)
		fmt.Fprintln(&answers, code, text)
	}
	for _, secret := range []string{agent, operator, revoked, agent + "x"} {
		try("POST", "/mcp", secret, toolCall("memory_read", `{"filename":"MEMORY.md"}`))
		try("POST", "/mcp/scout", secret, toolCall("memory_list", `{}`))
		try("GET", "/api/v1/status", secret, "")
		try("GET", "/api/v1/findings?token="+secret, "", "")
		try("GET", "/"+secret, "", "")
		try("POST", "/mcp?access_token="+secret, "", "{")
		try("POST", "/mcp", "", "{", "Authorization", "Basic "+secret)
		try("POST", "/mcp", secret, "{", "Origin", "http://"+secret+".example")
		try("POST", "/mcp", secret, `{"jsonrpc":"2.0","id":1,"method":"`+secret+`"}`)
		try("POST", "/api/v1/agents/scout/jobs/"+secret, operator, "")
		try("POST", "/api/v1/findings/"+secret+"/ack", operator, "")
		// The agent writes its own token to a file, or into a file name.
		try("POST", "/mcp", agent, toolCall("memory_append", `{"filename":"MEMORY.md","text":"my token is `+secret+`"}`))
		try("POST", "/mcp", agent, toolCall("memory_write", `{"filename":"`+secret+`/../../x","content":"x"}`))
	}
	answered := answers.String()
	if !strings.Contains(answered, "200 ") || !strings.Contains(answered, "401 ") {
		t.Fatalf("the tokens were not tried: %s", answered)
	}
	// A name that the client chose is echoed to that client; nothing else is.
	if err := os.WriteFile(h.baseline(), []byte("evil"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.until("alerts", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(outbound.String(), "baseline-restored") && strings.Contains(h.read("paged"), "baseline-restored")
	})
	r.until("refusals are reported", func() bool { mu.Lock(); defer mu.Unlock(); return strings.Contains(outbound.String(), "call-refused") })
	_, metrics := ask(t, "GET", base+"/metrics", "", "")
	h.note("- something to be committed\n")
	r.until("history", func() bool { m, _ := filepath.Glob(h.path("state/history/*.git/refs/heads/main")); return len(m) > 0 })
	status, _ := h.run("status", "--json")
	r.signal(syscall.SIGTERM)
	r.ends()

	places := map[string]string{"log": r.log(), "metrics": metrics, "web hook": outbound.String(), "status": status}
	_ = filepath.WalkDir(h.dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, _ := os.ReadFile(p)
			places[strings.TrimPrefix(p, h.dir)] = p + "\n" + string(data)
		}
		return nil
	})
	repos, _ := filepath.Glob(h.path("state/history/*.git"))
	for _, repo := range repos {
		all, err := exec.Command("git", "--git-dir", repo, "cat-file", "--batch-all-objects", "--batch").Output()
		if err != nil {
			t.Fatal(err)
		}
		places["git "+filepath.Base(repo)] = string(all)
	}
	for _, secret := range []string{agent, operator, revoked} {
		for where, text := range places {
			if bare := strings.TrimPrefix(secret, "tend_"); strings.Contains(text, bare) {
				at := strings.Index(text, bare)
				t.Errorf("a token is in %s: …%s…", where, text[max(0, at-120):min(len(text), at+20)])
			}
		}
	}
	if len(places) < 20 {
		t.Errorf("only %d places were searched", len(places))
	}
}

// memory returns a process's peak memory in bytes.
func (r *running) memory() int64 {
	r.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.cmd.Process.Pid))
	if err != nil {
		r.t.Fatal(err)
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	if m == nil {
		r.t.Fatalf("no VmHWM in %s", text)
	}
	kb, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return kb << 10
}

// TestLargeBodies sends large and expensive bodies: each is refused, and sixteen at once do not exhaust memory.
func TestLargeBodies(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	secret := h.token("scout")
	r := h.up()
	url := "http://" + r.address() + "/mcp"
	var keys strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&keys, `"k%d":1,`, i)
	}
	before := r.memory()
	for name, c := range map[string]struct {
		body string
		want int
	}{
		"5 MiB":            {`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 5<<20) + `"}`, 413},
		"10,000 deep":      {strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000), 400},
		"10,000 deep list": {strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), 400},
		"deep in a call":   {toolCall("memory_read", `{"filename":`+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)+`}`), 0},
		"10^6 keys":        {`{` + keys.String() + `"z":1}`, 413},
		"many keys":        {toolCall("memory_read", `{`+keys.String()[:3<<20]+`"z":1,"filename":"MEMORY.md"}`), 0},
		"large number":     {`{"jsonrpc":"2.0","id":` + strings.Repeat("9", 1<<20) + `,"method":"ping"}`, 0},
		"many in a batch": {"[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, 50_000) +
			`{"jsonrpc":"2.0","id":1,"method":"ping"}]`, 0},
	} {
		t.Run("H13 "+name, func(t *testing.T) {
			var wg sync.WaitGroup
			for range 16 {
				wg.Go(func() {
					req, _ := http.NewRequest(http.MethodPost, url, strings.NewReader(c.body))
					req.Header.Set("Content-Type", "application/json")
					req.Header.Set("Accept", "application/json, text/event-stream")
					req.Header.Set("Authorization", "Bearer "+secret)
					res, err := (&http.Client{Timeout: time.Minute}).Do(req)
					if err != nil {
						if c.want != 413 { // the server may close the connection instead
							t.Error(err)
						}
						return
					}
					defer res.Body.Close()
					text, _ := io.ReadAll(res.Body)
					refused := res.StatusCode >= 400 || bytes.Contains(text, []byte(`"error"`)) || bytes.Contains(text, []byte(`"isError":true`))
					if c.want != 0 && res.StatusCode != c.want || !refused {
						t.Errorf("%d %.200s, want a refusal (%d)", res.StatusCode, text, c.want)
					}
				})
			}
			wg.Wait()
		})
	}
	grown := r.memory() - before
	t.Logf("at most %d MB more than before", grown>>20)
	if grown > 700<<20 {
		t.Errorf("sixteen requests of 4 MiB took %d MB", grown>>20)
	}
	if code, text := ask(t, "POST", url, secret, toolCall("memory_list", `{}`)); code != 200 {
		t.Errorf("afterwards: %d %s", code, text)
	}
	r.signal(syscall.SIGTERM)
	r.ends()
}

// TestNobodysMemory: a server on standard input without an agent serves no memory.
func TestNobodysMemory(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	for _, args := range [][]string{{"mcp"}, {"mcp", ""}, {"mcp", "nobody"}, {"mcp", "../scout"}, {"mcp", "scout", "reviewer"},
		{"mcp", "-x"}} {
		out, code := h.run(args...)
		if code != 2 {
			t.Errorf("T6 %q: exit code %d, want 2: %s", args, code, out)
		}
		if strings.Contains(out, `"result"`) {
			t.Errorf("T6 %q was served: %s", args, out)
		}
	}
}
