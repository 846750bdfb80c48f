package cli

import "github.com/spf13/cobra"

// checkingCommands are those of audit, check and what they need.
func checkingCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newAuditCommand(a),
		newCheckCommand(a),
		newRulesCommand(a),
		newDoctorCommand(a),
		newTagsCommand(a),
		newTrashCommand(a),
	}
}
