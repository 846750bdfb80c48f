package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tend/internal/baseline"
	"tend/internal/fleet"
)

func newBaselineRestore(a *app) *cobra.Command {
	var all bool
	var w writeFlags
	cmd := &cobra.Command{
		Use: "restore [AGENT…]", Short: "Bring back the approved text of a damaged baseline",
		Long: `Put the approved copy back where the operator keeps the baseline. What stood
there instead is kept in the state folder and named. A locked baseline is unlocked
for that time.`,
		Example:           "  tend baseline restore reviewer",
		ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			changes := []baseline.Change{}
			err := a.overBaselines(cmd.Context(), args, all, fleet.Options{Write: !w.dryRun}, func(s baseline.Set) error {
				more, err := s.Restore(w.dryRun)
				changes = append(changes, more...)
				return err
			})
			if perr := a.reportChanges(changes); perr != nil {
				return perr
			}
			return err
		},
	}
	w.add(cmd.Flags())
	cmd.Flags().BoolVar(&all, "all", false, "all agents")
	return cmd
}

func (a *app) reportChanges(changes []baseline.Change) error {
	return a.emit(changes, func() { a.printChanges(changes) })
}

func (a *app) printChanges(changes []baseline.Change) {
	for _, c := range changes {
		switch {
		case c.State == "would be restored", c.State == "would be approved":
			a.diff(c.Diff)
		case a.quiet:
		case c.State == "unchanged":
			a.printf("%s is what was approved (%s)\n", c.Source, c.SHA256.Short())
		case c.Kept == "":
			a.printf("%s\n", a.wrapped(fmt.Sprintf("%s restored to what was approved (%s)", c.Source, c.SHA256.Short()), "  "))
		default:
			a.printf("%s\n", a.wrapped(fmt.Sprintf("%s restored to what was approved (%s); the other text is kept as %s", c.Source, c.SHA256.Short(), c.Kept), "  "))
		}
	}
}
