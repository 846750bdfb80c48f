package mcp

import (
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/text/layout"
)

// TestCheckpointInEveryLayout: in every layout, what is saved is in the next context, in the list, in the file that the
// answer names and in a search.
func TestCheckpointInEveryLayout(t *testing.T) {
	for _, ref := range layout.Presets() {
		t.Run(ref, func(t *testing.T) {
			c := call(t, served(t, "    layout: "+ref+"\n", Options{}))
			for _, args := range []string{`{"text":"the migration stands at step seven"}`, `{"used":70,"window":100,"text":"the views are left"}`} {
				out, failed := c.tool("memory_checkpoint", args)
				if failed {
					t.Fatalf("%s: %s", args, out)
				}
				_, files, ok := strings.Cut(strings.Split(out[0], "\n")[0], "saved to ")
				if !ok || strings.Contains(files, "the archive") {
					t.Fatalf("%s: %s", args, out)
				}
				file := strings.TrimSuffix(strings.Split(strings.Split(files, ". action")[0], " and ")[0], ".")
				want := map[bool]string{true: "step seven", false: "views are left"}[strings.Contains(args, "seven")]
				c.wants("memory_list", `{}`, false, file)
				c.wants("memory_read", `{"filename":"`+file+`"}`, false, want)
				c.wants("memory_search", `{"query":"`+want+`"}`, false, want)
				res, err := c.c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "memory://ada"})
				if err != nil || !strings.Contains(res.Contents[0].Text, want) {
					t.Errorf("the next context lacks %q: %v\n%s", want, err, res.Contents[0].Text)
				}
			}
		})
	}
}

// TestCheckpointTakesTheSamePath: a checkpoint follows the rules of every other write, is recorded as one action of the
// agent's, and can be undone.
func TestCheckpointTakesTheSamePath(t *testing.T) {
	files := []string{"IDENTITY.md", "# Ada\n", "memory/CONTEXT.md", strings.Repeat("- a note\n", 500)}
	c := call(t, served(t, harness+"    policy: {file.max_bytes: 4096}\n", Options{}, files...))
	for tool, args := range map[string]string{"memory_append": `{"filename":"CONTEXT.md","text":"- more"}`,
		"memory_checkpoint": `{"text":"more"}`} {
		c.wants(tool, args, true, "[too_large]")
	}
	c = call(t, served(t, harness, Options{}, files...))
	out, failed := c.tool("memory_checkpoint", `{"text":"the views are left"}`)
	_, id, ok := strings.Cut(strings.Split(out[0], "\n")[0], "action ")
	if failed || !ok {
		t.Fatalf("%s", out)
	}
	c.wants("memory_history", `{}`, false, id)
	c.wants("memory_history", `{}`, false, "agent:ada via test")
	c.wants("memory_history", `{"id":"`+id+`"}`, false, "+- the views are left")
	c.wants("memory_restore", `{"filename":"CONTEXT.md","id":"`+id+`"}`, false, "Saved memory/CONTEXT.md")
	if out, _ := c.tool("memory_read", `{"filename":"CONTEXT.md"}`); out[0] != files[3] {
		t.Errorf("after the restore: %d bytes, want %d", len(out[0]), len(files[3]))
	}
}
