package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/model/usererr"
	"tend/internal/state/ledger"
)

func newUndoCommand(a *app) *cobra.Command {
	var agent string
	var merge bool
	var w writeFlags
	cmd := a.command("undo [ID | CHANGE]", func(ctx context.Context, args []string) error {
		if len(args) == 0 {
			return usererr.Usagef("`tend log --limit 5` lists the last actions with their ids", "what should be undone?")
		}
		if isRewrite(args[0]) {
			return runTakeBack(ctx, a, agent, args[0], w)
		}
		return onAction(ctx, a, agent, args[0], fleet.Options{Write: !w.dryRun}, func(ag *fleet.Agent, did ledger.Action) error {
			r, err := runner.Undo(ctx, ag, did, merge, w.options())
			var moved *ledger.MovedOnError
			if errors.As(err, &moved) && !a.json {
				a.diff(moved.Diff)
			}
			if err != nil {
				return err
			}
			return errors.Join(a.reportOne(r), a.sayStays(ag, did, r))
		})
	})
	cmd.ValidArgsFunction = a.actionIDs
	w.add(cmd.Flags())
	cmd.Flags().BoolVar(&merge, "merge", false, "keep later changes")
	a.agentFlag(cmd, &agent)
	return cmd
}

// sayStays says that the agent of a move outlives it, and how to take it out.
func (a *app) sayStays(ag *fleet.Agent, did ledger.Action, r runner.Result) error {
	if did.Job != "migrate" || a.json || a.quiet || r.Action == "" {
		return nil
	}
	a.printf("%s\n", a.wrapped(ag.Name+" is still an agent of tend.yaml. If you do not want it any more, delete its entry under "+
		"`agents:` there; what Tend remembers of it stays in its state.", "  "))
	return nil
}

// runTakeBack undoes a change that Tend did not make.
func runTakeBack(ctx context.Context, a *app, agent, ref string, w writeFlags) error {
	var name string
	err := a.withRewrite(ctx, agent, ref, func(ag *fleet.Agent, _ fleet.Rewrite) error { name = ag.Name; return nil })
	if err != nil {
		return err
	}
	return a.change(ctx, name, w, func(ag *fleet.Agent, ao runner.Options) (runner.Result, error) {
		return runner.TakeBack(ctx, ag, ref, ao)
	})
}
