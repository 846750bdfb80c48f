package cli

import "github.com/spf13/cobra"

func newCurateCommand(a *app) *cobra.Command {
	return a.jobCommand(&cobra.Command{
		Use: "curate", Short: "Promote tagged entries of the daily logs to long-term memory",
		Long: `Read today's log, days that are outstanding and the buffer, and promote tagged entries
that long-term memory does not hold yet: to the file that owns such facts, else to the
hot file, under the heading of the day. Times are taken off. At most
curate.max_per_night are promoted a day, newest first; the others stay outstanding.

Nothing is removed. What was read is recorded to the byte, so that tend prune cuts from
the buffer exactly that. Where each entry came from is recorded too: see tend why.
Entries that the scan flags are never promoted by themselves: see tend proposals.`,
		Example: `  tend curate reviewer
  tend curate reviewer --dry-run     # show the diff
  tend curate --all`,
	})
}
