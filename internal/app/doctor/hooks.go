package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/connect"
	"tend/internal/model/textfmt"
	"tend/internal/text/session"
)

// hookPatience is how long a hook may take before a harness gives up on it.
const hookPatience = 30 * time.Second

// trial calls a hook as a harness would, and checks the output.
type trial struct {
	name, again string
	version     string
	target      connect.Target
	dir         string // the harness's working folder
}

// run runs a command as harnesses do: in the shell, with JSON on standard input.
func (t trial) run(ctx context.Context, command string, input any) (out, said string, err error) {
	data, err := json.Marshal(input)
	if err != nil {
		return "", "", err
	}
	ctx, cancel := context.WithTimeout(ctx, hookPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.WaitDelay = time.Second
	cmd.Stdin = bytes.NewReader(data)
	cmd.Dir = t.dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return "", "", fmt.Errorf("%w %s", err, textfmt.Safe(line))
	}
	return stdout.String(), stderr.String(), nil
}

// start calls the session-start hook.
func (t trial) start(ctx context.Context, h session.Hook) []Diagnosis {
	out, _, err := t.run(ctx, t.target.HookCommand(h), map[string]any{
		"session_id": "tend-doctor", "cwd": t.dir, "hook_event_name": "SessionStart", "source": "startup", "transcript_path": "",
	})
	if err != nil {
		return []Diagnosis{broken(t.again, "%s: the session-start hook fails: %v", t.name, err)}
	}
	text, err := h.Read([]byte(out))
	see := "see `tend context " + t.target.Agent + "`"
	switch most, unit := h.Cap(); {
	case err != nil:
		return []Diagnosis{broken(t.again, "%s: the harness cannot read the hook's output: %v", t.name, err)}
	case strings.TrimSpace(text) == "":
		return []Diagnosis{broken(see, "%s: the hook's output is empty", t.name)}
	case strings.HasPrefix(text, "Your memory could not be loaded"):
		return []Diagnosis{broken(see, "%s: %s", t.name, strings.TrimSpace(text))}
	case most > 0 && session.CounterFor(unit)(text) > most:
		return []Diagnosis{warn("lower context.budget in the policy", "%s: the hook's output is longer than the %s %s the harness accepts",
			t.name, textfmt.Thousands(most), unit)}
	}
	return nil
}

// SampleTalk is a question and an answer in a harness's transcript format.
func SampleTalk(h session.Hook, file string) (text string, input map[string]any) {
	input = map[string]any{"session_id": "tend-doctor-" + string(h), "cwd": filepath.Dir(file), "hook_event_name": "PreCompact",
		"trigger": "manual", "transcript_path": file}
	messages := []map[string]string{{"role": "user", "content": "Does it work?"}, {"role": "assistant", "content": "It does."}}
	switch h {
	case session.ClaudeCode:
		text = `{"type":"user","message":{"content":"Does it work?"}}` + "\n" + `{"type":"assistant","message":{"content":"It does."}}` + "\n"
	case session.Codex:
		text = `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"text","text":"Does it work?"}]}}}` + "\n"
	case session.Gemini:
		input["hook_event_name"] = "PreCompress"
		text = `{"type":"user","content":[{"text":"Does it work?"}]}` + "\n"
	case session.Cursor:
		input["hook_event_name"] = "preCompact"
		text = `{"role":"user","message":{"content":[{"type":"text","text":"Does it work?"}]}}` + "\n"
	case session.Hermes:
		input = map[string]any{"session_id": "tend-doctor-" + string(h), "hook_event_name": "post_llm_call",
			"extra": map[string]any{"conversation_history": messages}}
	default:
		input = map[string]any{"session_id": "tend-doctor-" + string(h), "hook_event_name": "PreCompact", "messages": messages}
	}
	return text, input
}

// tryCheckpoint calls the pre-compaction hook on a transcript of two lines, as a dry run: the doctor writes nothing into
// a memory.
func (t trial) tryCheckpoint(ctx context.Context, h session.Hook) []Diagnosis {
	dir, err := os.MkdirTemp("", "tend-doctor-*")
	if err != nil {
		return []Diagnosis{broken("", "%v", err)}
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "transcript.jsonl")
	text, input := SampleTalk(h, file)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return []Diagnosis{broken("", "%v", err)}
	}
	command := t.target.CheckpointCommand(h) + " --dry-run"
	if h == session.Hermes {
		command += " --window 1" // nothing else makes two lines fill a context
	}
	out, said, err := t.run(ctx, command, input)
	if err != nil {
		return []Diagnosis{broken(t.again, "%s: the pre-compaction hook fails: %v", t.name, err)}
	}
	var told struct {
		Message string `json:"systemMessage"`
		User    string `json:"user_message"`
	}
	if out != "" && json.Unmarshal([]byte(out), &told) != nil {
		return []Diagnosis{broken(t.again, "%s: the harness cannot read the pre-compaction hook's output", t.name)}
	}
	switch all := strings.TrimSpace(told.Message + told.User + said); {
	case strings.Contains(all, "no checkpoint was saved"):
		return []Diagnosis{broken(t.again, "%s: %s", t.name, textfmt.Safe(all))}
	case all == "":
		return []Diagnosis{broken(t.again, "%s: the pre-compaction hook would save nothing", t.name)}
	}
	return nil
}

// tryServer starts the MCP server with the command in the settings and asks for its tools.
func (t trial) tryServer(ctx context.Context) (tools int, found []Diagnosis) {
	ctx, cancel := context.WithTimeout(ctx, hookPatience)
	defer cancel()
	command := t.target.ServerCommand()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = t.dir
	var said bytes.Buffer
	cmd.Stderr = &said
	fail := func(err error) []Diagnosis {
		line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return []Diagnosis{broken(t.again, "%s: the server does not start: %v %s", t.name, err, textfmt.Safe(line))}
	}
	client := mcpsdk.NewClient(&mcpsdk.Implementation{Name: "tend-doctor", Version: t.version}, nil)
	s, err := client.Connect(ctx, &mcpsdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return 0, fail(err)
	}
	defer s.Close()
	list, err := s.ListTools(ctx, nil)
	if err != nil {
		return 0, fail(err)
	}
	if len(list.Tools) == 0 {
		return 0, []Diagnosis{broken(t.again, "%s: the server offers no tools", t.name)}
	}
	return len(list.Tools), nil
}
