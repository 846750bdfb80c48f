package cli

import "github.com/spf13/cobra"

func newReplayCommand(a *app) *cobra.Command {
	return a.jobCommand(&cobra.Command{
		Use: "replay", Short: "Use quiet time: take in the buffer, promote what is outstanding",
		Long: `If the agent has been quiet for replay.idle, move a full or forgotten buffer into the
day's log, promote outstanding tagged entries, and cut from the buffer what was read.`,
		Example: `  tend replay reviewer`,
	})
}
