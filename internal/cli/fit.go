package cli

import (
	"github.com/spf13/cobra"

	"tend/internal/act"
	"tend/internal/fleet"
	"tend/internal/layout/inject"
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
  0 nothing is cut, or the split fixes it · 1 a person has to fix something`,
		Example: `  tend fit reviewer
  tend fit reviewer --apply`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withAgent(cmd.Context(), first(args), fleet.Options{Write: apply && !w.dryRun}, func(ag *fleet.Agent) error {
				ao := w.options()
				ao.DryRun = ao.DryRun || !apply
				r, open, err := act.Fit(cmd.Context(), ag, o, ao)
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
		},
	}
	w.add(cmd.Flags())
	cmd.Flags().BoolVar(&apply, "apply", false, "carry the plan out, as one action that can be undone")
	cmd.Flags().IntVar(&o.FileLimit, "limit", 0, "limit for each file, instead of the harness's")
	cmd.Flags().IntVar(&o.TotalLimit, "total", 0, "limit for all files together, instead of the harness's")
	return cmd
}
