package cli

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newManCommand(*app) *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", GroupID: groupSetup, Short: "Write the man pages, from the same source as --help",
		Example: "  tend man /usr/local/share/man/man1",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true // the same input gives the same pages
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "tend " + version, Manual: "Tend"}, args[0])
		},
	}
}
