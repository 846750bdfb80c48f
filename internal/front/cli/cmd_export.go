package cli

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"tend/internal/app/setup"
	"tend/internal/engine/fleet"
	"tend/internal/model/textfmt"
)

func newExportCommand(a *app) *cobra.Command {
	cmd := a.command("export AGENT FILE", func(ctx context.Context, args []string) error { return runExport(ctx, a, args[0], args[1]) })
	return cmd
}

func runExport(ctx context.Context, a *app, name, file string) error {
	var out setup.Packed
	err := a.withAgent(ctx, name, fleet.Options{Write: true}, func(ag *fleet.Agent) (err error) {
		out, err = setup.Export(ctx, a.cfg, ag, setup.ExportRequest{File: file, Version: version, Who: who()})
		return err
	})
	if err != nil {
		return err
	}
	return errors.Join(a.emit(out, func() {
		a.printf("packed %s, %s, into %s\n", name, textfmt.Count(out.Files, "file"), out.File)
		for _, p := range slices.Sorted(maps.Keys(out.LeftOut)) {
			a.printf("%s %s: %s\n", a.paint(yellow, "not packed"), textfmt.InLine(p), textfmt.Safe(out.LeftOut[p]))
		}
	}), oneIf(len(out.LeftOut) > 0))
}
