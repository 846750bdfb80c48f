package cli

import "github.com/spf13/cobra"

// curationCommands are those of the jobs of day and night.
func curationCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newNightlyCommand(a),
		newCurateCommand(a),
		newPruneCommand(a),
		newRotateCommand(a),
		newArchiveCommand(a),
		newReviewCommand(a),
		newReplayCommand(a),
		newCompareCommand(a),
		newProposalsCommand(a),
		newApproveCommand(a),
		newRejectCommand(a),
		newWhyCommand(a),
	}
}
