package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/app/connect"
	"tend/internal/app/setup"
	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/model/words"
)

type confOptions struct {
	to, name, workspace string
	separate, overwrite bool
	dryRun, settings    bool
}

func newImportCommand(a *app) *cobra.Command {
	var o confOptions
	cmd := a.command("import [FILE]", func(_ context.Context, args []string) (err error) {
		file := first(args)
		if file == "" {
			if file, err = setup.ShepherdConf(); err != nil {
				return err
			}
		}
		if packed(file) {
			return runImportArchive(a, o, file)
		}
		return runImport(a, o, file)
	})
	cmd.Flags().StringVar(&o.name, "name", "", "of an exported agent: its `NAME` here (default: as it was)")
	cmd.Flags().StringVar(&o.workspace, "workspace", "", "of an exported agent: its folder (default: workspaces/NAME beside tend.yaml)")
	cmd.Flags().StringVar(&o.to, "to", "", "write this `FILE` (default: ./tend.yaml)")
	cmd.Flags().BoolVar(&o.separate, "separate", false, "do not merge sections that are files of one agent")
	cmd.Flags().BoolVar(&o.overwrite, "overwrite", false, "replace the file if it exists")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "write nothing; print how the file would change as a unified diff")
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

// packed reports whether a file is a package of tend export: it begins like compressed data.
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

// onLine formats a remark's line; a remark on the whole file has none.
func onLine(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" line %d", n)
}

func newImportArchiveCommand(a *app) *cobra.Command {
	var o confOptions
	cmd := a.command("import-archive FILE", func(_ context.Context, args []string) error { return runImportArchive(a, o, args[0]) })
	cmd.Flags().StringVar(&o.name, "name", "", "the agent's `NAME` here (default: as it was)")
	cmd.Flags().StringVar(&o.workspace, "workspace", "", "the agent's folder (default: workspaces/NAME beside tend.yaml)")
	cmd.Flags().BoolVar(&o.settings, "settings", false, "also take its settings for what Tend guards, keeps and runs (default: only name them)")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "check the file and write nothing; print the change to tend.yaml as a unified diff")
	return cmd
}

func runImportArchive(a *app, o confOptions, file string) error {
	out, err := setup.Unpack(setup.UnpackRequest{
		File: file, ConfigPath: a.configPath, Config: a.config, Name: o.name, Workspace: o.workspace, Settings: o.settings, DryRun: o.dryRun, Who: who(), Clock: a.now,
	})
	if err != nil {
		return err
	}
	return a.emit(out, func() {
		for _, s := range out.Withheld {
			a.printf("%s %s: set it in tend.yaml, or import with --settings\n", a.paint(yellow, "not taken"), words.Safe(s))
		}
		switch {
		case out.DryRun:
			a.printf("%s is complete: %s of agent %s\n", file, words.Count(out.Files, "file"), out.Packed)
			a.diff(out.Diff)
			return
		case !a.quiet:
			a.printf("imported %s, %s; its workspace is %s\n", out.Agent, words.Count(out.Files, "file"), out.Workspace)
		}
		if !*out.Fresh {
			a.printf("The folder had files in it and was left as it is; the packed memory was not written.\n")
		}
	})
}

func newExportCommand(a *app) *cobra.Command {
	cmd := a.command("export AGENT FILE", func(ctx context.Context, args []string) error { return runExport(ctx, a, args[0], args[1]) })
	cmd.Flags().Bool("history", false, "without effect: the git history is built again from what is packed")
	cmd.Flags().Lookup("history").Hidden = true
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
		a.printf("packed %s, %s, into %s\n", name, words.Count(out.Files, "file"), out.File)
		for _, p := range slices.Sorted(maps.Keys(out.LeftOut)) {
			a.printf("%s %s: %s\n", a.paint(yellow, "not packed"), words.InLine(p), words.Safe(out.LeftOut[p]))
		}
	}), oneIf(len(out.LeftOut) > 0))
}

func newInitCommand(a *app) *cobra.Command {
	var req setup.InitRequest
	var create string
	cmd := a.command("init [DIR…]", func(_ context.Context, args []string) error {
		req.Dirs, req.To = args, cmp.Or(req.To, a.configPath)
		if create != "" {
			req.Name = create
			return runInit(a, req, setup.Create)
		}
		if len(args) == 0 {
			req.Dirs = []string{"."}
		}
		return runInit(a, req, setup.Init)
	})
	cmd.Flags().StringVar(&req.Name, "name", "", "the agent's `NAME` (default: as the harness calls it)")
	cmd.Flags().StringVar(&create, "create", "", "create a new agent with this `NAME` (default layout: "+setup.CreateLayout+")")
	cmd.MarkFlagsMutuallyExclusive("create", "name")
	cmd.Flags().StringVar(&req.Layout, "layout", "", "the harness's `LAYOUT`, such as openclaw@2026.9 (default: detected)")
	cmd.Flags().StringVar(&req.To, "to", "", "write this `FILE` (default: --config, else the one in use, else the user's)")
	cmd.Flags().BoolVarP(&req.DryRun, "dry-run", "n", false, "write nothing; print how the file would change as a unified diff")
	_ = cmd.RegisterFlagCompletionFunc("layout", layoutNames)
	return cmd
}

func runInit(a *app, req setup.InitRequest, do func(setup.InitRequest) (setup.Initiated, error)) error {
	out, err := do(req)
	if err != nil {
		return err
	}
	return a.emit(out, func() { printInit(&a.printer, out) })
}

func printInit(pr *printer, out setup.Initiated) {
	if out.DryRun {
		pr.diff(out.Diff)
		return
	}
	if pr.quiet {
		return
	}
	for _, ag := range out.Agents {
		pr.printf("%s: %s\n", pr.paint(bold, ag.Name), pr.wrapped(ag.Layout+" in "+ag.Dir+" ("+recognised(ag.Why)+")", "  "))
	}
	for _, name := range out.Known {
		pr.printf("%s is already configured\n", pr.paint(bold, name))
	}
	if len(out.Agents) == 0 {
		pr.printf("Nothing to add to %s.\n", out.Config)
		return
	}
	pr.printf("wrote %s\n", out.Config)
	printDrafts(pr, out)
	kind, _, _ := strings.Cut(out.Agents[0].Layout, "@")
	if _, err := connect.Find(kind); err != nil {
		kind = "HARNESS"
	}
	pr.printf("\n%s\n", pr.wrapped("Next: `tend check` shows what is wrong, `tend status` gives an overview, `tend connect "+kind+" --agent "+out.Agents[0].Name+"` gives an agent its memory tools.", "  "))
}

// recognised describes briefly what a workspace was recognised by; files that merely exist are listed together.
func recognised(why []string) string {
	var files, rest []string
	for _, reason := range why {
		if file, plain := strings.CutSuffix(reason, " exists"); plain {
			files = append(files, file)
		} else {
			rest = append(rest, reason)
		}
	}
	if len(files) > 0 {
		rest = append([]string{"has " + strings.Join(files, ", ")}, rest...)
	}
	return strings.Join(rest, "; ")
}

// printDrafts lists what needs approval, and explains what approving means.
func printDrafts(pr *printer, out setup.Initiated) {
	n := out.Drafts()
	if n == 0 {
		return
	}
	pr.printf("\n%s in %s:\n", waiting(n), filepath.Join(filepath.Dir(out.Config), "baselines"))
	for _, ag := range out.Agents {
		var files, advice []string
		for _, b := range ag.Baselines {
			file := b.File
			if !b.Whole {
				file += " (above its last `---`)"
			}
			files, advice = append(files, file), append(advice, b.Advice...)
		}
		if len(files) > 0 {
			pr.printf("  %s\n", pr.wrapped(ag.Name+": "+strings.Join(files, ", "), "    "))
		}
		for _, line := range advice {
			pr.printf("  %s\n", pr.wrapped("- "+line, "    "))
		}
	}
	pr.printf("%s\n", pr.wrapped("They have no effect until you approve them: read them, then `tend baseline approve --all`. From then on Tend reports and reverts what an agent changes there.", "  "))
}

func waiting(drafts int) string {
	if drafts == 1 {
		return "1 draft needs your approval"
	}
	return words.Count(drafts, "draft") + " need your approval"
}
