//go:build harness && !windows

package keeper

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// suite is the official conformance suite and the Node it needs, as they are on npm.
var suite = []string{"node@22.23.3", "@modelcontextprotocol/conformance@0.1.16"}

// install installs the suite unless it is installed.
func install(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("TEND_HARNESS_DIR")
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "tend-harness")
	}
	dir = filepath.Join(dir, "mcp")
	if _, err := os.Stat(filepath.Join(dir, "node_modules/@modelcontextprotocol/conformance/dist/index.js")); err == nil {
		return dir
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("npm", append([]string{"install", "--no-audit", "--no-fund", "--foreground-scripts"}, suite...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// TestHarnessKeeperConformance runs the suite against the keeper. The suite cannot send a token, so a proxy adds it.
func TestHarnessKeeperConformance(t *testing.T) {
	dir := install(t)
	h := newFixture(t)
	r := h.up()
	m := regexp.MustCompile(`listen=(\S+)`).FindStringSubmatch(r.log())
	secret, err := exec.Command(h.tend, "--config", filepath.Join(h.dir, "tend.yaml"), "--quiet", "token", "create", "scout").Output()
	if err != nil || m == nil {
		t.Fatalf("%v\n%s", err, r.log())
	}
	target := &url.URL{Scheme: "http", Host: m[1]}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(target)
		p.Out.Host = p.In.Host
		p.Out.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(secret)))
	}, FlushInterval: -1, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}})
	defer proxy.Close()
	expected, err := filepath.Abs("../mcp/conformance.yml")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, "node_modules/node/bin/node"),
		filepath.Join(dir, "node_modules/@modelcontextprotocol/conformance/dist/index.js"),
		"server", "--url", proxy.URL+"/mcp", "--suite", "all", "--expected-failures", expected)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.Output()
	_, summary, _ := strings.Cut(string(out), "=== SUMMARY ===")
	t.Log(summary)
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, name := range []string{"server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"} {
		if !regexp.MustCompile(name + `: [1-9]\d* passed, 0 failed`).Match(out) {
			t.Errorf("%s did not pass", name)
		}
	}
	r.signal(syscall.SIGTERM)
	if code := r.ends(); code != 0 {
		t.Errorf("exit code %d\n%s", code, r.log())
	}
}
