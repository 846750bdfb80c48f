package cli

import "github.com/spf13/cobra"

// writingCommands are those of what agents and people write.
func writingCommands(*app) []*cobra.Command { return nil }
