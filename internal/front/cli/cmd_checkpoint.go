package cli

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/write"
	"tend/internal/engine/runner"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/text/session"
	"tend/internal/text/transcript"
)

type checkpointOptions struct {
	textFlags
	used, window int
	text         string
	compacting   bool
	hook         string
	plugin       string
}

func newCheckpointCommand(a *app) *cobra.Command {
	var o checkpointOptions
	cmd := a.command("checkpoint [TEXT]", func(ctx context.Context, args []string) error {
		if o.hook != "" && o.plugin != "" {
			return errHookAndPlugin
		}
		o.hook = cmp.Or(o.hook, o.plugin)
		switch {
		case o.hook == "":
			return runCheckpoint(ctx, a, o, args)
		case slices.Contains(checkpointHooks(), session.Hook(o.hook)):
			checkpointHook(ctx, a, o)
			return nil
		}
		return usererr.Usagef("there are "+listed(checkpointHooks()), "%s", "no hook for "+o.hook)
	})
	o.textFlags.add(a, cmd)
	o.addTags(a, cmd)
	cmd.Flags().IntVar(&o.used, "used", 0, "`TOKENS` in the context")
	cmd.Flags().IntVar(&o.window, "window", 0, "`TOKENS` the context can hold")
	cmd.Flags().StringVar(&o.text, "text", "", "the unsaved text")
	cmd.Flags().BoolVar(&o.compacting, "compacting", false, "a compaction is about to happen: save everything, whatever the numbers")
	cmd.Flags().StringVar(&o.hook, "hook", "", "run as a hook of this `HARNESS`: "+listed(checkpointHooks()))
	pluginFlag(cmd, &o.plugin)
	_ = cmd.RegisterFlagCompletionFunc("hook", cobra.FixedCompletions(plain(checkpointHooks()), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runCheckpoint(ctx context.Context, a *app, o checkpointOptions, args []string) error {
	switch {
	case o.text != "" && len(args) > 0:
		return usererr.Usagef("give it once", "the text is given twice")
	case o.text != "":
		args = []string{o.text}
	}
	w, err := o.readRequest(a, args)
	if err != nil {
		return err
	}
	return a.withAgent(ctx, o.agent, fleet.Options{Write: !o.dryRun}, func(ag *fleet.Agent) error {
		pr := write.Pressure{Used: o.used, Window: o.window, Request: w, Compacting: o.compacting || o.used == 0 && o.window == 0}
		r, ad, err := runner.Checkpoint(ctx, ag, pr, o.options())
		if err != nil {
			return err
		}
		value := struct {
			runner.Result
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

// checkpointHook saves what a session has said since the last checkpoint, when its context is full enough. It reports
// the result, and errors too, in the harness's own format: a hook must not disturb the work.
func checkpointHook(ctx context.Context, a *app, o checkpointOptions) {
	h := session.Hook(o.hook)
	in, err := transcript.ParseHook(hookInput(a))
	var said string
	var ad write.Advice
	if err == nil {
		said, ad, err = takeCheckpoint(ctx, a, o, in)
	}
	out := map[string]any{}
	switch {
	case err != nil:
		said = "no checkpoint was saved: " + textfmt.Safe(err.Error())
	case said == "":
		return
	}
	switch {
	case err == nil && (in.Event == "UserPromptSubmit" || in.Event == "PostToolUse"):
		out["hookSpecificOutput"] = map[string]string{"hookEventName": in.Event,
			"additionalContext": "Memory: " + said + ". Next: " + ad.Next + "."}
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

func takeCheckpoint(ctx context.Context, a *app, o checkpointOptions, in transcript.HookInput) (said string, ad write.Advice, err error) {
	if o.plugin != "" {
		name, err := a.pluginAgent(session.Hook(o.plugin), o.agent, in)
		if isNoMemory(err) {
			return "", ad, nil // there is no memory here; the session's start says so
		}
		if err != nil {
			return "", ad, err
		}
		o.agent = name
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
		var r runner.Result
		var err error
		r, ad, err = runner.CheckpointTalk(ctx, ag, session.Hook(o.hook), in, o.window, runner.Options{DryRun: o.dryRun})
		said = r.Summary
		return err
	})
	return said, ad, err
}

// checkpointHooks are the harnesses with a supported hook before a compaction, or the nearest thing to one.
func checkpointHooks() []session.Hook {
	return []session.Hook{session.ClaudeCode, session.Codex, session.Gemini, session.Cursor, session.Hermes, session.OpenClaw, session.Generic}
}

// agentOf returns the agent whose memory a session uses: its workspace is Claude Code's memory folder of the project,
// which is beside the transcript, or contains the session's working folder.
func agentOf(cfg *config.Config, in transcript.HookInput) string {
	if name := cfg.AgentAt(filepath.Join(filepath.Dir(in.Transcript), "memory")); name != "" {
		return name
	}
	return cfg.At(in.Cwd)
}
