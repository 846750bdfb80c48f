package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"tend/internal/config"
	"tend/internal/fleet"
	"tend/internal/job"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// claudeInput is what Claude Code gives to a hook.
type claudeInput struct {
	Session    string `json:"session_id"`
	Transcript string `json:"transcript_path"`
	Cwd        string `json:"cwd"`
	Event      string `json:"hook_event_name"`
}

// claudeHook saves what a session of Claude Code has said since the last checkpoint, when
// its context is full enough. It tells what it did in the harness's own form, and an error
// is told the same way: a hook must not get in the way of the work.
func (a *app) claudeHook(ctx context.Context, o checkpointOptions) {
	var in claudeInput
	said, ad, err := func() (string, job.Advice, error) {
		data, err := io.ReadAll(a.in)
		if err != nil {
			return "", job.Advice{}, err
		}
		if err := json.Unmarshal(data, &in); err != nil {
			return "", job.Advice{}, fmt.Errorf("read the hook's input: %w", err)
		}
		return a.claudeCheckpoint(ctx, o, in)
	}()
	out := map[string]any{}
	switch {
	case err != nil:
		out["systemMessage"] = "tend: no checkpoint was saved: " + safe(err.Error())
	case said == "":
		return
	case in.Event == "UserPromptSubmit" || in.Event == "PostToolUse":
		out["hookSpecificOutput"] = map[string]string{"hookEventName": in.Event, "additionalContext": "Memory: " + said + ". Next: " + ad.Next + "."}
	default:
		out["systemMessage"] = "tend: " + said
	}
	_ = a.printJSON(out)
}

func (a *app) claudeCheckpoint(ctx context.Context, o checkpointOptions, in claudeInput) (said string, ad job.Advice, err error) {
	if in.Transcript == "" || in.Session == "" {
		return "", ad, errors.New("the hook's input names no transcript and session")
	}
	cfg, err := a.config()
	if err != nil {
		return "", ad, err
	}
	name := o.agent
	if name == "" {
		name = agentOf(cfg, in)
	}
	err = a.withAgent(ctx, name, fleet.Options{Write: !o.dryRun}, func(ag *fleet.Agent) error {
		mark := vault.Path("transcript/" + in.Session)
		last, _, err := ag.LastReceipt(mark)
		if err != nil {
			return err
		}
		t, err := readTranscript(in.Transcript, last.To)
		if err != nil {
			return err
		}
		pr := job.Pressure{Used: t.used, Window: o.window, Compacting: in.Event == "PreCompact"}
		if pr.Window == 0 {
			pr.Window = t.window(policy.CompactionWindow.Of(ag.Policy))
		}
		level := pr.Level(ag.Policy)
		few := t.responses < policy.CheckpointEveryResponses.Of(ag.Policy)
		crossed := level == job.LevelDump && last.Job != string(job.LevelDump)
		if level == job.LevelNone || few && !crossed && !pr.Compacting {
			return nil
		}
		pr.Text = t.excerpt(policy.CheckpointExcerpt.Of(ag.Policy), in.Transcript)
		if pr.Text == "" {
			return nil
		}
		pr.Taken = []plan.Receipt{{Job: string(level), Path: mark, From: t.from, To: t.to, Hash: t.hash}}
		reason := strings.TrimSpace(in.Event + " of session " + in.Session)
		r, advice, err := ag.Checkpoint(ctx, pr, fleet.RunOptions{Who: "hook:claude-code", Reason: reason, DryRun: o.dryRun})
		said, ad = r.Summary, advice
		return err
	})
	return said, ad, err
}

// agentOf is the agent whose memory a session of Claude Code works with: its workspace is
// the project's memory folder, which lies beside the transcript, or holds the session's
// working folder.
func agentOf(cfg *config.Config, in claudeInput) string {
	memory := filepath.Join(filepath.Dir(in.Transcript), "memory")
	best, size := "", 0
	for _, ag := range cfg.Agents {
		if ag.Workspace.Kind != config.Local {
			continue
		}
		ws := ag.Workspace.Path
		if ws == memory {
			return ag.Name
		}
		rel, err := filepath.Rel(ws, in.Cwd)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) && len(ws) > size {
			best, size = ag.Name, len(ws)
		}
	}
	return best
}
