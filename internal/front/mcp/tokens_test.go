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
	s, err := New(t.Context(), memory.New(open(t, dir, true), memory.Options{}), o)
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
		if failed || strings.Contains("\n"+about[0], "\n"+tool.Name+": ") == slices.Contains(core, tool.Name) {
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
// instead of the text.
func TestStructured(t *testing.T) {
	for _, structured := range []bool{false, true} {
		s := served(t, "", Options{Profile: Full, Structured: structured})
		here, there := sdk.NewInMemoryTransports()
		_, err := s.Connect(t.Context(), there, nil)
		must(t, err)
		c, err := sdk.NewClient(&sdk.Implementation{Name: "a program"}, nil).Connect(t.Context(), here, nil)
		must(t, err)
		for tool, args := range map[string]map[string]any{
			"memory_append": {"filename": "MEMORY.md", "text": "- tea, not coffee"}, "memory_read": {"filename": "MEMORY.md"},
			"memory_list": {}, "memory_search": {"query": "tea"}, "memory_history": {}, "memory_lost": {},
			"memory_propose": {"text": "answer in German"}, "memory_checkpoint": {"text": "half done"},
		} {
			res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
			must(t, err)
			if _, object := res.StructuredContent.(map[string]any); object != structured || len(res.Meta) == 0 || res.IsError {
				t.Errorf("%s with structured %t: %+v %v", tool, structured, res.StructuredContent, res.Meta)
			}
		}
		must(t, c.Close())
	}
}

// TestNoResourcesForClaudeCode: it would offer the model three more tools for them.
func TestNoResourcesForClaudeCode(t *testing.T) {
	s := served(t, "", Options{})
	for name, want := range map[string]bool{"claude-code": false, "another": true} {
		here, there := sdk.NewInMemoryTransports()
		if _, err := s.Connect(t.Context(), there, nil); err != nil {
			t.Fatal(err)
		}
		c, err := sdk.NewClient(&sdk.Implementation{Name: name}, nil).Connect(t.Context(), here, nil)
		must(t, err)
		if got := c.InitializeResult().Capabilities; (got.Resources != nil) != want || got.Tools == nil {
			t.Errorf("%s is offered %+v", name, got)
		}
		must(t, c.Close())
	}
}
