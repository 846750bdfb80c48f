package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/guard"
	"tend/internal/layout"
)

func newBaselineDraft(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "draft [AGENT]", Short: "Print a baseline to fill in",
		Long: `Print a baseline for an agent that has none: the sections agents need, what the agent
must be told about the line and about what lasts how long, and the line itself with room
for notes, with the numbers of the agent's policy.

Fill in every place that begins with "[fill in: "; until then it is not approved. Save it
beside tend.yaml, name it under the agent's baselines, and approve it.`,
		Example: `  tend baseline draft reviewer > baselines/reviewer.md`,
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: a.agentNames,
		RunE: func(_ *cobra.Command, args []string) error {
			ag, err := a.theAgent(first(args))
			if err != nil {
				return err
			}
			daily := ""
			if p := ag.Layout.Patterns(layout.Daily); len(p) > 0 {
				daily = strings.NewReplacer("{date}", "YYYY-MM-DD", "{yyyy}", "YYYY", "{mm}", "MM", "{dd}", "DD").Replace(p[0])
			}
			text := guard.Draft(ag.Name, daily, ag.Policy)
			return a.emit(map[string]string{"agent": ag.Name, "draft": text}, func() {
				a.printf("%s", text)
			})
		},
	}
}
