package cli

import "github.com/spf13/cobra"

// checkingCommands are those of audit, check and what they need.
func checkingCommands(*app) []*cobra.Command { return nil }
