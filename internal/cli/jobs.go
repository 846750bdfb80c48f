package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"tend/internal/fleet"
)

// jobOptions are those of every job of day and night.
type jobOptions struct {
	writeFlags
	all, force, beyondCaps bool
}

const jobExit = `

With automation: off nothing is changed, with automation: maintain nothing is promoted
or pruned; the command then says what it would do. --force consents for this one run.

EXIT STATUS
  0 done, or nothing to do · 1 something needs attention · 3 refused · 4 locked
  5 an agent failed`

// jobCommand fills in what all commands that run a job have in common.
func (a *app) jobCommand(cmd *cobra.Command) *cobra.Command {
	var o jobOptions
	name := cmd.Use
	cmd.Use += " [AGENT…]"
	cmd.GroupID = groupHouse
	cmd.Long += jobExit
	cmd.ValidArgsFunction = a.agentNames
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		results, err := runJob(cmd.Context(), a, name, o, args)
		if err != nil {
			return err
		}
		return a.report(results)
	}
	o.add(cmd.Flags())
	cmd.Flags().BoolVar(&o.all, "all", false, "all agents")
	cmd.Flags().BoolVar(&o.force, "force", false, "do it although the agent's automation level does not allow it")
	if name == "prune" {
		cmd.Flags().BoolVar(&o.beyondCaps, "beyond-caps", false, "go on past the loss caps, this once")
	}
	return cmd
}

func runJob(ctx context.Context, a *app, name string, o jobOptions, args []string) (results []fleet.Result, err error) {
	names, err := a.chosen(args, o.all)
	if err != nil {
		return nil, err
	}
	f, err := a.fleet(fleet.Options{Write: !o.dryRun, Many: len(names) > 1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	jo := fleet.JobOptions{
		RunOptions: fleet.RunOptions{Who: who(), Reason: o.reason, DryRun: o.dryRun, Force: o.force},
		BeyondCaps: o.beyondCaps,
	}
	return a.each(ctx, names, func(agent string) fleet.Result { return f.Do(ctx, agent, name, jo) }), nil
}
