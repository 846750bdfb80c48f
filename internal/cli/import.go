package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"tend/internal/config"
)

func newImportCommand(a *app) *cobra.Command {
	var to string
	var check, separate, force, dryRun bool
	cmd := &cobra.Command{
		Use: "import FILE", GroupID: groupSetup, Short: "Turn a memory-shepherd.conf into tend.yaml",
		Long: `Read a memory-shepherd.conf the way that tool does, and write the tend.yaml that
means the same. It says what it could not carry, with the line. With --check it
writes nothing and compares an existing tend.yaml with the file.

EXIT STATUS
  0 all was carried, or nothing differs · 1 something was not, or differs
  2 the file cannot be used`,
		Example: `  tend import /etc/memory-shepherd/memory-shepherd.conf
  tend import memory-shepherd.conf --check --config tend.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			env, err := config.OSEnv()
			if err != nil {
				return err
			}
			conf, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			text, err := os.ReadFile(conf)
			if err != nil {
				return usage(err)
			}
			opt := config.ImportOptions{Conf: conf, Separate: separate, Env: env}
			if check {
				return a.checkImport(text, opt)
			}
			if to == "" {
				to = "tend.yaml"
			}
			if opt.To, err = filepath.Abs(to); err != nil {
				return err
			}
			im, err := config.Import(text, opt)
			if err != nil {
				a.printNotes(im)
				return usage(err)
			}
			if dryRun {
				old, _ := os.ReadFile(opt.To)
				diff := udiff.Unified(opt.To, opt.To, string(old), string(im.Text))
				if a.json {
					return a.printJSON(map[string]any{"config": opt.To, "dry_run": true, "diff": diff, "notes": orEmpty(im.Notes)})
				}
				a.diff(diff)
				return nil
			}
			write := writeNewFile
			if force {
				write = func(name string, data []byte, _ os.FileMode) error { return replaceFile(name, data) }
			}
			if err := write(opt.To, im.Text, 0o644); err != nil {
				return err
			}
			if a.json {
				if err := a.printJSON(im); err != nil {
					return err
				}
			} else {
				a.printNotes(im)
				a.printf("wrote %s with %s\n\nNext: look at it, then run `tend baseline approve --all` and `tend reset --all --dry-run`.\n", opt.To, count(im.Agents, "agent"))
			}
			if len(im.CouldNot) > 0 {
				return quietly(exitFindings)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "write this `FILE` (default: ./tend.yaml)")
	cmd.Flags().BoolVar(&check, "check", false, "write nothing; compare with the configuration there is")
	cmd.Flags().BoolVar(&separate, "separate", false, "keep sections apart that are files of one agent")
	cmd.Flags().BoolVar(&force, "overwrite", false, "replace the file if it is there")
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "write nothing; print what would be written as a unified diff")
	return cmd
}

func (a *app) printNotes(im config.Imported) {
	for _, n := range im.Notes {
		a.printf("%s%s: %s\n", a.paint(dim, "note"), onLine(n.Line), safe(n.Text))
	}
	for _, n := range im.CouldNot {
		a.printf("%s%s: %s\n", a.paint(yellow, "not carried"), onLine(n.Line), safe(n.Text))
	}
}

func (a *app) checkImport(text []byte, opt config.ImportOptions) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	diffs, _, err := config.CompareImport(text, opt, cfg)
	if err != nil {
		return usage(err)
	}
	if a.json {
		if err := a.printJSON(orEmpty(diffs)); err != nil {
			return err
		}
	} else {
		for _, d := range diffs {
			a.printf("%s: %s: %s there, %s here (%s:%d)\n", d.File, d.What, orNone(d.Conf), orNone(d.Config), cfg.Path, d.Line)
		}
	}
	switch {
	case len(diffs) > 0:
		return quietly(exitFindings)
	case len(cfg.Agents) == 0:
		return errors.New("the configuration has no agents")
	case !a.json:
		a.printf("%s says the same for %s.\n", cfg.Path, count(len(cfg.Agents), "agent"))
	}
	return nil
}

// onLine is where a remark belongs; one on the file as a whole has no line.
func onLine(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" line %d", n)
}
