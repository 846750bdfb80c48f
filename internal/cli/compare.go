package cli

import (
	"github.com/spf13/cobra"

	"tend/internal/act"
	"tend/internal/fleet"
)

func newCompareCommand(a *app) *cobra.Command {
	var all bool
	var there elsewhere
	cmd := &cobra.Command{
		Use: "compare [AGENT…]", Short: "Find contradictions across files; never writes",
		Long: `Look across an agent's files, without a model, for what cannot all be true: the same
subject with different addresses, ports, versions, paths, dates or names; the same fact
in two files; links to files that are gone.

EXIT STATUS
  0 nothing contradicts · 1 something does · 5 an agent could not be looked at`,
		Example: `  tend compare reviewer
  tend compare --workspace ~/.openclaw/workspace
  tend compare --all --json`,
		ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := a.lookElsewhere(there, args, all)
			if err != nil {
				return err
			}
			names, err := a.chosen(args, all || len(args) == 0)
			if err != nil {
				return err
			}
			results, err := a.each(cmd.Context(), names, false, func(f *fleet.Fleet, agent string) act.Result {
				return act.Do(cmd.Context(), f, agent, "compare", act.Options{DryRun: true})
			})
			if err != nil {
				return err
			}
			return a.report(results)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all agents")
	there.add(cmd)
	return cmd
}
