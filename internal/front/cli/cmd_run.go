package cli

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"tend/internal/disk/fsys"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/table"
	"tend/internal/engine/runner"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/findinglog"
	"tend/internal/state/history"
	"tend/internal/state/plan"
)

// followUp records in the histories what the agents wrote and what was done to them, so that log, search, diff and
// restore are complete without a keeper. For many agents git takes longer than most jobs do: then only a chain of jobs
// does it, and otherwise the keeper or `tend history sync`.
func followUp(ctx context.Context, a *app, chain bool, results []runner.Result) {
	if few := 4; len(results) > few && !chain {
		return
	}
	fleet.Parallel(len(results), runtime.GOMAXPROCS(0), func(i int) {
		r := results[i]
		if r.Err != nil {
			return
		}
		err := a.withAgent(ctx, r.Agent, fleet.Options{Write: true}, func(ag *fleet.Agent) error {
			n, found, err := ag.History.Sync(ctx)
			if !a.json {
				a.findings(found)
			}
			if err == nil && n > 0 {
				_, err = ag.Judge(ctx)
			}
			return err
		})
		if err != nil && !errors.Is(err, history.ErrNoGit) && !errors.Is(err, fsys.ErrLocked) {
			a.warnf("git history of %s could not be updated: %v", r.Agent, err)
		}
	})
}

// jobOptions are the options of every job.
type jobOptions struct {
	writeFlags
	all, force, deferBusy, beyondCaps bool
	curator                           curateFlags
}

const jobExit = `

Each agent gets one line: what was done, unchanged, deferred, held, refused, locked or
failed. One agent's failure never stops the others. With automation: off nothing is
changed automatically, with automation: maintain nothing is promoted or pruned; the command
then prints what it would do. --force allows it for this one run.

EXIT STATUS
  0 done, or nothing to do · 1 something needs attention · 3 refused · 4 locked
  5 an agent failed
A chain such as nightly exits with 1 only for what its last run did not find yet.`

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
			followUp(cmd.Context(), a, true, results)
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
		if o.curator.used() {
			return curateByHand(ctx, a, row, o, args)
		}
		results, err := runJob(ctx, a, row, o, args)
		if err != nil {
			return err
		}
		err = a.report(results)
		if !o.dryRun {
			if row.Name == "reset" && !o.all && !o.deferBusy {
				endDrift(a, results)
			}
			followUp(ctx, a, len(row.Chain) > 0, results)
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
	if row.Splits {
		o.curator.add(cmd.Flags())
	}
	if row.Capped {
		cmd.Flags().BoolVar(&o.beyondCaps, "beyond-caps", false, "ignore the loss caps, this once")
	}
	return cmd
}

// endDrift acknowledges the drift that a person's reset undid, or status and check would show it until the keeper looks again.
func endDrift(a *app, results []runner.Result) {
	for _, r := range results {
		if r.Outcome != plan.WasReset && r.Outcome != plan.Drifted && r.Outcome != plan.Unchanged {
			continue
		}
		err := a.withState(func(state fsys.FS) error {
			book, err := findinglog.Read(state, r.Agent)
			if err != nil {
				return err
			}
			var ids []string
			for _, n := range findinglog.Open(book.List()) {
				if n.Code == finding.Drift.Code {
					ids = append(ids, n.ID)
				}
			}
			_, err = acknowledge(state, r.Agent, ids, findinglog.Ack{By: who(), At: a.now().UTC(), Why: "reset", Undone: true})
			return err
		})
		if err != nil {
			a.warnf("drift of %s could not be acknowledged: %v", r.Agent, err)
		}
	}
}

func runJob(ctx context.Context, a *app, row table.Row, o jobOptions, args []string) ([]runner.Result, error) {
	names, err := a.chosen(args, o.all)
	if err != nil {
		return nil, err
	}
	ao := o.options()
	ao.Force, ao.Scheduled, ao.BeyondCaps, ao.ByHand, ao.Many = o.force, o.deferBusy, o.beyondCaps, !o.all && !o.deferBusy, len(names) > 1
	return a.each(ctx, names, !o.dryRun, func(f *fleet.Fleet, agent string) runner.Result { return runner.Do(ctx, f, agent, row.Name, ao) })
}

// runDue runs what is due for all enabled agents.
func runDue(ctx context.Context, a *app) ([]runner.Result, error) {
	names, err := a.chosen(nil, true)
	if err != nil {
		return nil, err
	}
	lists := make([][]runner.Result, len(names))
	err = a.withFleet(fleet.Options{Write: true, Many: len(names) > 1}, func(f *fleet.Fleet) error {
		fleet.Parallel(len(names), atOnce(), func(i int) { lists[i] = runner.Due(ctx, f, names[i]) })
		return nil
	})
	return slices.Concat(lists...), err
}
