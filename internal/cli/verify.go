package cli

import (
	"github.com/spf13/cobra"

	"tend/internal/act"
	"tend/internal/fleet"
	"tend/internal/vault"
)

func newVerifyCommand(a *app) *cobra.Command {
	var agent string
	var w writeFlags
	cmd := &cobra.Command{
		Use: "verify FILE…", Short: "Say that files were looked at and still hold",
		Long: `Stamp today's date as last_verified into the head of files that somebody has read
and found true. What the operator owns above the line, and logs of past days, are not
stamped.`,
		Example: `  tend verify memory/semantic/infrastructure.md
  tend verify --agent reviewer TOOLS.md USER.md`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			files := make([]vault.Path, len(args))
			for i, arg := range args {
				p, err := vault.ParsePath(arg)
				if err != nil {
					return err
				}
				files[i] = p
			}
			return a.change(cmd.Context(), agent, w, func(ag *fleet.Agent, o act.Options) (act.Result, error) {
				return act.Verify(cmd.Context(), ag, files, o)
			})
		},
	}
	w.add(cmd.Flags())
	a.agentFlag(cmd, &agent)
	return cmd
}
