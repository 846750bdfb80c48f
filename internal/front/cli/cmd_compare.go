package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
)

func newCompareCommand(a *app) *cobra.Command {
	var all, ask bool
	var there elsewhere
	cmd := a.command("compare [AGENT…]", func(ctx context.Context, args []string) error {
		if err := lookElsewhere(a, there, len(args) > 0 || all); err != nil {
			return err
		}
		names, err := a.chosen(args, all || len(args) == 0)
		if err != nil {
			return err
		}
		results, err := a.each(ctx, names, ask, func(f *fleet.Fleet, agent string) runner.Result {
			return runner.Do(ctx, f, agent, "compare", runner.Options{DryRun: !ask, AskCurator: ask})
		})
		if err != nil {
			return err
		}
		return a.report(results)
	})
	cmd.Flags().BoolVar(&all, "all", false, "all agents")
	cmd.Flags().BoolVar(&ask, "ask", false, "ask the curator for contradictions, too; they become proposals")
	there.add(cmd)
	return cmd
}
