package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"tend/internal/engine/act"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/table"
	"tend/internal/model/policy"
)

// jobOptions are the options of every job.
type jobOptions struct {
	writeFlags
	all, force, deferBusy, beyondCaps bool
}

const jobExit = `

Each agent gets one line: what was done, unchanged, deferred, held, refused, locked or
failed. One agent's failure never stops the others. With automation: off nothing is
changed automatically, with automation: maintain nothing is promoted or pruned; the command
then prints what it would do. --force allows it for this one run.

EXIT STATUS
  0 done, or nothing to do · 1 something needs attention · 3 refused · 4 locked
  5 an agent failed`

// newRunCommand has a subcommand for every job of the table.
func newRunCommand(a *app) *cobra.Command {
	var due bool
	cmd := &cobra.Command{
		Use: "run", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !due {
				return cmd.Help()
			}
			results, err := runDue(cmd.Context(), a)
			if err != nil || len(results) == 0 && !a.json {
				return err
			}
			err = a.report(results)
			followUp(cmd.Context(), a, "nightly", results)
			return err
		},
	}
	cmd.Flags().BoolVar(&due, "due", false, "run what is due now")
	for _, e := range jobCommands() {
		cmd.AddCommand(e.make(a))
	}
	return cmd
}

func newJobCommand(a *app, row table.Row) *cobra.Command {
	var o jobOptions
	cmd := a.command(row.Name+" [AGENT…]", func(ctx context.Context, args []string) error {
		results, err := runJob(ctx, a, row, o, args)
		if err != nil {
			return err
		}
		err = a.report(results)
		if !o.dryRun {
			followUp(ctx, a, row.Name, results)
		}
		return err
	})
	cmd.Short, cmd.Long, cmd.Example = row.Short, row.Help+jobExit, row.Examples
	o.add(cmd.Flags())
	cmd.Flags().BoolVar(&o.all, "all", false, "all agents")
	cmd.Flags().BoolVar(&o.force, "force", false, "run even if an agent's automation level does not allow it")
	if row.Waits {
		cmd.Flags().BoolVar(&o.deferBusy, "defer", false, "skip agents whose files changed within "+policy.ResetQuiet.Name())
	}
	if row.Name == "prune" {
		cmd.Flags().BoolVar(&o.beyondCaps, "beyond-caps", false, "ignore the loss caps, this once")
	}
	return cmd
}

func runJob(ctx context.Context, a *app, row table.Row, o jobOptions, args []string) ([]act.Result, error) {
	names, err := a.chosen(args, o.all)
	if err != nil {
		return nil, err
	}
	ao := o.options()
	ao.Force, ao.Scheduled, ao.BeyondCaps, ao.ByHand, ao.Many = o.force, o.deferBusy, o.beyondCaps, !o.all && !o.deferBusy, len(names) > 1
	return a.each(ctx, names, !o.dryRun, func(f *fleet.Fleet, agent string) act.Result { return act.Do(ctx, f, agent, row.Name, ao) })
}

// runDue runs what is due for all enabled agents.
func runDue(ctx context.Context, a *app) ([]act.Result, error) {
	names, err := a.chosen(nil, true)
	if err != nil {
		return nil, err
	}
	lists := make([][]act.Result, len(names))
	err = a.withFleet(fleet.Options{Write: true, Many: len(names) > 1}, func(f *fleet.Fleet) error {
		fleet.Parallel(len(names), atOnce(), func(i int) { lists[i] = act.Due(ctx, f, names[i]) })
		return nil
	})
	return slices.Concat(lists...), err
}
