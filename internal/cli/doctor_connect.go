package cli

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

	"tend/internal/connect"
	"tend/internal/session"
)

// hookPatience is how long a hook may take before a harness would give up on it.
const hookPatience = 30 * time.Second

// lookHarnesses proves each connection: the settings hold our entries, and the hooks do
// what the harness would have them do.
func lookHarnesses(ctx context.Context, p *patient) []diagnosis {
	records, err := connect.Records(p.cfg.StateDir)
	if err != nil {
		return []diagnosis{broken("run `tend connect` again", "%v", err)}
	}
	if len(records) == 0 {
		return aside("no harness is connected; `tend connect` does it")
	}
	var out []diagnosis
	for _, r := range records {
		out = append(out, p.lookHarness(ctx, r)...)
	}
	return out
}

func (p *patient) lookHarness(ctx context.Context, r connect.Record) []diagnosis {
	again := "run `tend connect " + r.Harness + " --agent " + r.Agent
	if r.Dir != "" {
		again += " --dir " + r.Dir
	}
	again += "` again"
	name := r.Harness + " of " + r.Agent
	h, err := connect.Find(r.Harness)
	if err != nil {
		return []diagnosis{broken("", "%v", err)}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return []diagnosis{broken("", "%v", err)}
	}
	ag, err := p.cfg.Agent(r.Agent)
	if err != nil {
		return []diagnosis{broken("tend connect "+r.Harness+" --undo", "%s: %v", name, err)}
	}
	t := connect.Target{Agent: r.Agent, Workspace: ag.Workspace.Path, Binary: r.Binary, Config: r.Config, Dir: r.Dir, Home: home, Scope: r.Scope, Env: os.Getenv}
	if r.Rules != "" {
		t.Rules = rulesOf(ag)
	}
	var out []diagnosis
	gone, err := connect.Missing(h.Files(t))
	if err != nil {
		out = append(out, broken("mend the file, then "+again, "%s: %v", name, err))
	}
	for _, file := range gone {
		out = append(out, worry(again, "%s: %s does not hold what Tend wrote, or the rules have changed since", name, file))
	}
	out = append(out, tryHook(ctx, name, again, h.Hook, t)...)
	if h.Checkpoint {
		out = append(out, tryCheckpoint(ctx, name, again, t)...)
	}
	if len(out) == 0 {
		out = fine("%s: settings hold our entries, and its hooks answer", name)
	}
	return out
}

// runHook runs a command as harnesses do: by the shell, with JSON on standard input.
func runHook(ctx context.Context, command, dir string, input any) (string, error) {
	data, err := json.Marshal(input)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, hookPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.WaitDelay = time.Second
	cmd.Stdin = bytes.NewReader(data)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
		return "", fmt.Errorf("%w %s", err, safe(said))
	}
	return out.String(), nil
}

// tryHook calls the hook of a session's start and looks at what it gives.
func tryHook(ctx context.Context, name, again string, h session.Hook, t connect.Target) []diagnosis {
	dir := t.Dir
	if dir == "" {
		dir = t.Home
	}
	out, err := runHook(ctx, t.HookCommand(h), dir, map[string]any{
		"session_id": "tend-doctor", "cwd": dir, "hook_event_name": "SessionStart", "source": "startup", "transcript_path": "",
	})
	if err != nil {
		return []diagnosis{broken(again, "%s: the hook of a session's start fails: %v", name, err)}
	}
	text, err := h.Read([]byte(out))
	switch most, unit := h.Cap(); {
	case err != nil:
		return []diagnosis{broken(again, "%s: the hook gives what the harness cannot read: %v", name, err)}
	case strings.TrimSpace(text) == "":
		return []diagnosis{broken("see `tend context "+t.Agent+"`", "%s: the hook gives the model nothing", name)}
	case strings.HasPrefix(text, "Your memory could not be loaded"):
		return []diagnosis{broken("see `tend context "+t.Agent+"`", "%s: %s", name, strings.TrimSpace(text))}
	case most > 0 && session.CounterFor(unit)(text) > most:
		return []diagnosis{worry("lower context.budget in the policy", "%s: the hook gives more than the %s %s the harness takes", name, thousands(most), unit)}
	}
	return nil
}

// tryCheckpoint calls the hook before a compaction on an empty transcript, and dry: the
// doctor writes nothing.
func tryCheckpoint(ctx context.Context, name, again string, t connect.Target) []diagnosis {
	dir, err := os.MkdirTemp("", "tend-doctor-*")
	if err != nil {
		return []diagnosis{broken("", "%v", err)}
	}
	defer os.RemoveAll(dir)
	transcript := filepath.Join(dir, "transcript.jsonl")
	if err := os.WriteFile(transcript, nil, 0o600); err != nil {
		return []diagnosis{broken("", "%v", err)}
	}
	out, err := runHook(ctx, t.CheckpointCommand()+" --dry-run", dir, map[string]any{
		"session_id": "tend-doctor", "cwd": dir, "hook_event_name": "PreCompact", "trigger": "manual", "transcript_path": transcript,
	})
	if err != nil {
		return []diagnosis{broken(again, "%s: the hook before a compaction fails: %v", name, err)}
	}
	var said struct {
		Message string `json:"systemMessage"`
	}
	if out != "" && json.Unmarshal([]byte(out), &said) != nil {
		return []diagnosis{broken(again, "%s: the hook before a compaction gives what the harness cannot read", name)}
	}
	if strings.Contains(said.Message, "no checkpoint was saved") {
		return []diagnosis{broken(again, "%s: %s", name, said.Message)}
	}
	return nil
}
