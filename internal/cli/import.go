package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"tend/internal/config"
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
		Use: "import [FILE]", Short: "Take over a memory-shepherd.conf, or an exported agent",
		Long: `An agent that tend export packed is unpacked and added to the configuration, as
tend import-archive does.

Else read a memory-shepherd.conf the way that tool does, and write the tend.yaml that
means the same. It says what it could not carry, with the line, and what to see to
first: baselines without a line, timers and cron lines that still run the old tool.
Old archives stay where they are and are searched like Tend's own. With --check it
writes nothing and compares an existing tend.yaml with the file.

Without FILE it looks where Memory Shepherd does: $MEMORY_SHEPHERD_CONF, the current
folder, /etc/memory-shepherd.

EXIT STATUS
  0 all was carried, or nothing differs · 1 something was not, or differs
  2 the file cannot be used`,
		Example: `  tend import /etc/memory-shepherd/memory-shepherd.conf
  tend import memory-shepherd.conf --check --config tend.yaml`,
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

func (a *app) printNotes(im config.Imported) {
	for _, n := range im.Notes {
		if a.quiet {
			break
		}
		a.printf("%s%s: %s\n", a.paint(dim, "note"), onLine(n.Line), words.Safe(n.Text))
	}
	for _, n := range im.CouldNot {
		a.printf("%s%s: %s\n", a.paint(yellow, "not carried"), onLine(n.Line), words.Safe(n.Text))
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
		return a.checkImport(req)
	}
	out, err := setup.Import(req)
	if err != nil {
		a.printNotes(out.Imported)
		return err
	}
	if o.dryRun {
		value := map[string]any{"config": out.To, "dry_run": true, "diff": out.Diff, "notes": orEmpty(out.Notes), "could_not": orEmpty(out.CouldNot)}
		return errors.Join(a.emit(value, func() {
			a.diff(out.Diff)
			a.printNotes(out.Imported)
		}), oneIf(len(out.CouldNot) > 0))
	}
	return errors.Join(a.emit(out.Imported, func() {
		a.printNotes(out.Imported)
		if !a.quiet {
			a.printf("wrote %s with %s\n\nNext: read it, then run `tend baseline approve --all` and `tend reset --all --dry-run`.\n", out.To, words.Count(out.Agents, "agent"))
		}
	}), oneIf(len(out.CouldNot) > 0))
}

func (a *app) checkImport(req setup.ImportRequest) error {
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
