package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// commands is the table of contents: every command there is, by the part of the
// house it belongs to.
func commands(a *app) []*cobra.Command {
	return slices.Concat(coreCommands(a), writingCommands(a), checkingCommands(a), curationCommands(a), agentCommands(a), keeperCommands(a))
}

// coreCommands are those of baselines, resets and history.
func coreCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newDemoCommand(a),
		newInitCommand(a),
		newImportCommand(a),
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
