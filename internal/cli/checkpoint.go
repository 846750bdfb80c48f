package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/act"
	"tend/internal/config"
	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/job/write"
	"tend/internal/past"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/session"
	"tend/internal/transcript"
	"tend/internal/vault"
	"tend/internal/words"
)

type checkpointOptions struct {
	textFlags
	used, window int
	text         string
	compacting   bool
	hook         string
}

func newCheckpointCommand(a *app) *cobra.Command {
	var o checkpointOptions
	cmd := a.command("checkpoint", func(ctx context.Context, _ []string) error {
		switch {
		case o.hook == "":
			return runCheckpoint(ctx, a, o)
		case slices.Contains(checkpointHooks(), session.Hook(o.hook)):
			checkpointHook(ctx, a, o)
			return nil
		}
		return fault.Usagef("there are "+listed(checkpointHooks()), "%s", "no hook for "+o.hook)
	})
	o.textFlags.add(a, cmd)
	o.addTags(a, cmd)
	cmd.Flags().IntVar(&o.used, "used", 0, "`TOKENS` in the context")
	cmd.Flags().IntVar(&o.window, "window", 0, "`TOKENS` the context can hold")
	cmd.Flags().StringVar(&o.text, "text", "", "the unsaved text")
	cmd.Flags().BoolVar(&o.compacting, "compacting", false, "a compaction is about to happen: save everything, whatever the numbers")
	cmd.Flags().StringVar(&o.hook, "hook", "", "run as a hook of this `HARNESS`: "+listed(checkpointHooks()))
	_ = cmd.RegisterFlagCompletionFunc("hook", cobra.FixedCompletions(plain(checkpointHooks()), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runCheckpoint(ctx context.Context, a *app, o checkpointOptions) error {
	var args []string
	if o.text != "" {
		args = []string{o.text}
	}
	w, err := o.writing(a, args)
	if err != nil {
		return err
	}
	return a.withAgent(ctx, o.agent, fleet.Options{Write: !o.dryRun}, func(ag *fleet.Agent) error {
		pr := write.Pressure{Used: o.used, Window: o.window, Request: w, Compacting: o.compacting}
		r, ad, err := act.Checkpoint(ctx, ag, pr, o.options())
		if err != nil {
			return err
		}
		value := struct {
			act.Result
			write.Advice
		}{r, ad}
		return errors.Join(a.emit(value, func() {
			printOne(&a.printer, r)
			if !a.quiet || ad.Level != write.LevelNone {
				a.printf("Next: %s.\n", ad.Next)
			}
		}), oneCode(r))
	})
}

// checkpointHooks are the harnesses with a supported hook before a compaction, or the nearest thing to one.
func checkpointHooks() []session.Hook {
	return []session.Hook{session.ClaudeCode, session.Codex, session.Gemini, session.Cursor, session.Hermes, session.OpenClaw, session.Generic}
}

// checkpointInput is the hook input of the harnesses; each sends some of it.
type checkpointInput struct {
	Session      string               `json:"session_id"`
	Conversation string               `json:"conversation_id"`
	Transcript   string               `json:"transcript_path"`
	Cwd          string               `json:"cwd"`
	Roots        []string             `json:"workspace_roots"`
	Event        string               `json:"hook_event_name"`
	Trigger      string               `json:"trigger"`
	Used         int                  `json:"context_tokens"`
	Window       int                  `json:"context_window_size"`
	Messages     []transcript.Message `json:"messages"`
	Extra        struct {
		Model   string               `json:"model"`
		History []transcript.Message `json:"conversation_history"`
	} `json:"extra"`
}

func readCheckpointInput(data []byte) (in checkpointInput, err error) {
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

// compacting reports whether the harness is about to compact, whatever the numbers are. Gemini CLI calls its hooks
// before every turn and then looks at the numbers itself.
func (in checkpointInput) compacting() bool {
	switch in.Event {
	case "PreCompact", "preCompact", "session:compact:before":
		return true
	case "PreCompress":
		return in.Trigger == "manual"
	}
	return false
}

// squeeze is the fill level at which a harness that does not announce compactions is assumed to compact: its default,
// because its settings are not read.
func squeeze(h session.Hook) float64 {
	switch h {
	case session.Gemini, session.Hermes:
		return 0.5
	}
	return 1
}

// checkpointHook saves what a session has said since the last checkpoint, when its context is full enough. It reports
// the result, and errors too, in the harness's own format: a hook must not disturb the work.
func checkpointHook(ctx context.Context, a *app, o checkpointOptions) {
	h := session.Hook(o.hook)
	in, err := readCheckpointInput(hookInput(a))
	var said string
	var ad write.Advice
	if err == nil {
		said, ad, err = takeCheckpoint(ctx, a, o, in)
	}
	out := map[string]any{}
	switch {
	case err != nil:
		said = "no checkpoint was saved: " + words.Safe(err.Error())
	case said == "":
		return
	}
	switch {
	case err == nil && (in.Event == "UserPromptSubmit" || in.Event == "PostToolUse"):
		out["hookSpecificOutput"] = map[string]string{"hookEventName": in.Event, "additionalContext": "Memory: " + said + ". Next: " + ad.Next + "."}
	case h == session.Cursor:
		out["user_message"] = "tend: " + said
	case h == session.Hermes:
		// It ignores this hook's output; standard error goes to its log.
		a.errorf("tend: %s\n", said)
		return
	default:
		out["systemMessage"] = "tend: " + said
	}
	_ = a.printJSON(out)
}

func takeCheckpoint(ctx context.Context, a *app, o checkpointOptions, in checkpointInput) (said string, ad write.Advice, err error) {
	if in.Session == "" || in.Transcript == "" && len(in.Messages) == 0 {
		return "", ad, errors.New("the hook's input names no session, or neither a transcript nor messages")
	}
	cfg, err := a.config()
	if err != nil {
		return "", ad, err
	}
	name := o.agent
	if name == "" {
		name = agentOf(cfg, in)
	}
	h := session.Hook(o.hook)
	err = a.withAgent(ctx, name, fleet.Options{Write: !o.dryRun}, func(ag *fleet.Agent) error {
		mark := vault.Path("transcript/" + in.Session)
		last, err := past.Of(ag).LastReceipt(mark)
		if err != nil {
			return err
		}
		t, where, err := in.talk(h, last)
		if err != nil {
			return err
		}
		pr := write.Pressure{Used: t.Used, Window: o.window, Compacting: in.compacting()}
		if pr.Window == 0 {
			pr.Window = int(float64(t.Room(policy.CompactionWindow.Of(ag.Policy))) * squeeze(h))
		}
		pr.Compacting = pr.Compacting || squeeze(h) < 1 && pr.Used >= pr.Window
		level := pr.Level(ag.Policy)
		few := t.Responses < policy.CheckpointEveryResponses.Of(ag.Policy)
		crossed := level == write.LevelDump && last.Job != string(write.LevelDump)
		if level == write.LevelNone || few && !crossed && !pr.Compacting {
			return nil
		}
		pr.Text = t.Excerpt(policy.CheckpointExcerpt.Of(ag.Policy), where)
		if pr.Text == "" {
			return nil
		}
		pr.Taken = []plan.Receipt{{Job: string(level), Path: mark, From: t.From, To: t.To, Hash: t.Hash}}
		reason := strings.TrimSpace(in.Event + " of session " + in.Session)
		r, advice, err := act.Checkpoint(ctx, ag, pr, act.Options{Who: "hook:" + o.hook, Reason: reason, DryRun: o.dryRun})
		said, ad = r.Summary, advice
		return err
	})
	return said, ad, err
}

// talk returns what was said since the last checkpoint, and where the rest can be read.
func (in checkpointInput) talk(h session.Hook, last plan.Receipt) (transcript.Talk, string, error) {
	var t transcript.Talk
	where := in.Transcript
	if len(in.Messages) > 0 {
		t, where = transcript.Messages(in.Messages, last.To, last.Hash), "the session's own history"
		t.Model = in.Extra.Model
	} else {
		var err error
		if t, err = transcript.Read(transcript.Format(h), in.Transcript, last.To); err != nil {
			return t, "", err
		}
	}
	if in.Used > 0 {
		t.Used = in.Used
	}
	if in.Window > 0 {
		t.Window = in.Window
	}
	return t, where, nil
}

// agentOf returns the agent whose memory a session uses: its workspace is Claude Code's memory folder of the project,
// which is beside the transcript, or contains the session's working folder.
func agentOf(cfg *config.Config, in checkpointInput) string {
	if name := cfg.Of(filepath.Join(filepath.Dir(in.Transcript), "memory")); name != "" {
		return name
	}
	return cfg.At(in.Cwd)
}
