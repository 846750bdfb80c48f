package cli

import (
	"github.com/spf13/cobra"

	"tend/internal/act"
)

func newNoteCommand(a *app) *cobra.Command {
	var t textFlags
	cmd := &cobra.Command{
		Use: "note TEXT", Short: "Add an entry to today's log",
		Long: `Add an entry with the time and its tags to today's log, in the agent's time zone.
The text is on disk, for good, when the command returns.

The log is appended to, never rewritten; only where it ends with a closure block the
entry goes before that. What already stands among the last entries is not written
again. A list on standard input becomes one entry per item.

A text that looks like a key, token or password is refused with the rule's name.

EXIT STATUS
  0 written, or there already · 2 no such tag or no daily logs · 3 refused as a secret
  4 locked · 5 failed`,
		Example: `  tend note "retry budget is 3, because the queue drops after 4" --tag decision
  tend note --agent scout "feed moved to the new host" -t surprise,lesson
  git log -1 --format=%s | tend note --stdin`,
		RunE: func(cmd *cobra.Command, args []string) error { return t.write(cmd, a, args, act.Note) },
	}
	t.add(a, cmd)
	t.addTags(a, cmd)
	return cmd
}
