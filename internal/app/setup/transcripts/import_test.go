package transcripts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/fleet/harness/harnesstest"
	"tend/internal/engine/runner"
	"tend/test/require"
)

var must = require.NoError

// house is an agent in a folder of its own, and sessions beside it.
type house struct {
	t        *testing.T
	dir      string
	sessions string
	now      time.Time
}

func newHouse(t *testing.T, settings string) house {
	h := house{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)}
	h.sessions = filepath.Join(h.dir, "sessions")
	t.Setenv("HOME", filepath.Join(h.dir, "home"))
	h.write("ws/MEMORY.md", "# Memory\n")
	must(t, os.MkdirAll(h.sessions, 0o755))
	h.write("tend.yaml", "version: 1\nstate_dir: ./state\ndefaults: {layout: openclaw@2026.8, timezone: UTC}\n"+
		"agents:\n  scout:\n    workspace: ./ws\n"+settings)
	return h
}

func (h house) write(name, text string) string {
	h.t.Helper()
	file := filepath.Join(h.dir, filepath.FromSlash(name))
	must(h.t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(h.t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

func (h house) read(name string) string {
	h.t.Helper()
	text, err := os.ReadFile(filepath.Join(h.dir, filepath.FromSlash(name)))
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	must(h.t, err)
	return string(text)
}

// with opens the agent for one call, as each command does.
func (h house) with(do func(a *fleet.Agent) error) error {
	h.t.Helper()
	env, err := config.OSEnv()
	must(h.t, err)
	cfg, err := config.Load(filepath.Join(h.dir, "tend.yaml"), env)
	must(h.t, err)
	f, err := fleet.Open(cfg, fleet.Options{Write: true, Clock: func() time.Time { return h.now }})
	must(h.t, err)
	defer f.Close()
	a, err := f.Agent(context.Background(), "scout")
	must(h.t, err)
	defer a.Close()
	return do(a)
}

func (h house) importing(ctx context.Context, req Request) (out Result, err error) {
	h.t.Helper()
	err = h.with(func(a *fleet.Agent) error {
		req.Options.Who = "operator:test"
		out, err = Import(ctx, a, req)
		return err
	})
	return out, err
}

func (h house) load() Result {
	h.t.Helper()
	out, err := h.importing(h.t.Context(), Request{Paths: []string{h.sessions}})
	must(h.t, err)
	return out
}

func (h house) undo(id string) {
	h.t.Helper()
	must(h.t, h.with(func(a *fleet.Agent) error {
		act, err := a.Ledger.Find(id)
		if err == nil {
			_, err = runner.Undo(h.t.Context(), a, act, false, runner.Options{Who: "operator:test"})
		}
		return err
	}))
}

// turn is what somebody said.
type turn struct {
	at   string // on 2026-03-10, or a whole time
	user bool
	text string
}

func (w turn) stamp() string {
	if len(w.at) > 8 {
		return w.at
	}
	return "2026-03-10T" + w.at + "Z"
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// claude writes a session as Claude Code does: with a tool's call and output after each answer.
func claude(id, cwd string, turns ...turn) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"file-history-snapshot","messageId":"x"}`+"\n")
	for i, w := range turns {
		kind, content := "assistant", `[{"type":"text","text":`+quoted(w.text)+`}]`
		if w.user {
			kind, content = "user", quoted(w.text)
		}
		fmt.Fprintf(&b, `{"type":%q,"sessionId":%q,"cwd":%q,"message":{"role":%q,"model":"m","content":%s},"uuid":"u%d","timestamp":%q}`+"\n",
			kind, id, cwd, kind, content, i, w.stamp())
		if !w.user {
			fmt.Fprintf(&b, `{"type":"user","sessionId":%q,"message":{"role":"user","content":[{"type":"tool_result","content":"TOOL OUTPUT"}]},`+
				`"toolUseResult":"TOOL OUTPUT","uuid":"t%d","timestamp":%q}`+"\n", id, i, w.stamp())
		}
	}
	return b.String()
}

const (
	question = "Which port does the gateway listen on?"
	answer   = "It listens on 18789."
	order    = "Always restart it with systemctl, never with kill."
)

func talk() []turn {
	return []turn{
		{"13:00:05", true, question}, {"13:00:09", false, "Let me look."}, {"13:00:12", false, answer}, {"13:05:00", true, order},
	}
}

func section(title, source string, lines ...string) string {
	return "\n## " + title + "\n\n~~~session\nsource: " + source + "\n" + strings.Join(lines, "\n") + "\n~~~\n"
}

const dayHead = "# 2026-03-10\n"

func TestFormats(t *testing.T) {
	const id = "0b9d7a41-1111-4222-8333-444455556666"
	usual := []string{"13:00 user: " + question, "13:00 agent: " + answer, "13:05 user: " + order}
	for _, tt := range []struct {
		name, file, text, title, session string
		want                             []string
	}{
		{"Claude Code", "0b9d7a41.jsonl", claude(id, "/srv/p", talk()...) +
			`{"type":"user","isSidechain":true,"sessionId":"` + id + `","message":{"content":"a task for a subagent"},"uuid":"s","timestamp":"2026-03-10T13:06:00Z"}` + "\n" +
			`{"type":"user","isMeta":true,"sessionId":"` + id + `","message":{"content":"caveat"},"uuid":"s","timestamp":"2026-03-10T13:06:00Z"}` + "\n" +
			`{"type":"user","sessionId":"` + id + `","message":{"content":"<command-name>/clear</command-name>"},"uuid":"s","timestamp":"2026-03-10T13:06:00Z"}` + "\n",
			"13:00 Session 0b9d7a41 with Claude Code", id, usual},
		{"Codex", "2026/03/10/rollout-2026-03-10T13-00-00-x.jsonl",
			`{"timestamp":"2026-03-10T13:00:00Z","type":"session_meta","payload":{"id":"` + id + `","cwd":"/srv/p","source":"cli"}}
{"timestamp":"2026-03-10T13:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions"}]}}
{"timestamp":"2026-03-10T13:00:05Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"text","text":"` + question + `"}]}}}
{"timestamp":"2026-03-10T13:00:07Z","type":"response_item","payload":{"type":"function_call_output","output":"TOOL OUTPUT"}}
{"timestamp":"2026-03-10T13:00:12Z","type":"event_msg","payload":{"type":"agent_message","message":"` + answer + `"}}
{"timestamp":"2026-03-10T13:05:00Z","type":"event_msg","payload":{"type":"user_message","message":"` + order + `"}}
`, "13:00 Session 0b9d7a41 with Codex", id, usual},
		{"OpenClaw", "0b9d7a41.jsonl", `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-03-10T12:59:00Z","cwd":"/srv/ws"}
{"type":"message","id":"a","timestamp":"2026-03-10T13:00:01Z","message":{"role":"user","content":[{"type":"text","text":"A new session was started via /new or /reset. Greet the user."}]}}
{"type":"message","id":"b","timestamp":"2026-03-10T13:00:02Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello!"}]}}
{"type":"message","id":"c","timestamp":"2026-03-10T13:00:05Z","message":{"role":"user","content":[{"type":"text","text":` +
			quoted("System: [2026-03-10 13:00:00 UTC] Node online\n\n"+
				"Conversation info (untrusted metadata):\n```json\n{\"message_id\": \"81\"}\n```\n\n"+
				"Sender (untrusted metadata):\n```json\n{\"label\": \"Ada\"}\n```\n\n[Tue 2026-03-10 13:00 UTC] "+question) + `}]}}
{"type":"message","id":"d","timestamp":"2026-03-10T13:00:06Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Let me look."},{"type":"toolCall","name":"exec","arguments":{"command":"ss"}}]}}
{"type":"message","id":"e","timestamp":"2026-03-10T13:00:07Z","message":{"role":"toolResult","content":[{"type":"text","text":"TOOL OUTPUT"}]}}
{"type":"message","id":"f","timestamp":"2026-03-10T13:00:12Z","message":{"role":"assistant","content":[{"type":"text","text":"[[reply_to_current]] <final>` + answer + `</final>"}]}}
{"type":"message","id":"g","timestamp":"2026-03-10T13:02:00Z","message":{"role":"user","content":[{"type":"text","text":"[OpenClaw heartbeat poll]"}]}}
{"type":"message","id":"h","timestamp":"2026-03-10T13:02:02Z","message":{"role":"assistant","content":[{"type":"text","text":"All quiet, HEARTBEAT_OK"}]}}
{"type":"message","id":"i","timestamp":"2026-03-10T13:05:00Z","message":{"role":"user","content":"` + order + `"}}
`, "13:00 Session 0b9d7a41 with OpenClaw", id, usual},
		{"Gemini CLI", "chats/session-2026-03-10T13-00-0b9d7a41.jsonl", `{"sessionId":"` + id + `","projectHash":"aa","startTime":"2026-03-10T13:00:00Z","kind":"main"}
{"id":"1","timestamp":"2026-03-10T13:00:05Z","type":"user","content":[{"text":"<hook_context>notes</hook_context>\n\n` + question + `"}]}
{"id":"2","timestamp":"2026-03-10T13:00:12Z","type":"gemini","content":"` + answer + `","toolCalls":[{"name":"read_file","result":"TOOL OUTPUT"}]}
{"$set":{"lastUpdated":"2026-03-10T13:04:00Z"}}
{"id":"3","timestamp":"2026-03-10T13:05:00Z","type":"user","content":"` + order + `"}
`, "13:00 Session 0b9d7a41 with Gemini CLI", id, usual},
		{"older Gemini CLI", "chats/session-2026-03-10T13-00-0b9d7a41.json", `{"sessionId":"` + id + `","projectHash":"aa","startTime":"2026-03-10T13:00:00Z","messages":[
 {"id":"1","timestamp":"2026-03-10T13:00:05Z","type":"user","content":"` + question + `"},
 {"id":"2","timestamp":"2026-03-10T13:00:12Z","type":"gemini","content":"` + answer + `","toolCalls":[{"name":"x","result":"TOOL OUTPUT"}]},
 {"id":"3","timestamp":"2026-03-10T13:05:00Z","type":"user","content":"` + order + `"}]}`,
			"13:00 Session 0b9d7a41 with Gemini CLI", id, usual},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t, "")
			file := h.write("sessions/"+tt.file, tt.text)
			out := h.load()
			want := dayHead + section(tt.title, file+", session "+tt.session, tt.want...)
			if diff := cmp.Diff(want, h.read("ws/memory/2026-03-10.md")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if out.Sessions != 1 || out.Imported != 1 || out.Sections != 1 || len(out.Actions) != 1 {
				t.Errorf("%+v", out)
			}
			if len(out.Proposals) != 1 || !strings.Contains(out.Proposals[0].Text, order) || len(out.Proposals[0].Sources) != 1 {
				t.Errorf("proposals: %+v", out.Proposals)
			}
			if h.read("ws/MEMORY.md") != "# Memory\n" {
				t.Error("the first page was written without a person")
			}
			if again := h.load(); again.Imported != 0 || len(again.Actions) != 0 || len(again.Proposals) != 0 {
				t.Errorf("a second run: %+v", again)
			}
		})
	}
}

// The databases in testdata were written by sqlite3 3.40 with the tables of OpenClaw 2026.9 and Hermes, the large event
// compressed by zstd 1.5.
func TestDatabases(t *testing.T) {
	h := newHouse(t, "")
	for _, name := range []string{"openclaw-agent.sqlite", "state.db"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		must(t, err)
		h.write("sessions/"+name, string(data))
	}
	if out := h.load(); out.Sessions != 4 || out.Imported != 3 || out.Damaged != 0 {
		t.Errorf("%+v", out)
	}
	log := h.read("ws/memory/2026-03-10.md")
	for _, want := range []string{
		"session win-1\n13:00 user: " + question + "\n13:00 agent: It listens on 18789. The unit file",
		"23:59 user: " + order,
		"session 20260310_130000_ab12\n13:00 user: My sister's name is spelled Ilse.\n13:00 agent: Noted: Ilse.\n~~~",
		"14:00 user: What is in this picture?\n14:00 agent: A harbour.\n",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("no %q in:\n%s", want, log)
		}
	}
	for _, never := range []string{"LISTEN 0.0.0.0", "long listing", "cron", "HEARTBEAT"} {
		if strings.Contains(log, never) {
			t.Errorf("%q was imported:\n%s", never, log)
		}
	}
	if again := h.load(); again.Imported != 0 || len(again.Actions) != 0 {
		t.Errorf("a second run: %+v", again)
	}
}

func TestOnlyWhatIsNew(t *testing.T) {
	h := newHouse(t, "")
	first := claude("s1", "/srv/p", talk()...)
	h.write("sessions/s1.jsonl", first)
	h.load()
	more := claude("s1", "/srv/p", turn{"14:00:00", true, "The gateway moved to host b."})
	h.write("sessions/s1.jsonl", first+more)
	if out := h.load(); out.Imported != 1 || out.Sections != 1 {
		t.Errorf("%+v", out)
	}
	log := h.read("ws/memory/2026-03-10.md")
	if strings.Count(log, question) != 1 || strings.Count(log, "14:00 user: The gateway moved") != 1 {
		t.Errorf("not once each:\n%s", log)
	}
	// Rewritten from its beginning, with the same statements at other places and one more.
	h.write("sessions/s1.jsonl", `{"type":"summary","summary":"x"}`+"\n"+first+more+claude("s1", "/srv/p", turn{"15:00:00", true, "Host b has no IPv6."}))
	h.load()
	log = h.read("ws/memory/2026-03-10.md")
	if strings.Count(log, question) != 1 || strings.Count(log, "no IPv6") != 1 {
		t.Errorf("after a rewrite, not once each:\n%s", log)
	}
	// The same session in another file.
	h.write("sessions/copy.jsonl", first)
	if out := h.load(); out.Imported != 0 {
		t.Errorf("a copy: %+v", out)
	}
}

func TestDeletedStaysDeleted(t *testing.T) {
	h := newHouse(t, "")
	h.write("sessions/s1.jsonl", claude("s1", "/srv/p", talk()...))
	done := h.load()
	h.write("ws/memory/2026-03-10.md", dayHead)
	if out := h.load(); out.Imported != 0 || h.read("ws/memory/2026-03-10.md") != dayHead {
		t.Errorf("what its owner deleted came back: %+v", out)
	}
	must(t, h.with(func(a *fleet.Agent) error {
		_, err := runner.Reject(t.Context(), a, done.Proposals[0].ID, runner.Options{Who: "operator:test"})
		return err
	}))
	if out := h.load(); len(out.Proposals) != 0 {
		t.Errorf("what its owner rejected was proposed again: %+v", out.Proposals)
	}
}

func TestUndoTakesItBack(t *testing.T) {
	h := newHouse(t, "")
	const hand = dayHead + "\n- 09:00 wrote by hand\n"
	h.write("ws/memory/2026-03-10.md", hand)
	h.write("sessions/s1.jsonl", claude("s1", "/srv/p", append(talk(), turn{"2026-03-11T09:00:00Z", true, "It works now."})...))
	out := h.load()
	if got := h.read("ws/memory/2026-03-10.md"); !strings.HasPrefix(got, hand) || h.read("ws/memory/2026-03-11.md") == "" {
		t.Errorf("%s", got)
	}
	h.undo(out.Actions[0])
	if h.read("ws/memory/2026-03-10.md") != hand || h.read("ws/memory/2026-03-11.md") != "" {
		t.Error("undo left something")
	}
	if again := h.load(); again.Imported != 1 {
		t.Errorf("after undo nothing comes: %+v", again)
	}
}

func TestHandWrittenTextStays(t *testing.T) {
	for name, hand := range map[string]string{
		"no newline at the end": dayHead + "\n- by hand",
		"an open fence":         dayHead + "\n```\nmake\n\n- by hand\n",
		"an open fence of ours": dayHead + "\n~~~\nmake\n\n- by hand\n",
		"an open comment":       dayHead + "\n<!-- draft\n\n- by hand\n",
		"CRLF":                  "# 2026-03-10\r\n\r\n- by hand\r\n",
		"empty":                 "",
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, "")
			h.write("ws/memory/2026-03-10.md", hand)
			h.write("sessions/s1.jsonl", claude("s1", "/srv/p", talk()...))
			h.load()
			log, beside := h.read("ws/memory/2026-03-10.md"), h.read("ws/memory/2026-03-10-tend.md")
			if !strings.HasPrefix(log, hand) || !strings.Contains(log+beside, "13:05 user: "+order) {
				t.Errorf("%s\nbeside:\n%s", log, beside)
			}
			if name == "an open fence of ours" && log != hand {
				t.Errorf("the section's end closed a fence that was open:\n%s", log)
			}
		})
	}
}

func TestLeftToItsAgent(t *testing.T) {
	h := newHouse(t, "")
	const mine = dayHead + "\n- written by the agent's own tool\n"
	h.write("ws/memory/2026-03-10.md", mine)
	harnesstest.OpenClaw(t, filepath.Join(h.dir, "ws"), harnesstest.Write{File: "memory/2026-03-10.md", Text: mine, At: h.now})
	h.write("sessions/s1.jsonl", claude("s1", "/srv/p", talk()...))
	h.load()
	if h.read("ws/memory/2026-03-10.md") != mine {
		t.Error("a file that OpenClaw recorded was changed: it would stop trusting it")
	}
	if !strings.Contains(h.read("ws/memory/2026-03-10-tend.md"), order) {
		t.Error("nothing was written beside it")
	}
}

func TestSecretsAreMasked(t *testing.T) {
	h := newHouse(t, "")
	const key = "AKIA" + "Z7QWERTY23UIOP34"
	h.write("sessions/s1.jsonl", claude("s1", "/srv/p", turn{"13:00:00", true, "Always deploy with the key " + key + " of the build user."}))
	out := h.load()
	log := h.read("ws/memory/2026-03-10.md")
	if out.Masked != 1 || strings.Contains(log, key) || !strings.Contains(log, "«masked» of the build user") {
		t.Errorf("%d masked:\n%s", out.Masked, log)
	}
	for _, p := range out.Proposals {
		if strings.Contains(p.Text, key) {
			t.Error("a proposal has the secret")
		}
	}
}

func TestDaysAreTheAgents(t *testing.T) {
	h := newHouse(t, "    timezone: Asia/Tokyo\n")
	h.write("sessions/s1.jsonl", claude("s1", "/srv/p",
		turn{"14:59:00", true, "Still Tuesday over here."}, turn{"15:01:00", true, "Now it is Wednesday."}))
	h.load()
	if !strings.Contains(h.read("ws/memory/2026-03-10.md"), "23:59 user: Still Tuesday") ||
		!strings.Contains(h.read("ws/memory/2026-03-11.md"), "00:01 user: Now it is") {
		t.Errorf("%s\n%s", h.read("ws/memory/2026-03-10.md"), h.read("ws/memory/2026-03-11.md"))
	}
}

func TestWhatIsProposed(t *testing.T) {
	h := newHouse(t, "")
	h.write("sessions/s1.jsonl", claude("s1", "/srv/p",
		turn{"13:00:00", true, "Remember that the staging database is on host b."},
		turn{"13:01:00", true, "Remember when we moved the staging database to host b?"},
		turn{"13:02:00", false, "Always check the staging database on host b first."},
		turn{"13:03:00", true, "Please look at the logs of host b once more."},
		turn{"13:04:00", true, "Two things.\n\nRule: the release branch is never rebased after a tag.\n\nThanks!"},
	))
	out := h.load()
	var got []string
	for _, p := range out.Proposals {
		got = append(got, strings.TrimPrefix(p.Text, "- "))
		if string(p.Target) != "MEMORY.md" || !strings.Contains(p.Why, "in session s1") {
			t.Errorf("%+v", p)
		}
	}
	want := []string{"Rule: the release branch is never rebased after a tag.", "Remember that the staging database is on host b."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// The same lines in a log that no import wrote are nobody's statement.
	other := newHouse(t, "")
	other.write("ws/memory/2026-03-10.md", h.read("ws/memory/2026-03-10.md"))
	other.write("sessions/s2.jsonl", claude("s2", "/srv/p", turn{"14:00:00", true, "Nothing that is meant to last."}))
	if out := other.load(); out.Imported != 1 || len(out.Proposals) != 0 {
		t.Errorf("a forged section was believed: %+v", out.Proposals)
	}
}

func TestWhoseSessions(t *testing.T) {
	h := newHouse(t, "")
	ws := filepath.Join(h.dir, "ws")
	codex := func(id, cwd string) string {
		return `{"timestamp":"2026-03-10T13:00:00Z","type":"session_meta","payload":{"id":"` + id + `","cwd":"` + cwd + `"}}` + "\n" +
			`{"timestamp":"2026-03-10T13:00:05Z","type":"event_msg","payload":{"type":"user_message","message":"This is said in ` + id + `."}}` + "\n"
	}
	h.write("home/.codex/sessions/2026/03/10/rollout-a.jsonl", codex("mine", ws))
	h.write("home/.codex/sessions/2026/03/10/rollout-b.jsonl", codex("below", filepath.Join(ws, "sub")))
	h.write("home/.codex/sessions/2026/03/10/rollout-c.jsonl", codex("other", ws+"-other"))
	h.write("home/.codex/sessions/2026/03/10/rollout-d.jsonl",
		strings.Replace(codex("helper", ws), `"cwd"`, `"source":{"subagent":"review"},"cwd"`, 1))
	out, err := h.importing(t.Context(), Request{})
	must(t, err)
	log := h.read("ws/memory/2026-03-10.md")
	if out.Sessions != 2 || !strings.Contains(log, "said in mine") || !strings.Contains(log, "said in below") {
		t.Errorf("%+v\n%s", out, log)
	}
}

func TestDryRunChangesNothing(t *testing.T) {
	h := newHouse(t, "")
	h.write("sessions/s1.jsonl", claude("s1", "/srv/p", talk()...))
	var diff string
	req := Request{Paths: []string{h.sessions}, Options: runner.Options{DryRun: true}, Diff: func(d string) { diff += d }}
	out, err := h.importing(t.Context(), req)
	must(t, err)
	if !strings.Contains(diff, "+13:05 user: "+order) || len(out.Proposals) != 1 || len(out.Actions) != 0 {
		t.Errorf("%+v\n%s", out, diff)
	}
	if h.read("ws/memory/2026-03-10.md") != "" {
		t.Error("a dry run wrote a file")
	}
	must(t, h.with(func(a *fleet.Agent) error {
		for act, err := range a.Ledger.Actions() {
			return errors.Join(err, fmt.Errorf("a dry run recorded %s", act.ID))
		}
		return nil
	}))
}
