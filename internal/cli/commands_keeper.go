package cli

import "github.com/spf13/cobra"

// keeperCommands are those of the keeper.
func keeperCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newUpCommand(a),
		newFindingsCommand(a),
		newTokenCommand(a),
		newServiceCommand(a),
		newConnectCommand(a),
		newAdoptCommand(a),
		newExportCommand(a),
		newImportArchiveCommand(a),
	}
}
