package session

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/text/confedit"
	"tend/internal/text/layout"
)

// Hook is a harness that runs a command at a session's start and reads its output.
type Hook string

// The hooks.
const (
	ClaudeCode Hook = "claude-code"
	Codex      Hook = "codex"
	Gemini     Hook = "gemini"
	OpenClaw   Hook = "openclaw"
	Hermes     Hook = "hermes"
	Cursor     Hook = "cursor"
	Generic    Hook = "generic"
)

// Hooks lists them.
func Hooks() []Hook { return []Hook{ClaudeCode, Codex, Gemini, OpenClaw, Hermes, Cursor, Generic} }

// Runs reports whether a layout is that of the hook's harness: then the files it shows are the agent's.
func (h Hook) Runs(l layout.Layout) bool {
	return h != "" && h != Generic && (l.Name == string(h) || strings.HasPrefix(l.Name, string(h)+"-"))
}

// dates reports whether the harness tells the model the date itself.
func (h Hook) dates() bool { return h == ClaudeCode || h == Codex || h == Gemini }

// Cap is the size limit for a hook's text in a harness, 0 if it documents none.
func (h Hook) Cap() (most int, unit policy.ContextCount) {
	switch h {
	case ClaudeCode:
		return 10_000, policy.UnitUTF16
	case Codex:
		// Version 0.166 passed 9,000 whole and cut 12,000 down to about this, in the middle.
		return 10_000, policy.UnitBytes
	case OpenClaw:
		// It guarantees nothing beyond the limit for its own files.
		return 20_000, policy.UnitUTF16
	}
	return 0, policy.UnitChars
}

// Event is a harness's input to its hook.
type Event struct {
	Name    string `json:"hook_event_name"`
	Source  string `json:"source"`
	Cwd     string `json:"cwd"`
	Session string `json:"session_id"`
	// Later: the session has its context already. Hermes asks before every turn.
	Later bool `json:"-"`
	// Key is OpenClaw's name of the session, which says what kind it is.
	Key string `json:"session_key"`
	// Files are what OpenClaw read for the session, nil if it is not known; Limit and Total are its settings, 0 for the usual.
	Files []EventFile `json:"files"`
	Limit int         `json:"limit"`
	Total int         `json:"total"`
}

// EventFile is a file that the harness read.
type EventFile struct {
	Path    string        `json:"path"` // in the workspace
	Version vault.Version `json:"version"`
}

// Kind returns the kind of an OpenClaw session, "" for the main one.
func (e Event) Kind() string {
	_, rest, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(e.Key), "agent:"), ":")
	for _, kind := range []string{"subagent", "cron"} {
		if strings.HasPrefix(rest, kind+":") {
			return kind
		}
	}
	for _, kind := range []string{"group", "channel"} {
		if strings.Contains(":"+rest+":", ":"+kind+":") {
			return kind
		}
	}
	return ""
}

// ReadEvent parses a hook's input. Empty or invalid input counts as a plain session
// start: a hook that fails would cost the session its memory.
func ReadEvent(input []byte) Event {
	e := Event{Name: "SessionStart"}
	var got struct {
		Event
		Conversation string `json:"conversation_id"`
		Extra        struct {
			First *bool `json:"is_first_turn"`
		} `json:"extra"`
	}
	if json.Unmarshal(input, &got) == nil {
		name := e.Name
		if slices.Contains([]string{"SessionStart", "UserPromptSubmit", "SubagentStart", "BeforeAgent"}, got.Name) {
			name = got.Name
		}
		e = got.Event
		e.Name, e.Session = name, cmp.Or(got.Session, got.Conversation)
		e.Later = got.Extra.First != nil && !*got.Extra.First
	}
	return e
}

// field is the JSON field in which a harness expects the context; "" for one that reads
// hookSpecificOutput.
func (h Hook) field() string {
	return map[Hook]string{OpenClaw: "prependContext", Hermes: "context", Cursor: "additional_context"}[h]
}

// Format returns a context in the format the harness reads from its hooks.
func (h Hook) Format(text string, e Event) ([]byte, error) {
	switch h {
	case ClaudeCode, Codex, Gemini:
		type specific struct {
			Name string `json:"hookEventName"`
			Text string `json:"additionalContext"`
		}
		return encode(struct {
			Output specific `json:"hookSpecificOutput"`
		}{specific{e.Name, text}})
	case OpenClaw, Hermes, Cursor:
		return encode(map[string]string{h.field(): text})
	case Generic:
		return []byte(text), nil
	}
	names := make([]string, 0, 8)
	for _, k := range Hooks() {
		names = append(names, string(k))
	}
	return nil, fmt.Errorf("no hook %q (there are %s)", h, strings.Join(names, ", "))
}

func encode(v any) ([]byte, error) {
	line, err := confedit.Encode(v)
	return append(line, '\n'), err
}

// Read extracts the context from Format's output, as the harness does.
func (h Hook) Read(out []byte) (string, error) {
	switch h {
	case Generic:
		return string(out), nil
	case OpenClaw, Hermes, Cursor:
		v := map[string]string{}
		err := json.Unmarshal(out, &v)
		return v[h.field()], err
	}
	var v struct {
		Output struct {
			Text string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	err := json.Unmarshal(out, &v)
	return v.Output.Text, err
}
