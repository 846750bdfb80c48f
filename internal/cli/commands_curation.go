package cli

import "github.com/spf13/cobra"

// curationCommands are those of the jobs of day and night.
func curationCommands(*app) []*cobra.Command { return nil }
