package cli

import "github.com/spf13/cobra"

// newPastCommand is one way into all that is kept: archives, trash and history.
func newPastCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "past", Short: "All that is kept of former texts: list, search, show",
		Long: `Archives, trash and history as one. tend restore puts a file back as it was, tend undo
takes an action back.`,
		Example: `  tend past list reviewer
  tend past search "port 8443"
  tend past show 1r9ay8h441`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	archives := newArchivesCommand(a)
	for _, c := range archives.Commands() {
		if c.Name() == "list" || c.Name() == "show" {
			archives.RemoveCommand(c)
			cmd.AddCommand(c)
		}
	}
	search := newSearchCommand(a)
	search.Short, search.Example = "Search everything that is kept", `  tend past search "port 8443"`
	if f := search.Flags().Lookup("past"); f != nil {
		_ = f.Value.Set("true")
		f.DefValue, f.Hidden = "true", true
	}
	cmd.AddCommand(search)
	return cmd
}
