package cli

import "github.com/spf13/cobra"

func newReviewCommand(a *app) *cobra.Command {
	return a.jobCommand(&cobra.Command{
		Use: "review", Short: "The weekly look back",
		Long: `Take the decisions and lessons of the last review.days days to their files, make a
lesson of friction that recurs, propose what recurs in the scratch notes, take in a
forgotten buffer, archive old logs, run tend check, and bring the git history up to
date if one is kept. While the agent is at work it is put off.`,
		Example: `  tend review reviewer --dry-run`,
	})
}
