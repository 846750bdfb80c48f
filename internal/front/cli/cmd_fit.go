package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/text/layout/loadview"
)

func newFitCommand(a *app) *cobra.Command {
	var apply bool
	var w writeFlags
	var o loadview.Options
	cmd := a.command("fit [AGENT]", func(ctx context.Context, args []string) error {
		return a.withAgent(ctx, firstArg(args), fleet.Options{Write: apply && !w.dryRun}, func(ag *fleet.Agent) error {
			ao := w.options()
			ao.DryRun = ao.DryRun || !apply
			r, open, err := runner.Fit(ctx, ag, o, ao)
			if err != nil {
				return err
			}
			if err := a.reportOne(r); err != nil {
				return err
			}
			for _, x := range open {
				a.warnf("%s: %s", x.Path, x.What)
			}
			return oneIf(len(open) > 0)
		})
	})
	w.add(cmd.Flags())
	cmd.Flags().BoolVar(&apply, "apply", false, "apply the plan, as one action that can be undone")
	cmd.Flags().IntVar(&o.FileLimit, "limit", 0, "limit for each file, instead of the harness's")
	cmd.Flags().IntVar(&o.TotalLimit, "total", 0, "limit for all files together, instead of the harness's")
	return cmd
}
