package cli

import "github.com/spf13/cobra"

// keeperCommands are those of the keeper.
func keeperCommands(*app) []*cobra.Command { return nil }
