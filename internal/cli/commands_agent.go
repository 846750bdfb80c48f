package cli

import "github.com/spf13/cobra"

// agentCommands are those of what an agent sees.
func agentCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newMCPCommand(a),
		newContextCommand(a),
		newSearchCommand(a),
		newGrepCommand(a),
		newPreviewCommand(a),
		newFitCommand(a),
	}
}
