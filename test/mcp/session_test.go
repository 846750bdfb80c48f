package mcp

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestSession drives every tool, prompt and kind of resource from a second process.
func TestSession(t *testing.T) {
	dir := newWorkspace(t, "", map[string]string{"ws/MEMORY.md": "# Memory\n\n- [decision] tea, not coffee\n", "ws/SOUL.md": "I am Ada.\n"})
	c := connect(t, dir, nil)
	ctx := t.Context()

	used := map[string]bool{}
	must := func(tool string, args map[string]any, want string) string {
		t.Helper()
		used[tool] = true
		got := c.must(tool, args)
		if !strings.Contains(got, want) {
			t.Errorf("%s %v: no %q in\n%s", tool, args, want, got)
		}
		return got
	}
	type m = map[string]any
	must("memory_list", nil, "MEMORY.md")
	must("memory_read", m{"filename": "MEMORY.md"}, "tea, not coffee")
	must("memory_write", m{"filename": "notes/a.md", "content": "one\ntwo\n"}, "Created notes/a.md")
	must("memory_append", m{"filename": "notes/a.md", "text": "three"}, "now 3 lines")
	must("memory_insert", m{"filename": "notes/a.md", "line": 0, "text": "zero"}, "1: zero")
	change := must("memory_replace", m{"filename": "notes/a.md", "old_str": "two", "new_str": "2"}, "3: 2")
	must("memory_note", m{"text": "the proxy caches for an hour", "tags": []string{"lesson"}}, "Created memory/")
	must("memory_checkpoint", m{"used": 170_000, "window": 200_000, "text": "half done"}, "85 %")
	must("memory_search", m{"query": "proxy caches"}, "the proxy caches for an hour")
	id := regexp.MustCompile(`action (\w+)`).FindStringSubmatch(change)[1]
	must("memory_history", m{"filename": "notes/a.md"}, id)
	must("memory_restore", m{"filename": "notes/a.md", "id": id}, "Saved notes/a.md")
	if got, want := read(t, filepath.Join(dir, "ws/notes/a.md")), "zero\none\ntwo\nthree\n"; got != want {
		t.Errorf("restored %q, want %q", got, want)
	}
	must("memory_lost", nil, "")
	request := regexp.MustCompile(`e\d+-e\d+-[a-z2-7]{6}`).FindString(must("memory_review", nil, "the proxy caches for an hour"))
	keep := m{"op": "keep", "from": "e1", "quote": "the proxy caches for an hour"}
	must("memory_decide", m{"request": request, "operations": []m{keep}}, "Done")
	must("memory_propose", m{"text": "answer in German", "why": "Anna asked"}, "needs the operator")
	must("memory_move", m{"from": "notes/a.md", "to": "b.md"}, "Moved notes/a.md to b.md")
	must("memory_other", m{"tool": "list"}, "b.md")
	must("memory_delete", m{"filename": "b.md"}, "Deleted b.md")
	for tool, err := range c.Tools(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if !used[tool.Name] {
			t.Errorf("%s was not tried", tool.Name)
		}
	}

	var uris []string
	for r, err := range c.Resources(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		uris = append(uris, r.URI)
	}
	if !slices.Contains(uris, "memory://ada/MEMORY.md") || !slices.Contains(uris, "memory://ada") {
		t.Errorf("resources %v", uris)
	}
	res, err := c.ReadResource(ctx, &sdk.ReadResourceParams{URI: "memory://ada"})
	if err != nil || !strings.Contains(res.Contents[0].Text, "tea, not coffee") {
		t.Errorf("session context: %v, %v", res, err)
	}
	for p, err := range c.Prompts(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.GetPrompt(ctx, &sdk.GetPromptParams{Name: p.Name}); err != nil || len(got.Messages) == 0 {
			t.Errorf("prompt %s: %v, %v", p.Name, got, err)
		}
	}
}

// TestReceiptsAreTrue compares what a tool says it wrote with the disk.
func TestReceiptsAreTrue(t *testing.T) {
	dir := newWorkspace(t, "", nil)
	c := connect(t, dir, nil)
	for _, text := range []string{"", "x", "a\nb\n", "日本語\n", "tab\tand\r\nCRLF\r\n", strings.Repeat("long line ", 10_000) + "\n"} {
		res, err := c.CallTool(t.Context(),
			&sdk.CallToolParams{Name: "memory_write", Arguments: map[string]any{"filename": "a.md", "content": text}})
		if err != nil || res.IsError {
			t.Fatalf("%v, %v", res, err)
		}
		receipt := res.Meta["tend/receipt"].(map[string]any)
		got := read(t, filepath.Join(dir, "ws/a.md"))
		if got != text || int(receipt["bytes"].(float64)) != len(got) || !strings.HasPrefix(digest(got), receipt["version"].(string)) {
			t.Errorf("wrote %.20q, disk has %.20q, receipt %v", text, got, receipt)
		}
	}
}
