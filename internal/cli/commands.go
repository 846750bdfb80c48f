package cli

import "github.com/spf13/cobra"

// commands is the table of contents: every command there is.
func commands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newStatusCommand(a),
		newResetCommand(a),
		newBaselineCommand(a),
		newLogCommand(a),
		newShowCommand(a),
		newDiffCommand(a),
		newRestoreCommand(a),
		newUndoCommand(a),
		newArchivesCommand(a),
		newHistoryCommand(a),
		newPolicyCommand(a),
		newManCommand(a),
		newVersionCommand(a),
	}
}
