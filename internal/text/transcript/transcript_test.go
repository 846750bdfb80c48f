package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	userLine = `{"type":"user","message":{"role":"user","content":"move the service"}}` + "\n"
	toolLine = `{"type":"user","message":{"content":[{"type":"tool_result","content":"a very long listing"}]}}` + "\n"
	metaLine = `{"type":"user","isMeta":true,"message":{"content":"caveat"}}` + "\n"
	tagLine  = `{"type":"user","message":{"content":"<command-name>/clear</command-name>"}}` + "\n"
	editLine = `{"type":"assistant","message":{"model":"m","content":[{"type":"text","text":"moved\nit"},{"type":"tool_use","name":"Edit","input":{"file_path":"/a.go"}}],"usage":{"input_tokens":5,"cache_creation_input_tokens":100,"cache_read_input_tokens":20000,"output_tokens":10}}}` + "\n"
	lastLine = `{"type":"assistant","message":{"model":"m","content":[{"type":"text","text":"done"},{"type":"tool_use","name":"Write","input":{"file_path":"/a.go"}},{"type":"tool_use","name":"Read","input":{"file_path":"/b.go"}}],"usage":{"input_tokens":5,"cache_creation_input_tokens":100,"cache_read_input_tokens":30000,"output_tokens":20}}}` + "\n"
	sideLine = `{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"aside"}],"usage":{"input_tokens":999999}}}` + "\n"
	synth    = `{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"no response"}],"usage":{"input_tokens":0}}}` + "\n"
	boundary = `{"type":"system","subtype":"compact_boundary","compactMetadata":{"preTokens":30125}}` + "\n"
)

func TestReadClaude(t *testing.T) {
	whole := userLine + toolLine + metaLine + tagLine + editLine + sideLine + synth + lastLine
	for _, tt := range []struct {
		name, text string
		since      int
		want       Talk
	}{
		{"all of it", whole, 0, Talk{
			Used: 30125, Model: "m", Responses: 2,
			Said:  []string{"user: move the service", "agent: moved it", "agent: no response", "agent: done"},
			Files: []string{"/a.go"}, To: len(whole),
		}},
		{"since the last checkpoint", whole, len(whole) - len(lastLine), Talk{
			Used: 30125, Model: "m", Responses: 1, Said: []string{"agent: done"}, Files: []string{"/a.go"}, From: len(whole) - len(lastLine),
			To: len(whole),
		}},
		{"nothing since: the previous fill level", whole, len(whole), Talk{Used: 30125, Model: "m", From: len(whole), To: len(whole)}},
		{"a question since: the previous fill level", whole + userLine, len(whole),
			Talk{Used: 30125, Model: "m", Said: []string{"user: move the service"}, From: len(whole), To: len(whole + userLine)}},
		{"half a line does not count", whole + `{"type":"user","mess`, len(whole),
			Talk{Used: 30125, Model: "m", From: len(whole), To: len(whole)}},
		{"after a compaction the context is new", whole + boundary, 0, Talk{
			Model: "m", Responses: 2, Said: []string{"user: move the service", "agent: moved it", "agent: no response", "agent: done"},
			Files: []string{"/a.go"}, To: len(whole + boundary),
		}},
		{"another file under the same name", userLine, 10_000, Talk{Said: []string{"user: move the service"}, To: len(userLine)}},
		{"not a transcript", "hello\n[1,2]\n\"x\"\n", 0, Talk{To: 16}},
		{"empty", "", 0, Talk{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "s.jsonl")
			must(t, os.WriteFile(file, []byte(tt.text), 0o600))
			got, err := Read(ClaudeCode, file, tt.since)
			must(t, err)
			got.Hash = ""
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(Talk{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if _, err := Read(ClaudeCode, filepath.Join(t.TempDir(), "none"), 0); err == nil {
		t.Error("a missing transcript is no error")
	}
}

func TestRoom(t *testing.T) {
	for _, tt := range []struct {
		t    Talk
		want int
	}{
		{Talk{Model: "claude-opus-4", Used: 150_000}, 200_000},
		{Talk{Model: "claude-sonnet-4[1m]", Used: 150_000}, 1_000_000},
		{Talk{Model: "claude-sonnet-4", Used: 250_000}, 1_000_000},
		{Talk{Model: "gemini-2.5-pro"}, 1_000_000},
		{Talk{Model: "claude-sonnet-4", Used: 250_000, Window: 272_000}, 272_000},
	} {
		if got := tt.t.Room(200_000); got != tt.want {
			t.Errorf("%+v: got %d, want %d", tt.t, got, tt.want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	many := Talk{Said: []string{"user: one", "agent: two", "user: three"}, Files: []string{"/a"}}
	for _, tt := range []struct {
		name string
		t    Talk
		most int
		want string
	}{
		{"all", many, 4000, "- user: one\n- agent: two\n- user: three\n- files written: /a"},
		{"the newest", many, 26, "- 1 earlier messages are only in s.jsonl\n- agent: two\n- user: three\n- files written: /a"},
		{"nothing said", Talk{Files: []string{"/a"}}, 4000, ""},
		{"long ones are cut", Talk{Said: []string{"user: " + strings.Repeat("é", 700)}}, 4000, "- user: " + strings.Repeat("é", 594) + "…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.t.Excerpt(tt.most, "s.jsonl")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
