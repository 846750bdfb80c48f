package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/memory"
	"tend/internal/text/session/o200k"
)

// listed returns the tool list a client gets.
func listed(t *testing.T, o Options) []*sdk.Tool {
	t.Helper()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "ws", "MEMORY.md"), nil)
	put(t, filepath.Join(dir, "tend.yaml"), fmt.Appendf(nil, talkConfig, ""))
	s, err := New(memory.New(open(t, dir, true), memory.Options{}), o)
	must(t, err)
	here, there := sdk.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(context.Background(), here, nil)
	must(t, err)
	defer c.Close()
	res, err := c.ListTools(t.Context(), nil)
	must(t, err)
	return res.Tools
}

// maxTokens bounds the tokens that the tool list takes in every session.
const maxTokens = 740

func TestToolListIsSmall(t *testing.T) {
	count := o200k.Counter()
	for _, d := range Dialects() {
		tools := listed(t, Options{Dialect: d})
		data, err := json.Marshal(tools)
		must(t, err)
		n := count(string(data))
		t.Logf("%s: %d tools, %d bytes, %d tokens", d, len(tools), len(data), n)
		if n >= maxTokens {
			t.Errorf("%s: the tool list has %d tokens, %d is too many", d, n, maxTokens)
		}
	}
}

func TestProfiles(t *testing.T) {
	readers := []string{"memory_history", "memory_list", "memory_lost", "memory_read", "memory_review", "memory_search"}
	agent := append([]string{"memory_append", "memory_checkpoint", "memory_decide", "memory_insert", "memory_note",
		"memory_propose", "memory_replace",
		"memory_restore", "memory_write"}, readers...)
	full := append([]string{"memory_delete", "memory_move"}, agent...)
	coreTools := append([]string{"memory_other"}, core...)
	coreReaders := []string{"memory_other", "memory_read", "memory_search"}
	for _, tt := range []struct {
		o    Options
		want []string
	}{
		{Options{}, coreTools},
		{Options{Profile: Full}, full},
		{Options{Profile: Agent}, agent},
		{Options{Profile: Reader}, readers},
		{Options{ReadOnly: true}, coreReaders},
		{Options{Profile: Full, ReadOnly: true}, readers},
		{Options{NoTools: true}, nil},
		{Options{Dialect: Anthropic}, []string{"memory"}},
		{Options{Dialect: OpenClaw}, []string{"memory_get", "memory_search"}},
		{Options{Dialect: Harness},
			[]string{"memory_insert", "memory_list", "memory_read", "memory_replace", "memory_write", "prompt_propose", "prompt_read"}},
	} {
		var got []string
		for _, tool := range listed(t, tt.o) {
			got = append(got, tool.Name)
			if a := tool.Annotations; a.OpenWorldHint == nil || *a.OpenWorldHint {
				t.Errorf("%s claims to reach beyond the memory", tool.Name)
			}
			if reads := slices.Contains(readers, tool.Name) && tt.o.Dialect == "" || tt.o.ReadOnly; reads && !tool.Annotations.ReadOnlyHint {
				t.Errorf("%s does not say that it only reads", tool.Name)
			}
		}
		slices.Sort(got)
		slices.Sort(tt.want)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.o, diff)
		}
	}
}

// TestOtherTools: what is not listed can be called nevertheless, if the profile has it.
func TestOtherTools(t *testing.T) {
	c := call(t, served(t, "", Options{}))
	about, failed := c.tool(otherTool, `{}`)
	for _, tool := range listed(t, Options{Profile: Full}) {
		always := slices.Contains(core, tool.Name) && !slices.Contains(edits, tool.Name)
		if failed || strings.Contains("\n"+about[0], "\n"+tool.Name+": ") == always {
			t.Errorf("%s is listed, or is in neither list:\n%s", tool.Name, about)
		}
	}
	for _, tt := range []struct{ args, want string }{
		{`{"tool":"append","arguments":{"filename":"a.md","text":"one"}}`, "Created a.md"},
		{`{"tool":"memory_list","arguments":"{\"folder\":\"\"}"}`, "a.md"},
		{`{"tool":"list"}`, "a.md"},
		{`{"tool":"delete","arguments":{"filename":"a.md"}}`, "Deleted a.md"},
	} {
		if out, failed := c.tool(otherTool, tt.args); failed || !strings.Contains(out[0], tt.want) {
			t.Errorf("%s: %s, want %q", tt.args, out, tt.want)
		}
	}
	for args, want := range map[string]string{
		`{"tool":"none"}`:          `[bad_input] There is no tool "none". memory_other without arguments lists them.`,
		`{"tool":"other"}`:         `[bad_input] There is no tool "other". memory_other without arguments lists them.`,
		`{"tool":"memory_append"}`: "[bad_input] memory_append needs filename.",
	} {
		if out, failed := c.tool(otherTool, args); !failed || out[0] != want {
			t.Errorf("%s: %v %q, want %q", args, failed, out, want)
		}
	}
	c = call(t, served(t, "", Options{ReadOnly: true}))
	if out, failed := c.tool(otherTool, `{"tool":"append","arguments":{"filename":"a.md","text":"one"}}`); !failed {
		t.Errorf("a read-only server wrote: %s", out)
	}
}

// TestStructured: data for programs is structured content only if it was asked for, because a harness may show the model that
// instead of the text. Then every reading tool has a schema, and its answers keep to it.
func TestStructured(t *testing.T) {
	for _, structured := range []bool{false, true} {
		s := served(t, "", Options{Profile: Full, Structured: structured})
		here, there := sdk.NewInMemoryTransports()
		_, err := s.Connect(t.Context(), there, nil)
		must(t, err)
		c, err := sdk.NewClient(&sdk.Implementation{Name: "a program"}, nil).Connect(t.Context(), here, nil)
		must(t, err)
		list, err := c.ListTools(t.Context(), nil)
		must(t, err)
		schemas := map[string]*jsonschema.Resolved{}
		for _, tool := range list.Tools {
			if tool.OutputSchema == nil {
				if structured && tool.Annotations.ReadOnlyHint {
					t.Errorf("%s has no schema", tool.Name)
				}
				continue
			}
			data, err := json.Marshal(tool.OutputSchema)
			must(t, err)
			var schema jsonschema.Schema
			must(t, json.Unmarshal(data, &schema))
			schemas[tool.Name], err = schema.Resolve(nil)
			must(t, err)
		}
		if len(schemas) > 0 != structured {
			t.Errorf("structured %t: %d schemas", structured, len(schemas))
		}
		for _, call := range []struct {
			tool string
			args map[string]any
		}{
			{"memory_review", nil},
			{"memory_append", map[string]any{"filename": "MEMORY.md", "text": "- tea, not coffee"}},
			{"memory_note", map[string]any{"text": "the kiln fires at 9:00", "tags": []string{"decision"}}},
			{"memory_replace", map[string]any{"filename": "MEMORY.md", "old_str": "tea, not coffee", "new_str": "tea, not cocoa"}},
			{"memory_read", map[string]any{"filename": "MEMORY.md"}}, {"memory_list", nil}, {"memory_history", nil}, {"memory_lost", nil},
			{"memory_search", map[string]any{"query": "tea"}}, {"memory_search", map[string]any{"query": "zebra"}},
			{"memory_search", map[string]any{"query": "tea", "current": true}}, {"memory_review", nil},
			{"memory_propose", map[string]any{"text": "answer in German"}}, {"memory_checkpoint", map[string]any{"text": "half done"}},
		} {
			res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: call.tool, Arguments: call.args})
			must(t, err)
			if _, object := res.StructuredContent.(map[string]any); object != structured || len(res.Meta) == 0 || res.IsError {
				t.Errorf("%s with structured %t: %+v %v", call.tool, structured, res.StructuredContent, res.Meta)
			}
			if schema := schemas[call.tool]; schema != nil {
				if err := schema.Validate(res.StructuredContent); err != nil {
					t.Errorf("%s %v: %v\n%v", call.tool, call.args, err, res.StructuredContent)
				}
			}
		}
		res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "memory_read", Arguments: map[string]any{"filename": "none.md"}})
		if err != nil || !res.IsError || res.StructuredContent != nil {
			t.Errorf("a failed call: %v %+v", err, res)
		}
		must(t, c.Close())
	}
}

// TestFewToolsForHarnesses: what a harness has itself is not listed for it, but can be called, with all its arguments.
func TestFewToolsForHarnesses(t *testing.T) {
	for name, want := range map[string]int{"another": 7, "opencode": 4} {
		s := served(t, "", Options{})
		here, there := sdk.NewInMemoryTransports()
		_, err := s.Connect(t.Context(), there, nil)
		must(t, err)
		c, err := sdk.NewClient(&sdk.Implementation{Name: name}, nil).Connect(t.Context(), here, nil)
		must(t, err)
		list, err := c.ListTools(t.Context(), nil)
		must(t, err)
		if len(list.Tools) != want {
			t.Errorf("%s is listed %d tools, want %d", name, len(list.Tools), want)
		}
		for _, tool := range list.Tools {
			if tool.Name == otherTool && !strings.Contains(tool.Description, "write(filename, content), replace(filename, old_str, new_str)") {
				t.Errorf("no word of what is not listed: %s", tool.Description)
			}
			if upfront := tool.Name == "memory_search" || tool.Name == "memory_note"; upfront != (tool.Meta["anthropic/alwaysLoad"] == true) {
				t.Errorf("%s: Claude Code hides or shows it wrongly: %v", tool.Name, tool.Meta)
			}
		}
		res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: otherTool, Arguments: map[string]any{
			"tool": "checkpoint", "arguments": map[string]any{"text": "the import is half done", "used": 900, "window": 1000}}})
		if err != nil || res.IsError {
			t.Errorf("%s: %v %+v", name, err, res)
		}
		must(t, c.Close())
	}
}

// TestNoResourcesForHarnesses: they would offer the model more tools for them. The operator can have them nevertheless.
func TestNoResourcesForHarnesses(t *testing.T) {
	for name, want := range map[string]bool{"claude-code": false, "opencode": false, "codex-mcp-client": false,
		"gemini-cli-mcp-client": false, "another": true} {
		offersResources(t, Options{}, name, want)
		offersResources(t, Options{Profile: Full}, name, true)
	}
}

func offersResources(t *testing.T, o Options, name string, want bool) {
	t.Helper()
	s := served(t, "", o)
	here, there := sdk.NewInMemoryTransports()
	_, err := s.Connect(t.Context(), there, nil)
	must(t, err)
	c, err := sdk.NewClient(&sdk.Implementation{Name: name}, nil).Connect(t.Context(), here, nil)
	must(t, err)
	if got := c.InitializeResult().Capabilities; (got.Resources != nil) != want || got.Tools == nil {
		t.Errorf("%+v: %s is offered %+v", o, name, got)
	}
	must(t, c.Close())
}
