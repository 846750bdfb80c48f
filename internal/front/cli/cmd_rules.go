package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tend/internal/engine/job/write"
)

func newRulesCommand(a *app) *cobra.Command {
	return a.command("rules [AGENT]", func(_ context.Context, args []string) error {
		ag, err := a.theAgent(firstArg(args))
		if err != nil {
			return err
		}
		var guarded []string
		for _, b := range ag.Baselines {
			guarded = append(guarded, b.File)
		}
		text := write.Rules(ag.Name, ag.Layout, ag.Policy, guarded)
		return a.emit(map[string]string{"agent": ag.Name, "rules": text}, func() {
			a.printf("%s", text)
		})
	})
}
