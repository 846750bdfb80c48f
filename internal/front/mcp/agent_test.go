package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const harness = "    layout: harness@0.1\n"

// caller calls tools and reads resources of a server.
type caller struct {
	t *testing.T
	c *sdk.ClientSession
}

func call(t *testing.T, s *sdk.Server) caller {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(context.Background(), here, nil)
	must(t, err)
	t.Cleanup(func() { c.Close() })
	return caller{t, c}
}

// tool calls a tool and returns the blocks of its answer, and whether it is an error.
func (c caller) tool(name, args string) ([]string, bool) {
	c.t.Helper()
	res, err := c.c.CallTool(c.t.Context(), &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
	must(c.t, err)
	var out []string
	for _, b := range res.Content {
		out = append(out, b.(*sdk.TextContent).Text)
	}
	return out, res.IsError
}

// wants calls a tool and looks for a text in the answer.
func (c caller) wants(name, args string, fails bool, want string) {
	c.t.Helper()
	out, failed := c.tool(name, args)
	if got := strings.Join(out, "\n"); failed != fails || !strings.Contains(got, want) {
		c.t.Errorf("%s %s: error %v, %q; want error %v with %q", name, args, failed, got, fails, want)
	}
}

func TestReadGivesPages(t *testing.T) {
	line := strings.Repeat("é", 99) + "\n"
	c := call(t, served(t, "", Options{}, "memory/big.md", strings.Repeat(line, 4000), "memory/one.md", strings.Repeat("x", 300_000)))
	out, failed := c.tool("memory_read", `{"filename":"memory/big.md"}`)
	if failed || out[0] != strings.Repeat(line, pageChars/100) || !strings.Contains(out[1], "lines 1 to 240 of 4000") ||
		!strings.HasSuffix(out[1], "more: call again with from=241") {
		t.Errorf("first page: %d bytes, %s", len(out[0]), out[1:])
	}
	c.wants("memory_read", `{"filename":"memory/big.md","from":241,"to":260}`, false, "lines 241 to 260 of 4000, version")
	out, failed = c.tool("memory_read", `{"filename":"memory/one.md"}`)
	if failed || len(out[0]) != pageChars || !strings.Contains(out[1], "line 1 is cut") {
		t.Errorf("one line: %d bytes, %s", len(out[0]), out[1:])
	}
}

func TestCheckpointIsLoadedAgain(t *testing.T) {
	c := call(t, served(t, harness, Options{}, "IDENTITY.md", "# Ada\n", "memory/CONTEXT.md", "# Context\n\n- older\n"))
	tools, err := c.c.ListTools(t.Context(), nil)
	must(t, err)
	for _, tool := range tools.Tools {
		if tool.Name == "memory_note" {
			t.Error("memory_note is offered without a daily log")
		}
	}
	for _, used := range []string{"70", "95"} {
		c.wants("memory_checkpoint", `{"used":`+used+`,"window":100,"text":"the migration stands at step seven, `+used+`"}`, false,
			"memory/CONTEXT.md")
	}
	c.wants("memory_list", `{}`, false, "memory/CONTEXT.md")
	for _, want := range []string{"# Context\n\n- older\n", "step seven, 70", "step seven, 95"} {
		c.wants("memory_read", `{"filename":"CONTEXT.md"}`, false, want)
	}
	c.wants("memory_search", `{"query":"migration step"}`, false, "step seven")
	res, err := c.c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "memory://ada"})
	if err != nil || !strings.Contains(res.Contents[0].Text, "step seven, 95") {
		t.Errorf("the next context lacks it: %v %+v", err, res)
	}
}

func TestCheckpointMakesTheFile(t *testing.T) {
	c := call(t, served(t, harness, Options{}, "IDENTITY.md", "# Ada\n"))
	c.wants("memory_checkpoint", `{"used":95,"window":100,"text":"step seven"}`, false, "memory/CONTEXT.md")
	c.wants("memory_read", `{"filename":"CONTEXT.md"}`, false, "step seven")
}

func TestFoldersInAHarness(t *testing.T) {
	c := call(t, served(t, harness, Options{}, "memory/CONTEXT.md", "- c\n", "memory/sub/deep/a.md", "- a\n"))
	for _, root := range []string{"memory", "MEMORY", "memory/"} {
		c.wants("memory_delete", `{"filename":"`+root+`"}`, true, "[")
		c.wants("memory_move", `{"from":"`+root+`","to":"gone"}`, true, "[")
	}
	c.wants("memory_read", `{"filename":"sub/deep/a.md"}`, false, "- a")
	c.wants("memory_delete", `{"filename":"sub"}`, false, "memory/sub")
	c.wants("memory_write", `{"filename":"sub","content":"now a file"}`, false, "memory/sub")
	c.wants("memory_delete", `{"filename":"sub"}`, false, "memory/sub")
	c.wants("memory_write", `{"filename":"sub/b.md","content":"a folder again"}`, false, "memory/sub/b.md")
}

func TestAnthropicNames(t *testing.T) {
	c := call(t, served(t, harness, Options{Dialect: Anthropic}, "memory/CONTEXT.md", "- c\n", "memory/sub/a.md", "- a\n"))
	out, _ := c.tool("memory", `{"command":"view","path":"/memories"}`)
	if !strings.Contains(out[0], "/memories/sub/a.md") || !strings.Contains(out[0], "/memories/CONTEXT.md") ||
		strings.Contains(out[0], "/memories/memory") {
		t.Errorf("%s", out[0])
	}
	for _, root := range []string{"/memories", "/memories/", "/memories/memory", "/memories//memory/"} {
		c.wants("memory", `{"command":"delete","path":"`+root+`"}`, true, "")
	}
	c.wants("memory", `{"command":"view","path":"/memories/CONTEXT.md"}`, false, "- c")
	c.wants("memory", `{"command":"create","path":"/memories/.hidden","file_text":"x"}`, true, "Use a path such as /memories/notes.md.")
}

func TestAnswersAreBounded(t *testing.T) {
	s := served(t, "", Options{}, "memory/a.md", "- a\n")
	c := call(t, s)
	c.wants("memory_list", `{"after":"zzz"}`, false, `No more files after "zzz".`)
	if _, err := c.c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "memory://ada/memory"}); err == nil ||
		!strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := c.c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "memory://ada/none.md"}); err == nil ||
		!strings.Contains(err.Error(), "not found") {
		t.Errorf("a missing file: %v", err)
	}
	var words []string
	for i := range 9000 {
		words = append(words, "word"+strings.Repeat("x", i%7)+string(rune('a'+i%26)))
	}
	query, _ := json.Marshal(strings.Join(words, " "))
	out, _ := c.tool("memory_search", `{"query":`+string(query)+`}`)
	if len(out[0]) > pageChars+200 {
		t.Errorf("a long query is answered with %d bytes", len(out[0]))
	}
}

// TestToolsSayWhatTheyDo: each description names the memory, and only reading
// tools claim to read only.
func TestToolsSayWhatTheyDo(t *testing.T) {
	for _, tool := range listed(t, Options{}) {
		if !strings.Contains(strings.ToLower(tool.Description), "memory") {
			t.Errorf("%s does not say that it is about memory: %s", tool.Name, tool.Description)
		}
		if tool.Name == "memory_history" && !tool.Annotations.ReadOnlyHint || tool.Name == "memory_restore" && tool.Annotations.ReadOnlyHint {
			t.Errorf("%s: wrong hint", tool.Name)
		}
	}
	c := call(t, served(t, "", Options{}))
	c.wants("memory_history", `{"filename":"MEMORY.md","id":"1","restore":true}`, true, "no argument")
	c.wants("memory_checkpoint", `{"text":"the views are left"}`, false, "saved to memory/2026-11-15.md")
	c.wants("memory_read", `{"filename":"memory/2026-11-15.md"}`, false, "## 14:05 Checkpoint\n- the views are left")
}

// TestOpenClawAnswers: the answers of OpenClaw 2026.9.6 (test/mcp compares them with the program itself).
func TestOpenClawAnswers(t *testing.T) {
	c := call(t, served(t, "", Options{Dialect: OpenClaw}, "memory/long.md", strings.Repeat("- a line\n", 500), "memory/wide.md",
		strings.Repeat("𝄞", 7000)+"\nb\n"))
	for args, want := range map[string]string{
		`{"path":"memory/long.md"}`:                 `- a line\n\n[More content available. Use from=121 to continue.]",`,
		`{"path":"memory/long.md","from":499}`:      `"lines": 2`,
		`{"path":"memory/wide.md"}`:                 strings.Repeat("𝄞", 6000) + `\n\n[More content available. Requested excerpt exceeded`,
		`{"path":"memory/none.md"}`:                 `"status": "not_found"`,
		`{"path":"memory"}`:                         `"status": "error"`,
		`{"path":"memory/long.md","corpus":"wiki"}`: `"outcome": "not-registered"`,
		`{"path":"memory/long.md","corpus":"all"}`:  `"outcome": "ok"`,
	} {
		c.wants("memory_get", args, false, want)
	}
	c.wants("memory_get", `{"path":"memory/long.md","corpus":"sessions"}`, true, "corpus must be one of: memory, wiki, all")
	c.wants("memory_search", `{"query":"line","corpus":"sessions"}`, false, `"unavailable": true`)
}

// TestReadsAreExact: the tool and the resource give every character of a file as it is.
func TestReadsAreExact(t *testing.T) {
	const odd = "\ufeff# Memory\r\n\r\n- one\rtwo\u2028three\x00four\r\n- five"
	c := call(t, served(t, "", Options{}, "odd.md", odd))
	if out, failed := c.tool("memory_read", `{"filename":"odd.md"}`); failed || out[0] != odd {
		t.Errorf("memory_read: %q, want %q", out, odd)
	}
	list, err := c.c.ListResources(t.Context(), nil)
	must(t, err)
	for _, r := range list.Resources {
		if strings.HasSuffix(r.URI, "odd.md") {
			res, err := c.c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: r.URI})
			must(t, err)
			if got := res.Contents[0].Text; got != odd {
				t.Errorf("%s: %q, want %q", r.URI, got, odd)
			}
			return
		}
	}
	t.Errorf("no resource of it: %+v", list.Resources)
}
