package cli

import "github.com/spf13/cobra"

func newNightlyCommand(a *app) *cobra.Command {
	return a.jobCommand(&cobra.Command{
		Use: "nightly", Short: "Audit, curate and prune, in this order",
		Long: `Run tend audit, tend curate and tend prune one after the other, each only if what it
depends on has succeeded. It may be run twice, and again after it was cut off: nothing
is promoted, moved or cut a second time.`,
		Example: `  tend nightly --all
  tend nightly reviewer --dry-run`,
	})
}
