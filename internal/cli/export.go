package cli

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/setup"
	"tend/internal/words"
)

func newExportCommand(a *app) *cobra.Command {
	var history bool
	cmd := &cobra.Command{
		Use: "export AGENT FILE", Short: "Pack an agent with all that Tend keeps of it into one file",
		Long: `Write one file with the agent's memory, its part of the configuration, baselines and
approvals, ledger, archives and trash, each with its SHA-256. tend import-archive unpacks
it on another machine, where log, undo, restore and archives work as they did here.

What cannot be packed (links, files of gigabytes) is named, and the exit status is 1.
Files of the workspace that are not markdown are not memory and stay where they are.

The file holds all that the agent has ever written: it is readable by you alone. The git
history is rebuilt from the ledger unless --history takes it along.`,
		Example: `  tend export reviewer reviewer.tend.tar.gz
  tend import-archive reviewer.tend.tar.gz --workspace ~/agents/reviewer`,
		Args: cobra.ExactArgs(2), ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runExport(cmd.Context(), a, args[0], args[1], history)
		},
	}
	cmd.Flags().BoolVar(&history, "history", false, "the git history too")
	return cmd
}

func runExport(ctx context.Context, a *app, name, file string, history bool) error {
	var out setup.Packed
	err := a.withAgent(ctx, name, fleet.Options{Write: true}, func(ag *fleet.Agent) (err error) {
		out, err = setup.Export(ctx, a.cfg, ag, setup.ExportRequest{File: file, History: history, Version: version, Who: who()})
		return err
	})
	if err != nil {
		return err
	}
	err = a.emit(out, func() {
		a.printf("packed %s, %s, into %s\n", name, words.Count(out.Files, "file"), out.File)
		for _, p := range slices.Sorted(maps.Keys(out.LeftOut)) {
			a.printf("%s %s: %s\n", a.paint(yellow, "not packed"), p, words.Safe(out.LeftOut[p]))
		}
	})
	if err == nil && len(out.LeftOut) > 0 {
		return fault.Quiet(fault.CodeFindings)
	}
	return err
}
