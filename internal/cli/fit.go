package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tend/internal/act"
	"tend/internal/fleet"
	"tend/internal/job"
	"tend/internal/layout/fit"
	"tend/internal/layout/inject"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/vault"
)

func newFitCommand(a *app) *cobra.Command {
	var apply bool
	var w writeFlags
	var o inject.Options
	cmd := &cobra.Command{
		Use: "fit [AGENT]", Short: "Propose the split under which the harness cuts nothing",
		Long: `Where a file is longer than the harness shows, propose to move whole sections or
entries, to the byte, into files that are read on demand, with a pointer left
behind. Without --apply it only shows the plan; the operator's text is never moved.

EXIT STATUS
  0 nothing is cut, or the split mends it · 1 something must be mended by a person`,
		Example: `  tend fit reviewer
  tend fit reviewer --apply`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withAgent(cmd.Context(), first(args), fleet.Options{Write: apply && !w.dryRun}, func(ag *fleet.Agent) error {
				var p fit.Proposal
				ao := w.options()
				ao.DryRun = ao.DryRun || !apply
				r, err := act.Run(cmd.Context(), ag, act.Request{
					Options: ao, Read: act.Some(ag),
					Plan: func(job.Input) (pl plan.Plan, err error) {
						p, pl, err = fitPlan(cmd.Context(), ag, o)
						return pl, err
					},
				})
				if err != nil {
					return err
				}
				if err := a.reportOne(r); err != nil {
					return err
				}
				for _, x := range p.Open {
					a.warnf("%s: %s", x.Path, x.What)
				}
				return lossCode(len(p.Open) > 0)
			})
		},
	}
	w.add(cmd.Flags())
	cmd.Flags().BoolVar(&apply, "apply", false, "carry the plan out, as one action that can be undone")
	cmd.Flags().IntVar(&o.FileLimit, "limit", 0, "limit for each file, instead of the harness's")
	cmd.Flags().IntVar(&o.TotalLimit, "total", 0, "limit for all files together, instead of the harness's")
	return cmd
}

// fitPlan turns a proposal into a plan: new files first, then those that shrink.
func fitPlan(ctx context.Context, ag *fleet.Agent, o inject.Options) (fit.Proposal, plan.Plan, error) {
	files, paths, err := ag.Shown(ctx, ag.Layout)
	if err != nil {
		return fit.Proposal{}, plan.Plan{}, err
	}
	pinned, err := ag.Pinned(ctx)
	if err != nil {
		return fit.Proposal{}, plan.Plan{}, err
	}
	o.Root = ag.Workspace.Path
	p := fit.Fit(ag.Layout, files, fit.Options{Options: o, Pinned: pinned, Paths: paths, Day: note.DayOf(ag.Now(), ag.Location).String()})
	pl := plan.Plan{Job: "fit", Summary: "nothing is cut as things are"}
	if p.Whole() {
		return p, pl, nil
	}
	pl.Summary = fmt.Sprintf("%d piece(s) moved so that nothing is cut", len(p.Moves))
	if !p.Mended() {
		pl.Summary = fmt.Sprintf("%d piece(s) moved; not everything can be mended by moving", len(p.Moves))
	}
	for _, adds := range []bool{true, false} {
		for _, c := range p.Changes {
			if c.New != adds {
				continue
			}
			doc, err := ag.Vault.Read(ctx, vault.Path(c.Path))
			if err != nil && !errors.Is(err, vault.ErrAbsent) {
				return p, pl, err
			}
			pl.Changes = append(pl.Changes, plan.Change{Path: vault.Path(c.Path), Op: plan.Write, Before: doc.Version, Old: doc.Data, New: c.Data, Why: c.Why})
		}
	}
	return p, pl, nil
}
