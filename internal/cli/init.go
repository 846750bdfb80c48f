package cli

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/connect"
	"tend/internal/setup"
	"tend/internal/words"
)

func newInitCommand(a *app) *cobra.Command {
	var req setup.InitRequest
	var create string
	cmd := &cobra.Command{
		Use: "init [DIR…]",
		RunE: func(_ *cobra.Command, args []string) error {
			req.Dirs, req.To = args, cmp.Or(req.To, a.configPath)
			if create != "" {
				req.Name = create
				return runInit(a, req, setup.Create)
			}
			if len(args) == 0 {
				req.Dirs = []string{"."}
			}
			return runInit(a, req, setup.Init)
		},
	}
	cmd.Flags().StringVar(&req.Name, "name", "", "the agent's `NAME` (default: as the harness calls it)")
	cmd.Flags().StringVar(&create, "create", "", "make a new agent of this `NAME` (default layout: "+setup.CreateLayout+")")
	cmd.MarkFlagsMutuallyExclusive("create", "name")
	cmd.Flags().StringVar(&req.Layout, "layout", "", "the harness's `LAYOUT`, such as openclaw@2026.9 (default: detected)")
	cmd.Flags().StringVar(&req.To, "to", "", "write this `FILE` (default: --config, else the one in use, else the user's)")
	cmd.Flags().BoolVarP(&req.DryRun, "dry-run", "n", false, "write nothing; print what would be written as a unified diff")
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
		pr.printf("%s is configured already\n", pr.paint(bold, name))
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
	pr.printf("\n%s\n", pr.wrapped("Next: `tend check` shows what is wrong, `tend status` how they are, `tend connect "+kind+" --agent "+out.Agents[0].Name+"` gives an agent its memory tools.", "  "))
}

// recognised puts what a workspace was recognised by into few words: files that are simply there are listed.
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

// printDrafts says in one place what waits for approval, and what approving means.
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
		return "1 draft waits for your approval"
	}
	return words.Count(drafts, "draft") + " wait for your approval"
}
