package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"tend/internal/engine/fleet"
	"tend/internal/engine/job/write"
	"tend/internal/engine/runner"
	"tend/internal/model/textfmt"
)

func newBufferCommand(a *app) *cobra.Command {
	return group("buffer", newBufferAdd(a), newBufferShow(a), newBufferClear(a))
}

func newBufferAdd(a *app) *cobra.Command {
	var t textFlags
	var task string
	cmd := t.command(a, "add TEXT", func(ctx context.Context, ag *fleet.Agent, w write.Request, o runner.Options) (runner.Result, error) {
		return runner.BufferAdd(ctx, ag, w, task, o)
	})
	t.addTags(a, cmd)
	cmd.Flags().StringVar(&task, "task", "", "add it under the heading of this active `TASK`")
	return cmd
}

func newBufferShow(a *app) *cobra.Command {
	return a.reader("show", a.readOne, func(ctx context.Context, ag *fleet.Agent, _ []string) error {
		s, err := ag.Files.Buffer(ctx)
		if err != nil {
			return err
		}
		return a.emit(s, func() {
			if s.Empty {
				a.printf("%s is empty.\n", s.File)
				return
			}
			a.printf("%s", textfmt.Safe(s.Text))
			if s.Stale {
				a.warnf("last active %s: `tend rotate` recovers it into today's log", ago(ag.Now(), *s.LastActive))
			}
			if s.MaxLines > 0 && s.Lines > s.MaxLines {
				a.warnf("%s", fmt.Sprintf("%d lines, the limit is %d", s.Lines, s.MaxLines))
			}
		})
	})
}

func newBufferClear(a *app) *cobra.Command {
	return a.writer("clear", func(ctx context.Context, ag *fleet.Agent, _ []string, o runner.Options) (runner.Result, error) {
		return runner.BufferClear(ctx, ag, o)
	})
}
