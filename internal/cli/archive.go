package cli

import "github.com/spf13/cobra"

func newArchiveCommand(a *app) *cobra.Command {
	return a.jobCommand(&cobra.Command{
		Use: "archive", Short: "Move old daily logs to the workspace's archive",
		Long: `Move daily logs to the archive of the workspace once they are as old as
daily.archive_after, by the date in their name. A name that is taken is never written
over, and files without a date are left alone. Logs with entries that curation still
has to take in wait for that.`,
		Example: `  tend archive --all`,
	})
}
