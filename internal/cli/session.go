package cli

import (
	"github.com/spf13/cobra"

	"tend/internal/act"
	"tend/internal/fleet"
	"tend/internal/words"
)

func newSessionCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use: "session", Short: "The running session's state",
		Long: `The session state is what an agent is doing right now. It is replaced as a whole
with every write and says when that was, so that a new session, or one after a
compaction, knows where to go on.`,
		Example: `  tend session write "reviewing the retry change; waiting for CI"
  tend session show`,
	}, newSessionWrite(a), newSessionShow(a))
}

func newSessionWrite(a *app) *cobra.Command {
	var t textFlags
	cmd := &cobra.Command{
		Use: "write TEXT", Short: "Replace the session's state",
		Long:    "Replace the session's state. The one before is kept: `tend undo` brings it back.",
		Example: "  tend session write --stdin < state.md",
		RunE:    func(cmd *cobra.Command, args []string) error { return t.write(cmd, a, args, act.SessionWrite) },
	}
	t.add(a, cmd)
	return cmd
}

func newSessionShow(a *app) *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use: "show", Short: "Print the session's state; changes nothing", Example: "  tend session show",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withAgent(cmd.Context(), agent, fleet.Options{}, func(ag *fleet.Agent) error {
				s, err := ag.Files.Session(cmd.Context())
				if err != nil {
					return err
				}
				return a.emit(s, func() {
					if s.Text == "" {
						a.printf("%s does not exist yet.\n", s.File)
					}
					a.printf("%s", words.Safe(s.Text))
				})
			})
		},
	}
	a.agentFlag(cmd, &agent)
	return cmd
}
