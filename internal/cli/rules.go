package cli

import (
	"github.com/spf13/cobra"

	"tend/internal/job"
)

func newRulesCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "rules [AGENT]", Short: "Print the rules for an agent, with the policy's numbers",
		Long: `Print the block of rules that belongs into the file of standing rules (AGENTS.md,
CLAUDE.md): what to write where and when, tags, checkpoints, limits, honesty, the home
of each kind of fact, how to recover, and what to do when a check fails.

The numbers are those of the agent's policy, so rules, jobs and checks cannot disagree.`,
		Example: `  tend rules reviewer >> workspaces/reviewer/AGENTS.md`,
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: a.agentNames,
		RunE: func(_ *cobra.Command, args []string) error {
			ag, err := a.theAgent(first(args))
			if err != nil {
				return err
			}
			var guarded []string
			for _, b := range ag.Baselines {
				guarded = append(guarded, b.File)
			}
			text := job.Rules(ag.Name, ag.Layout, ag.Policy, guarded)
			return a.emit(map[string]string{"agent": ag.Name, "rules": text}, func() {
				a.printf("%s", text)
			})
		},
	}
}
