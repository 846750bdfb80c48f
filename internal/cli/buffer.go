package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"tend/internal/act"
	"tend/internal/fleet"
	"tend/internal/job"
	"tend/internal/words"
)

func newBufferCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use: "buffer", Short: "The working buffer: what is not yet taken in",
		Long: `The working buffer holds what an agent must not lose before it is taken into the
day's log: unsaved context, or what it writes before every reply. Its head has four
lines, of which last_active is refreshed with every entry.`,
		Example: `  tend buffer add "waiting for the second review" --task "release 4.2"
  tend buffer show
  tend buffer clear`,
	}, newBufferAdd(a), newBufferShow(a), newBufferClear(a))
}

func newBufferAdd(a *app) *cobra.Command {
	var t textFlags
	var task string
	cmd := &cobra.Command{
		Use: "add TEXT", Short: "Add an entry and refresh the heartbeat",
		Example: `  tend buffer add "second review outstanding" --task "release 4.2"
  tend buffer add --stdin < context.md`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.write(cmd, a, args, func(ctx context.Context, ag *fleet.Agent, w job.Writing, o act.Options) (act.Result, error) {
				return act.BufferAdd(ctx, ag, w, task, o)
			})
		},
	}
	t.add(a, cmd)
	t.addTags(a, cmd)
	cmd.Flags().StringVar(&task, "task", "", "put it under the heading of this active `TASK`")
	return cmd
}

func newBufferShow(a *app) *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use: "show", Short: "Print the buffer; changes nothing", Example: "  tend buffer show --json",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withAgent(cmd.Context(), agent, fleet.Options{}, func(ag *fleet.Agent) error {
				s, err := ag.Files.Buffer(cmd.Context())
				if err != nil {
					return err
				}
				return a.emit(s, func() {
					if s.Empty {
						a.printf("%s is empty.\n", s.File)
						return
					}
					a.printf("%s", words.Safe(s.Text))
					if s.Stale {
						a.warnf("last active %s: `tend rotate` recovers it into today's log", ago(ag.Now(), *s.LastActive))
					}
					if s.MaxLines > 0 && s.Lines > s.MaxLines {
						a.warnf("%s", fmt.Sprintf("%d lines, the limit is %d", s.Lines, s.MaxLines))
					}
				})
			})
		},
	}
	a.agentFlag(cmd, &agent)
	return cmd
}

func newBufferClear(a *app) *cobra.Command {
	var agent string
	var w writeFlags
	cmd := &cobra.Command{
		Use: "clear", Short: "Archive what is in the buffer and empty it",
		Long:    "Archive what is in the buffer and empty it. To take it into today's log instead, use `tend rotate`.",
		Example: "  tend buffer clear --reason \"all of it is in the log\"",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.change(cmd.Context(), agent, w, func(ag *fleet.Agent, o act.Options) (act.Result, error) {
				return act.BufferClear(cmd.Context(), ag, o)
			})
		},
	}
	w.add(cmd.Flags())
	a.agentFlag(cmd, &agent)
	return cmd
}
