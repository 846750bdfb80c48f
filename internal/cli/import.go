package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"tend/internal/config"
	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/fsys"
	"tend/internal/setup"
	"tend/internal/words"
)

type confOptions struct {
	to, name, workspace                string
	check, separate, overwrite, dryRun bool
}

func newImportCommand(a *app) *cobra.Command {
	var o confOptions
	cmd := &cobra.Command{
		Use:  "import [FILE]",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) (err error) {
			file := first(args)
			if file == "" {
				if file, err = setup.ShepherdConf(); err != nil {
					return err
				}
			}
			if packed(file) {
				return runImportArchive(a, importOptions{name: o.name, workspace: o.workspace, dryRun: o.dryRun}, file)
			}
			return runImport(a, o, file)
		},
	}
	cmd.Flags().StringVar(&o.name, "name", "", "of an exported agent: its `NAME` here (default: as it was)")
	cmd.Flags().StringVar(&o.workspace, "workspace", "", "of an exported agent: its folder (default: workspaces/NAME beside tend.yaml)")
	cmd.Flags().StringVar(&o.to, "to", "", "write this `FILE` (default: ./tend.yaml)")
	cmd.Flags().BoolVar(&o.check, "check", false, "write nothing; compare with the configuration there is")
	cmd.Flags().BoolVar(&o.separate, "separate", false, "keep sections apart that are files of one agent")
	cmd.Flags().BoolVar(&o.overwrite, "overwrite", false, "replace the file if it exists")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "write nothing; print what would be written as a unified diff")
	return cmd
}

func printNotes(pr *printer, im config.Imported) {
	for _, n := range im.Notes {
		if pr.quiet {
			break
		}
		pr.printf("%s%s: %s\n", pr.paint(dim, "note"), onLine(n.Line), words.Safe(n.Text))
	}
	for _, n := range im.CouldNot {
		pr.printf("%s%s: %s\n", pr.paint(yellow, "not carried"), onLine(n.Line), words.Safe(n.Text))
	}
}

// packed reports whether a file is a package of tend export: it begins as compressed data does.
func packed(name string) bool {
	f, err := fsys.OpenFile(name)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := make([]byte, 2)
	_, err = io.ReadFull(f, magic)
	return err == nil && magic[0] == 0x1f && magic[1] == 0x8b
}

func runImport(a *app, o confOptions, file string) error {
	req := setup.ImportRequest{File: file, To: cmp.Or(o.to, "tend.yaml"), Separate: o.separate, Overwrite: o.overwrite, DryRun: o.dryRun}
	if o.check {
		return checkImport(a, req)
	}
	out, err := setup.Import(req)
	if err != nil {
		printNotes(&a.printer, out.Imported)
		return err
	}
	if o.dryRun {
		value := map[string]any{"config": out.To, "dry_run": true, "diff": out.Diff, "notes": orEmpty(out.Notes), "could_not": orEmpty(out.CouldNot)}
		return errors.Join(a.emit(value, func() {
			a.diff(out.Diff)
			printNotes(&a.printer, out.Imported)
		}), oneIf(len(out.CouldNot) > 0))
	}
	return errors.Join(a.emit(out.Imported, func() {
		printNotes(&a.printer, out.Imported)
		if !a.quiet {
			a.printf("wrote %s with %s\n\nNext: read it, then run `tend baseline approve --all` and `tend reset --all --dry-run`.\n", out.To, words.Count(out.Agents, "agent"))
		}
	}), oneIf(len(out.CouldNot) > 0))
}

func checkImport(a *app, req setup.ImportRequest) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	diffs, err := setup.CompareImport(req, cfg)
	if err != nil {
		return err
	}
	return errors.Join(a.emit(orEmpty(diffs), func() {
		for _, d := range diffs {
			a.printf("%s: %s: %s there, %s here (%s:%d)\n", d.File, d.What, orNone(d.Conf), orNone(d.Config), cfg.Path, d.Line)
		}
		if len(diffs) == 0 && !a.quiet {
			a.printf("%s says the same for %s.\n", cfg.Path, words.Count(len(cfg.Agents), "agent"))
		}
	}), oneIf(len(diffs) > 0))
}

// onLine is where a remark belongs; one on the file as a whole has no line.
func onLine(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" line %d", n)
}

type importOptions struct {
	name, workspace string
	dryRun          bool
}

func newImportArchiveCommand(a *app) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:  "import-archive FILE",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runImportArchive(a, o, args[0]) },
	}
	cmd.Flags().StringVar(&o.name, "name", "", "the agent's `NAME` here (default: as it was)")
	cmd.Flags().StringVar(&o.workspace, "workspace", "", "the agent's folder (default: workspaces/NAME beside tend.yaml)")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "check the file and write nothing; print the change to tend.yaml as a unified diff")
	return cmd
}

func runImportArchive(a *app, o importOptions, file string) error {
	out, err := setup.Unpack(setup.UnpackRequest{
		File: file, ConfigPath: a.configPath, Config: a.config, Name: o.name, Workspace: o.workspace, DryRun: o.dryRun, Who: who(), Clock: a.now,
	})
	if err != nil {
		return err
	}
	return a.emit(out, func() {
		switch {
		case out.DryRun:
			a.printf("%s is whole: %s of agent %s\n", file, words.Count(out.Files, "file"), out.Packed)
			a.diff(out.Diff)
			return
		case !a.quiet:
			a.printf("imported %s, %s; its workspace is %s\n", out.Agent, words.Count(out.Files, "file"), out.Workspace)
		}
		if !*out.Fresh {
			a.printf("The folder had files in it and was taken as it is; the packed memory was not written over it.\n")
		}
	})
}

func newExportCommand(a *app) *cobra.Command {
	var history bool
	cmd := &cobra.Command{
		Use:  "export AGENT FILE",
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
