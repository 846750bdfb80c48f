package transcript

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/test/require"
)

var must = require.NoError

// Lines as the programs write them, cut to what is read.
const (
	codexLines = `{"type":"session_meta","payload":{"id":"s"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions"}]}}
{"type":"turn_context","payload":{"model":"gpt-5"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Which port is it?"}]}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"text","text":"Which port is it?"}]}}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"AgentMessage","content":[{"type":"Text","text":"It is 8443."}]}}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"FileChange","changes":{"/srv/a.conf":{}}}}}
{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"total_tokens":9010},"model_context_window":272000}}}
{"type":"event_msg","payload":{"type":"token_count","info":null}}
`
	codexOlder = `{"type":"event_msg","payload":{"type":"user_message","message":"move it"}}
{"type":"event_msg","payload":{"type":"agent_message","message":"moved"}}
{"type":"compacted","payload":{"message":"summary"}}
`
	geminiLines = `{"sessionId":"s","kind":"main"}
{"$set":{"messages":[{"type":"user","content":[{"text":"<session_context>x</session_context>"}]}]}}
{"type":"user","content":[{"text":"<hook_context>notes</hook_context>\n\nWhich port is it?"}]}
{"type":"gemini","content":"It is 8443.","tokens":{"input":700000,"total":700010},"model":"gemini-2.5-pro","toolCalls":[{"name":"write_file","args":{"file_path":"/srv/a.conf"}},{"name":"read_file","args":{"file_path":"/b"}}]}
{"type":"info","content":"restarted"}
`
	cursorLines = `{"role":"user","message":{"content":[{"type":"text","text":"<user_query>\nWhich port is it?\n</user_query>"}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"It is 8443."}]}}
{"role":"tool","message":{"content":"a long listing"}}
`
)

func TestReadFormats(t *testing.T) {
	said := []string{"user: Which port is it?", "agent: It is 8443."}
	for _, tt := range []struct {
		name string
		f    Format
		text string
		want Talk
	}{
		{"codex", Codex, codexLines, Talk{Used: 9010, Window: 272000, Model: "gpt-5", Responses: 1, Said: said, Files: []string{"/srv/a.conf"}}},
		{"older codex", Codex, codexOlder, Talk{Responses: 1, Said: []string{"user: move it", "agent: moved"}}},
		{"gemini", Gemini, geminiLines, Talk{Used: 700010, Model: "gemini-2.5-pro", Responses: 1, Said: said, Files: []string{"/srv/a.conf"}}},
		{"cursor", Cursor, cursorLines, Talk{Responses: 1, Said: said}},
		{"another's", Cursor, codexLines + geminiLines, Talk{}},
		{"unknown", Format("emacs"), codexLines, Talk{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "s.jsonl")
			must(t, os.WriteFile(file, []byte(tt.text), 0o600))
			got, err := Read(tt.f, file, 0)
			must(t, err)
			tt.want.To, got.Hash = len(tt.text), ""
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(Talk{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func list(t *testing.T, text string) (out []Message) {
	t.Helper()
	must(t, json.Unmarshal([]byte(text), &out))
	return out
}

func TestMessages(t *testing.T) {
	first := list(t,
		`[{"role":"system","content":"be brief"},{"role":"user","content":"ok"},{"role":"assistant","content":[{"type":"text","text":"done"}]}]`)
	got := Messages(first, 0, "")
	if diff := cmp.Diff([]string{"user: ok", "agent: done"}, got.Said); diff != "" || got.Used == 0 || got.Responses != 1 {
		t.Errorf("%+v\n%s", got, diff)
	}
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"nothing since",
			`[{"role":"system","content":"be brief"},{"role":"user","content":"ok"},{"role":"assistant","content":[{"type":"text","text":"done"}]}]`, nil},
		{"only what is new",
			`[{"role":"system","content":"be brief"},{"role":"user","content":"ok"},{"role":"assistant","content":[{"type":"text","text":"done"}]},{"role":"user","content":"more"}]`, []string{"user: more"}},
		{"the same words again are new",
			`[{"role":"system","content":"be brief"},{"role":"user","content":"ok"},{"role":"assistant","content":[{"type":"text","text":"done"}]},{"role":"user","content":"more"},{"role":"assistant","content":[{"type":"text","text":"done"}]}]`, []string{"user: more", "agent: done"}},
		{"compacted, the last one kept",
			`[{"role":"user","content":"summary"},{"role":"assistant","content":[{"type":"text","text":"done"}]},{"role":"user","content":"more"}]`, []string{"user: more"}},
		{"compacted, nothing kept", `[{"role":"user","content":"summary"},{"role":"user","content":"more"}]`,
			[]string{"user: summary", "user: more"}},
		{"empty", `[]`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			next := Messages(list(t, tt.text), got.To, got.Hash)
			if diff := cmp.Diff(tt.want, next.Said); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tt.want == nil && next.Hash != got.Hash {
				t.Error("the place is lost")
			}
		})
	}
}
