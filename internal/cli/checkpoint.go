package cli

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"tend/internal/act"
	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/job"
	"tend/internal/session"
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
	cmd := &cobra.Command{
		Use: "checkpoint", Short: "Save what is in no file yet before the context overflows",
		Long: `Save unsaved context, depending on how full the context is: below 60 % nothing happens, from 60 %
the text goes to the working buffer, from 80 % to the day's log and the session's state
(the policy has the numbers). The answer says what was done and what to do next.

A secret in the text is masked, because the rest must be kept. Where the layout has
no file for it, the text is archived.

With --hook the command reads what the harness gives to its hooks on standard input,
finds the numbers and the text in the transcript by itself, and never fails the
harness: it always ends with 0. tend connect writes it where each harness has a place
for it; for Claude Code and Codex it may be used on Stop, too. For a harness of your
own, --hook generic takes {"session_id": …, "hook_event_name": "PreCompact",
"messages": [{"role": …, "content": …}]}; context_tokens and context_window_size may
say how full it is.`,
		Example: `  tend checkpoint --used 125000 --window 200000 --text "half of the files are moved"
  tend checkpoint --used 162000 --window 200000 --stdin < unsaved.md
  tend checkpoint --hook claude-code          # as a hook, see tend connect`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.hook == "":
				return runCheckpoint(cmd, a, o)
			case slices.Contains(checkpointHooks(), session.Hook(o.hook)):
				a.checkpointHook(cmd.Context(), o)
				return nil
			}
			return fault.Usagef("there are "+listed(checkpointHooks()), "%s", "no hook for "+o.hook)
		},
	}
	o.textFlags.add(a, cmd)
	o.addTags(a, cmd)
	cmd.Flags().IntVar(&o.used, "used", 0, "`TOKENS` in the context")
	cmd.Flags().IntVar(&o.window, "window", 0, "`TOKENS` the context can hold")
	cmd.Flags().StringVar(&o.text, "text", "", "what is in no file yet")
	cmd.Flags().BoolVar(&o.compacting, "compacting", false, "a compaction is about to happen: save everything, whatever the numbers")
	cmd.Flags().StringVar(&o.hook, "hook", "", "be a hook of this `HARNESS`: "+listed(checkpointHooks()))
	_ = cmd.RegisterFlagCompletionFunc("hook", cobra.FixedCompletions(plain(checkpointHooks()), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runCheckpoint(cmd *cobra.Command, a *app, o checkpointOptions) error {
	var args []string
	if o.text != "" {
		args = []string{o.text}
	}
	w, err := o.writing(a, args)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	return a.withAgent(ctx, o.agent, fleet.Options{Write: !o.dryRun}, func(ag *fleet.Agent) error {
		pr := job.Pressure{Used: o.used, Window: o.window, Writing: w, Compacting: o.compacting}
		r, ad, err := act.Checkpoint(ctx, ag, pr, o.options())
		if err != nil {
			return err
		}
		value := struct {
			act.Result
			job.Advice
		}{r, ad}
		return errors.Join(a.emit(value, func() {
			a.printOne(r)
			if !a.quiet || ad.Level != job.LevelNone {
				a.printf("Next: %s.\n", ad.Next)
			}
		}), oneCode(r))
	})
}
