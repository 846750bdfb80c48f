package cli

import (
	"github.com/spf13/cobra"

	"tend/internal/engine/runner"
)

func newNoteCommand(a *app) *cobra.Command {
	var t textFlags
	cmd := t.command(a, "note TEXT", runner.Note)
	t.addTags(a, cmd)
	return cmd
}
