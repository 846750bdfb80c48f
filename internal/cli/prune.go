package cli

import "github.com/spf13/cobra"

func newPruneCommand(a *app) *cobra.Command {
	return a.jobCommand(&cobra.Command{
		Use: "prune", Short: "Bring the hot file below its limit; cut from the buffer what was taken in",
		Long: `Take what is past its date, (until DATE), out of the hot file. While that is over its
limit, let entries go in this order: finished tasks,
what is said twice, what is superseded, untagged entries by age; then move tagged ones,
oldest first, to the files that own them. Nothing younger than prune.immunity, nothing
pinned, no open task and none of the operator's text is ever touched. Everything that
leaves is archived and listed with its reason.

One run may remove prune.max_loss_run of the entries, 30 days prune.max_loss_30d. Beyond
that it stops and asks: --beyond-caps goes on once.

Observations over their limit are trimmed, tagged ones kept. From the buffer exactly
those bytes are cut that curation or rotation has taken in.`,
		Example: `  tend prune reviewer --dry-run
  tend prune reviewer --beyond-caps --reason "cleared out old tickets"`,
	})
}
