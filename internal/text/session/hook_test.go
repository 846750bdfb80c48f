package session

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHookFormats(t *testing.T) {
	const text = "a <b> & \"c\"\nd\n"
	for h, want := range map[Hook]string{
		ClaudeCode: `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a <b> & \"c\"\nd\n"}}` + "\n",
		Codex:      `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a <b> & \"c\"\nd\n"}}` + "\n",
		OpenClaw:   `{"prependContext":"a <b> & \"c\"\nd\n"}` + "\n",
		Hermes:     `{"context":"a <b> & \"c\"\nd\n"}` + "\n",
		Cursor:     `{"additional_context":"a <b> & \"c\"\nd\n"}` + "\n",
		Generic:    text,
	} {
		got, err := h.Format(text, ReadEvent(nil))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", h, got, err, want)
		}
		if back, err := h.Read(got); err != nil || back != text {
			t.Errorf("%s: read %q, %v", h, back, err)
		}
		if h != Generic && !json.Valid(got) {
			t.Errorf("%s: not JSON", h)
		}
	}
	if _, err := Hook("emacs").Format("", Event{}); err == nil || !strings.Contains(err.Error(), "claude-code") {
		t.Errorf("unknown hook: %v", err)
	}
}

func TestReadEvent(t *testing.T) {
	for in, want := range map[string]Event{
		"":                                       {Name: "SessionStart"},
		"no json":                                {Name: "SessionStart"},
		`{"hook_event_name":"UserPromptSubmit"}`: {Name: "UserPromptSubmit"},
		`{"hook_event_name":"SessionStart","source":"compact","cwd":"/w"}`:          {Name: "SessionStart", Source: "compact", Cwd: "/w"},
		`{"hook_event_name":"pre_llm_call","extra":{"is_first_turn":true}}`:         {Name: "SessionStart"},
		`{"hook_event_name":"pre_llm_call","extra":{"is_first_turn":false}}`:        {Name: "SessionStart", Later: true},
		`{"hook_event_name":"Something","source":"startup","session_id":"x","a":1}`: {Name: "SessionStart", Source: "startup", Session: "x"},
		`{"conversation_id":"c"}`: {Name: "SessionStart", Session: "c"},
		`{"session_id":"s","session_key":"agent:main:main","limit":9,"files":[{"path":"SOUL.md","version":"v"}]}`: {
			Name: "SessionStart", Session: "s", Key: "agent:main:main", Limit: 9, Files: []EventFile{{"SOUL.md", "v"}},
		},
	} {
		if diff := cmp.Diff(want, ReadEvent([]byte(in))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", in, diff)
		}
	}
}

func TestKind(t *testing.T) {
	for key, want := range map[string]string{
		"": "", "s1": "", "agent:main:main": "", "agent:main:explicit:s1": "", "agent:main:subagent:x": "subagent",
		"agent:main:cron:daily":          "cron",
		"agent:main:telegram:group:-100": "group", "agent:main:slack:channel:C1": "channel", "agent:main:whatsapp:direct:49": "",
	} {
		if got := (Event{Key: key}).Kind(); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}
