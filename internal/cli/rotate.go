package cli

import "github.com/spf13/cobra"

func newRotateCommand(a *app) *cobra.Command {
	return a.jobCommand(&cobra.Command{
		Use: "rotate", Short: "Move a full or forgotten buffer into today's log",
		Long: `When the working buffer has more lines than buffer.max_lines, more active bullets than
buffer.max_active, or was not worked with for buffer.stale, move its body into today's
log before the closure block and begin the buffer anew. A forgotten one is marked
[RECOVERED: STALE]. Both files change in one action.`,
		Example: `  tend rotate reviewer`,
	})
}
