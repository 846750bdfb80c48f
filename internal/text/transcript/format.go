package transcript

import (
	"encoding/json"
	"strings"
)

// Format is a harness's transcript format. All write one JSON value per line.
type Format string

// The formats.
const (
	ClaudeCode Format = "claude-code"
	Codex      Format = "codex"
	Gemini     Format = "gemini"
	Cursor     Format = "cursor"
	OpenClaw   Format = "openclaw"
	Hermes     Format = "hermes" // rows of a database, which are read as lines of its columns
)

// readLine reads a line. What is not understood is skipped: the format is the harness's own.
func (f Format) readLine(t *Talk, line []byte) {
	switch f {
	case ClaudeCode:
		takeClaude(t, line)
	case Codex:
		takeCodex(t, line)
	case Gemini:
		takeGemini(t, line)
	case Cursor:
		takeCursor(t, line)
	case OpenClaw:
		takeOpenClaw(t, line)
	case Hermes:
		takeHermes(t, line)
	}
}

func takeClaude(t *Talk, line []byte) {
	var r struct {
		Type      string `json:"type"`
		Subtype   string `json:"subtype"`
		Sidechain bool   `json:"isSidechain"`
		Meta      bool   `json:"isMeta"`
		Summary   bool   `json:"isCompactSummary"`
		Message   struct {
			Model   string          `json:"model"`
			Content json.RawMessage `json:"content"`
			Usage   *struct {
				Input  int `json:"input_tokens"`
				Made   int `json:"cache_creation_input_tokens"`
				Read   int `json:"cache_read_input_tokens"`
				Output int `json:"output_tokens"`
			} `json:"usage"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &r) != nil || r.Sidechain || r.Meta || r.Summary {
		return
	}
	if r.Type == "system" && r.Subtype == "compact_boundary" {
		t.Used = 0 // the context is a new one
		return
	}
	if r.Type != "user" && r.Type != "assistant" {
		return
	}
	if u := r.Message.Usage; r.Type == "assistant" && u != nil && r.Message.Model != "<synthetic>" {
		t.Used, t.Model = u.Input+u.Made+u.Read+u.Output, r.Message.Model
		t.Responses++
	}
	t.readContent(r.Type, r.Message.Content)
}

// takeCodex reads a line of a rollout. It has each message once for the screen and once for the model; the former is
// without what the program added.
func takeCodex(t *Talk, line []byte) {
	var r struct {
		Type    string `json:"type"`
		Payload struct {
			Type string `json:"type"`
			Item struct {
				Type    string          `json:"type"`
				Content json.RawMessage `json:"content"`
				Changes map[string]any  `json:"changes"`
			} `json:"item"`
			Message string `json:"message"` // of older versions
			Info    *struct {
				Last struct {
					Total int `json:"total_tokens"`
				} `json:"last_token_usage"`
				Window int `json:"model_context_window"`
			} `json:"info"`
			Model string `json:"model"`
		} `json:"payload"`
	}
	if json.Unmarshal(line, &r) != nil {
		return
	}
	switch p := r.Payload; {
	case r.Type == "compacted":
		t.Used = 0
	case r.Type == "turn_context" && p.Model != "":
		t.Model = p.Model
	case r.Type != "event_msg":
	case p.Type == "token_count" && p.Info != nil:
		t.Used, t.Window = p.Info.Last.Total, p.Info.Window
	case p.Type == "user_message":
		t.addMessage("user", p.Message)
	case p.Type == "agent_message":
		t.Responses++
		t.addMessage("agent", p.Message)
	case p.Type == "item_completed":
		switch p.Item.Type {
		case "UserMessage":
			t.readContent("user", p.Item.Content)
		case "AgentMessage":
			t.Responses++
			t.readContent("assistant", p.Item.Content)
		case "FileChange":
			for file := range p.Item.Changes {
				t.touch(file)
			}
		}
	}
}

func takeGemini(t *Talk, line []byte) {
	var r struct {
		Type    string          `json:"type"`
		Content json.RawMessage `json:"content"`
		Model   string          `json:"model"`
		Tokens  *struct {
			Total int `json:"total"`
		} `json:"tokens"`
		Calls []struct {
			Name string `json:"name"`
			Args struct {
				File string `json:"file_path"`
			} `json:"args"`
		} `json:"toolCalls"`
	}
	if json.Unmarshal(line, &r) != nil {
		return
	}
	switch r.Type {
	case "user":
		t.readContent("user", r.Content)
	case "gemini":
		if r.Tokens != nil {
			t.Used, t.Model = r.Tokens.Total, r.Model
			t.Responses++
		}
		t.readContent("assistant", r.Content)
		for _, c := range r.Calls {
			if c.Name == "write_file" || c.Name == "replace" {
				t.touch(c.Args.File)
			}
		}
	}
}

func takeCursor(t *Talk, line []byte) {
	var r struct {
		Role    string `json:"role"`
		Message struct {
			Content json.RawMessage `json:"content"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &r) != nil || r.Role != "user" && r.Role != "assistant" {
		return
	}
	if r.Role == "assistant" {
		t.Responses++
	}
	t.readContent(r.Role, r.Message.Content)
}

func takeOpenClaw(t *Talk, line []byte) {
	var r struct {
		Type    string `json:"type"`
		Message struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &r) != nil || r.Type != "message" || r.Message.Role != "user" && r.Message.Role != "assistant" {
		return
	}
	t.readContent(r.Message.Role, r.Message.Content)
}

func takeHermes(t *Talk, line []byte) {
	var m Message
	if json.Unmarshal(line, &m) == nil && (m.Role == "user" || m.Role == "assistant") {
		t.readContent(m.Role, m.Content)
	}
}

// readContent reads a message's content: a text, or parts of which some are text.
func (t *Talk) readContent(who string, raw json.RawMessage) {
	if who == "assistant" {
		who = "agent"
	}
	var plain string
	if json.Unmarshal(raw, &plain) == nil {
		t.addMessage(who, plain)
		return
	}
	var parts []struct {
		Type  string `json:"type"`
		Text  string `json:"text"`
		Name  string `json:"name"`
		Input struct {
			File string `json:"file_path"`
		} `json:"input"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return
	}
	for _, p := range parts {
		switch strings.ToLower(p.Type) {
		case "", "text", "input_text", "output_text":
			t.addMessage(who, p.Text)
		case "tool_use":
			if p.Name == "Write" || strings.HasSuffix(p.Name, "Edit") {
				t.touch(p.Input.File)
			}
		}
	}
}
