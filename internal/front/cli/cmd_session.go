package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/model/textfmt"
)

func newSessionCommand(a *app) *cobra.Command {
	return group("session", newSessionWrite(a), newSessionShow(a))
}

func newSessionWrite(a *app) *cobra.Command {
	return new(textFlags).command(a, "write TEXT", runner.SessionWrite)
}

func newSessionShow(a *app) *cobra.Command {
	return a.reader("show", a.readOne, func(ctx context.Context, ag *fleet.Agent, _ []string) error {
		s, err := ag.Files.Session(ctx)
		if err != nil {
			return err
		}
		return a.emit(s, func() {
			if s.Text == "" {
				a.printf("%s does not exist yet.\n", s.File)
			}
			a.printf("%s", textfmt.Safe(s.Text))
		})
	})
}
