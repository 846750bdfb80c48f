package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/app/connect"
	"tend/internal/app/setup"
	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
)

func newInitCommand(a *app) *cobra.Command {
	var req setup.InitRequest
	var create string
	cmd := a.command("init [DIR…]", func(ctx context.Context, args []string) error {
		req.Dirs, req.To = a.present(args), cmp.Or(req.To, a.configPath)
		if create != "" {
			req.Name = create
			return runInit(ctx, a, req, setup.Create)
		}
		if len(args) == 0 {
			req.Dirs = []string{"."}
		}
		return runInit(ctx, a, req, setup.Init)
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

func runInit(ctx context.Context, a *app, req setup.InitRequest, do func(setup.InitRequest) (setup.Initiated, error)) error {
	out, err := do(req)
	if err != nil {
		return err
	}
	if out.DryRun {
		return a.emit(out, func() { printInit(&a.printer, out, nil) })
	}
	a.configPath, a.cfg = out.Config, nil
	found := []finding.Finding{}
	for _, ag := range out.Agents {
		n, list, err := adopt(ctx, a, ag.Name)
		out.Recorded, found = out.Recorded+n, append(found, list...)
		if err != nil {
			out.Unrecorded = append(out.Unrecorded, fmt.Sprintf(
				"%s is not recorded, so what is deleted there cannot be restored until `tend history sync %[1]s` succeeds: %v", ag.Name, err))
		}
	}
	finding.Rank(found)
	return a.emit(struct {
		setup.Initiated
		Findings []finding.Finding `json:"findings"`
	}{out, found}, func() { printInit(&a.printer, out, found) })
}

// adopt records what a new agent's workspace holds, so that log and restore know it before the first job, and what is wrong
// with it, so that the first night reports what is new. It returns the number of recorded files and the findings.
func adopt(ctx context.Context, a *app, name string) (files int, found []finding.Finding, err error) {
	err = a.withAgent(ctx, name, fleet.Options{Write: true}, func(ag *fleet.Agent) error {
		x := ag.FirstLook(ctx)
		found = x.Report.Findings()
		if x.Err != nil {
			found = append(found, fleet.Unseen(name, x.Err))
		}
		if _, _, err := ag.History.Sync(ctx); err != nil {
			return err
		}
		all, err := past.Open(ag).All(ctx)
		for _, versions := range all {
			if !versions[len(versions)-1].Gone {
				files++
			}
		}
		return err
	})
	return files, found, err
}

func printInit(pr *printer, out setup.Initiated, found []finding.Finding) {
	for _, why := range out.Unrecorded {
		pr.warnf("%s", why)
	}
	if out.DryRun {
		pr.diff(out.Diff)
		return
	}
	if pr.quiet {
		return
	}
	for _, ag := range out.Agents {
		text := pr.wrapped(ag.Name+": "+ag.Layout+" in "+ag.Dir+" ("+recognised(ag.Why)+")", "  ")
		pr.printf("%s%s\n", pr.paint(bold, ag.Name), strings.TrimPrefix(text, ag.Name))
	}
	for _, name := range out.Known {
		pr.printf("%s is already configured\n", pr.paint(bold, name))
	}
	if len(out.Agents) == 0 {
		pr.printf("Nothing to add to %s.\n", out.Config)
		return
	}
	pr.printf("wrote %s\n", out.Config)
	if out.Recorded > 0 {
		pr.printf("recorded %s: what is deleted from now on can be restored\n", textfmt.Count(out.Recorded, "file"))
	}
	if worst := summary(found, linesPerAgent); len(worst) > 0 {
		pr.printf("\n")
		pr.findings(worst)
	}
	printDrafts(pr, out)
	kind, _, _ := strings.Cut(out.Agents[0].Layout, "@")
	if _, err := connect.Find(kind); err != nil {
		kind = "HARNESS"
	}
	pr.printf("\n%s\n", pr.wrapped("Next: `tend check` lists what is wrong, `tend status` gives an overview, `tend connect "+kind+
		" --agent "+out.Agents[0].Name+"` gives an agent its memory tools.", "  "))
}

// recognised says what shows best that a folder is a workspace; files that merely exist are listed together.
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
		return "has " + strings.Join(files, ", ")
	}
	return firstArg(rest)
}

// printDrafts lists what needs approval, and explains what approving means.
func printDrafts(pr *printer, out setup.Initiated) {
	n := out.Drafts()
	if n == 0 {
		return
	}
	pr.printf("\n%s in %s:\n", waiting(n), filepath.Join(filepath.Dir(out.Config), "baselines"))
	invited := ""
	for _, ag := range out.Agents {
		var files, advice []string
		for _, b := range ag.Baselines {
			file := b.File
			switch {
			case b.Invited:
				file += "*"
				invited = " (a file marked * invites the agent to change it: there it only reports)"
			case !b.Whole:
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
	pr.printf("%s\n", pr.wrapped("They have no effect until you approve them: read them, then `tend baseline approve --all`. From then on "+
		"Tend reports what an agent changes there, and `tend up` puts your text back"+invited+".", "  "))
}

func waiting(drafts int) string {
	if drafts == 1 {
		return "1 draft needs your approval"
	}
	return textfmt.Count(drafts, "draft") + " need your approval"
}
