package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/app/setup"
	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
)

type confOptions struct {
	to, name, workspace string
	separate, overwrite bool
	dryRun, settings    bool
}

func newImportCommand(a *app) *cobra.Command {
	var o confOptions
	var t transcriptOptions
	cmd := a.command("import [FILE]…", func(ctx context.Context, args []string) (err error) {
		if t.transcripts {
			return runTranscripts(ctx, a, t, o, args)
		}
		if len(args) > 1 {
			return usererr.Usagef("name one file; only --transcripts takes several", "%d files are given", len(args))
		}
		file := firstArg(args)
		if file == "" {
			if file, err = setup.ShepherdConf(); err != nil {
				return err
			}
		}
		if isPackage(file) {
			a.configPath = cmp.Or(o.to, a.configPath)
			return unpackAgent(a, o, file)
		}
		return runImport(a, o, file)
	})
	cmd.Flags().StringVar(&o.name, "name", "", "of an exported agent: its `NAME` here (default: as it was)")
	cmd.Flags().StringVar(&o.workspace, "workspace", "", "of an exported agent: its folder (default: workspaces/NAME beside tend.yaml)")
	cmd.Flags().BoolVar(&o.settings, "settings", false,
		"of an exported agent: also take its settings for what Tend guards, keeps and runs (default: only name them)")
	cmd.Flags().StringVar(&o.to, "to", "",
		"write this `FILE` (default: ./tend.yaml; for an exported agent --config, else the one in use, else the user's)")
	cmd.Flags().BoolVar(&o.separate, "separate", false, "do not merge sections that are files of one agent")
	cmd.Flags().BoolVar(&o.overwrite, "overwrite", false, "replace the file if it exists")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "write nothing; print how the file would change as a unified diff")
	t.add(a, cmd)
	return cmd
}

func printNotes(pr *printer, im config.Imported) {
	for _, n := range im.Notes {
		if pr.quiet {
			break
		}
		pr.printf("%s%s: %s\n", pr.paint(dim, "note"), onLine(n.Line), textfmt.Safe(n.Text))
	}
	for _, n := range im.CouldNot {
		pr.printf("%s%s: %s\n", pr.paint(yellow, "not carried"), onLine(n.Line), textfmt.Safe(n.Text))
	}
}

// isPackage reports whether a file is a package of tend export: it begins like compressed data.
func isPackage(name string) bool {
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
	out, err := setup.Import(req)
	if err != nil {
		printNotes(&a.printer, out.Imported)
		return err
	}
	if o.dryRun {
		value := map[string]any{"config": out.To, "dry_run": true, "diff": out.Diff, "notes": orEmpty(out.Notes),
			"could_not": orEmpty(out.CouldNot)}
		return errors.Join(a.emit(value, func() {
			a.diff(out.Diff)
			printNotes(&a.printer, out.Imported)
		}), oneIf(len(out.CouldNot) > 0))
	}
	return errors.Join(a.emit(out.Imported, func() {
		printNotes(&a.printer, out.Imported)
		if !a.quiet {
			a.printf("wrote %s with %s\n\nNext: read it, then run `tend baseline approve --all` and `tend reset --all --dry-run`.\n", out.To,
				textfmt.Count(out.Agents, "agent"))
		}
	}), oneIf(len(out.CouldNot) > 0))
}

// onLine formats a remark's line; a remark on the whole file has none.
func onLine(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" line %d", n)
}

// unpackAgent imports a file that tend export wrote.
func unpackAgent(a *app, o confOptions, file string) error {
	out, err := setup.Unpack(setup.UnpackRequest{
		File: file, ConfigPath: a.configPath, Config: a.config, Name: o.name, Workspace: o.workspace, Settings: o.settings,
		DryRun: o.dryRun, Who: who(), Clock: a.now,
	})
	if err != nil {
		return err
	}
	return a.emit(out, func() {
		for _, s := range out.Withheld {
			a.printf("%s %s: set it in tend.yaml, or import with --settings\n", a.paint(yellow, "not taken"), textfmt.Safe(s))
		}
		if len(out.Baselines) > 0 && !a.quiet {
			a.printf("%s the baselines of %s come from the package: read them before you use them\n", a.paint(yellow, "note"),
				textfmt.Safe(strings.Join(out.Baselines, ", ")))
		}
		switch {
		case out.DryRun:
			a.printf("%s is complete: %s of agent %s\n", file, textfmt.Count(out.Files, "file"), out.Packed)
			a.diff(out.Diff)
			return
		case !a.quiet:
			a.printf("imported %s, %s; its workspace is %s\n", out.Agent, textfmt.Count(out.Files, "file"), out.Workspace)
		}
		if !*out.Fresh {
			a.printf("The folder had files in it and was left as it is; the packed memory was not written.\n")
		}
	})
}
