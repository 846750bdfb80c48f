package cli

import "github.com/spf13/cobra"

// writingCommands are those of what agents and people write.
func writingCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newNoteCommand(a),
		newBufferCommand(a),
		newSessionCommand(a),
		newVerifyCommand(a),
		newCheckpointCommand(a),
	}
}
