package cli

import "github.com/spf13/cobra"

// agentCommands are those of what an agent sees.
func agentCommands(*app) []*cobra.Command { return nil }
