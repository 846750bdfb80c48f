package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"

	"tend/internal/disk/vault"
)

// HookInput is what the harnesses pass to a hook; each sends some of it.
type HookInput struct {
	Session      string    `json:"session_id"`
	Conversation string    `json:"conversation_id"`
	Transcript   string    `json:"transcript_path"`
	Cwd          string    `json:"cwd"`
	Roots        []string  `json:"workspace_roots"`
	Event        string    `json:"hook_event_name"`
	Trigger      string    `json:"trigger"`
	Used         int       `json:"context_tokens"`
	Window       int       `json:"context_window_size"`
	Messages     []Message `json:"messages"`
	Extra        struct {
		Model   string    `json:"model"`
		History []Message `json:"conversation_history"`
	} `json:"extra"`
}

// ParseHook parses the input of a hook.
func ParseHook(data []byte) (in HookInput, err error) {
	if err := json.Unmarshal(data, &in); err != nil {
		return in, fmt.Errorf("read the hook's input: %w", err)
	}
	in.Session = cmp.Or(in.Session, in.Conversation)
	if in.Cwd == "" && len(in.Roots) > 0 {
		in.Cwd = in.Roots[0]
	}
	if in.Messages == nil {
		in.Messages = in.Extra.History
	}
	return in, nil
}

// Compacting reports whether the harness is about to compact, whatever the numbers are. Gemini CLI calls its hooks
// before every turn and then looks at the numbers itself.
func (in HookInput) Compacting() bool {
	switch in.Event {
	case "PreCompact", "preCompact", "session:compact:before":
		return true
	case "PreCompress":
		return in.Trigger == "manual"
	}
	return false
}

// Talk returns what was said since a position, and where the rest can be read. last is the version of what was there.
func (in HookInput) Talk(f Format, since int, last vault.Version) (t Talk, where string, err error) {
	where = in.Transcript
	if len(in.Messages) > 0 {
		t, where = Messages(in.Messages, since, last), "the session's own history"
		t.Model = in.Extra.Model
	} else if t, err = Read(f, in.Transcript, since); err != nil {
		return t, "", err
	}
	t.Used, t.Window = cmp.Or(in.Used, t.Used), cmp.Or(in.Window, t.Window)
	return t, where, nil
}
