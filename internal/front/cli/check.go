package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/app/setup"
	"tend/internal/engine/act"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/job/audit"
	"tend/internal/model/fault"
	"tend/internal/model/finding"
	"tend/internal/model/words"
	"tend/internal/text/layout"
)

type checkOptions struct {
	writeFlags
	there    elsewhere
	all, fix bool
	only     []string
	verbose  bool
	look     func(job.Input) audit.Report
}

func newCheckCommand(a *app) *cobra.Command { return newExamineCommand(a, "check", audit.Examine) }

// newAuditCommand is the part of check that runs first every night.
func newAuditCommand(a *app) *cobra.Command { return newExamineCommand(a, "audit", audit.Audit) }

func newExamineCommand(a *app, name string, look func(job.Input) audit.Report) *cobra.Command {
	o := checkOptions{look: look}
	cmd := a.command(name+" [AGENT|DIR…]", func(ctx context.Context, args []string) error { return runCheck(ctx, a, o, args) })
	cmd.Flags().BoolVar(&o.all, "all", false, "all agents")
	cmd.Flags().BoolVar(&o.fix, "fix", false, "repair what can be repaired safely, then check")
	cmd.Flags().StringSliceVar(&o.only, "only", nil, "only these `TOPICS` or codes")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "list what was checked, and show every finding")
	_ = cmd.RegisterFlagCompletionFunc("only", cobra.FixedCompletions(audit.Topics(), cobra.ShellCompDirectiveNoFileComp))
	o.writeFlags.add(cmd.Flags())
	o.there.add(cmd)
	return cmd
}

func runCheck(ctx context.Context, a *app, o checkOptions, args []string) error {
	if len(o.only) > 0 {
		look, unknown := audit.ExamineOnly(o.only)
		if len(unknown) > 0 {
			return fault.Usagef("topics are "+strings.Join(audit.Topics(), ", "), "--only: nothing is called %s", strings.Join(unknown, ", "))
		}
		o.look = look
	}
	agents, dirs, err := toCheck(a, o, args)
	if err != nil {
		return err
	}
	if o.fix {
		if len(dirs) > 0 {
			return fault.Usagef("`tend init "+dirs[0]+"` first, then fix", "--fix in a folder that is not configured")
		}
		if err := fixFirst(ctx, a, agents, o.writeFlags); err != nil || o.dryRun {
			return err
		}
	} else if o.dryRun {
		return fault.Usagef("a check never writes; --dry-run is for --fix", "--dry-run without --fix")
	}
	var list []fleet.Examination
	if len(agents) > 0 || len(dirs) == 0 {
		if list, err = examine(ctx, a, agents, len(agents) == 0, o.look); err != nil {
			return err
		}
	}
	if len(dirs) > 0 {
		if a.cfg, _, err = setup.Unconfigured(dirs, o.there.as); err != nil {
			return err
		}
		more, err := examine(ctx, a, nil, true, o.look)
		if err != nil {
			return err
		}
		list = append(list, more...)
	}
	return printChecked(&a.printer, list, o.verbose)
}

// toCheck separates agents from folders in the arguments. A folder that is an agent's workspace is that agent.
func toCheck(a *app, o checkOptions, args []string) (agents, dirs []string, err error) {
	if o.there.workspace != "" {
		if len(args) > 0 || o.all {
			return nil, nil, fault.Usagef("leave one of them out", "--workspace and agents")
		}
		return nil, []string{o.there.workspace}, nil
	}
	cfg, cfgErr := a.config()
	if cfgErr != nil && !errors.Is(cfgErr, config.ErrNotFound) {
		return nil, nil, cfgErr
	}
	if len(args) == 0 && cfg == nil {
		return nil, []string{"."}, nil
	}
	for _, arg := range args {
		if cfg != nil {
			if _, err := cfg.Agent(arg); err == nil {
				agents = append(agents, arg)
				continue
			}
		}
		st, err := os.Stat(arg)
		switch {
		case err == nil && st.IsDir():
			if owner := workspaceOwner(cfg, arg); owner != "" && o.there.as == "" {
				agents = append(agents, owner)
			} else {
				dirs = append(dirs, arg)
			}
		case err == nil && strings.ContainsRune(arg, os.PathSeparator):
			// a file among folders, as in ~/src/*
		case errors.Is(err, fs.ErrNotExist) && strings.ContainsRune(arg, os.PathSeparator) && len(args) > 1:
			a.warnf("skipped %s: it does not exist", words.InLine(arg))
		case cfg == nil:
			return nil, nil, fault.Usagef("name a folder; `tend init` adds agents", "%s is not a folder, and there is no configuration with agents", arg)
		default:
			_, err := cfg.Agent(arg)
			return nil, nil, err
		}
	}
	if len(args) > 0 && len(agents)+len(dirs) == 0 {
		return nil, nil, fault.Usagef("name folders", "there is no folder among the arguments")
	}
	if o.there.as != "" && len(dirs) == 0 {
		return nil, nil, fault.Usagef("name a folder", "--as is for a folder that is not configured")
	}
	return agents, dirs, nil
}

func workspaceOwner(cfg *config.Config, dir string) string {
	abs, err := filepath.Abs(dir)
	if cfg == nil || err != nil {
		return ""
	}
	return cfg.Of(abs)
}

// checkedJSON is an examination with its findings in order of cost.
type checkedJSON struct {
	fleet.Examination
	Findings []finding.Finding `json:"findings"`
}

// printChecked prints the findings of all agents, the costliest first.
func printChecked(pr *printer, list []fleet.Examination, verbose bool) error {
	code := fault.CodeFine
	var found []finding.Finding
	out := make([]checkedJSON, len(list))
	for i, x := range list {
		mine := x.Report.Findings()
		if x.Err != nil {
			code = worse(code, max(codeOf(x.Err), fault.CodeFindings))
			mine = append(mine, fleet.Unseen(x.Agent, x.Err))
		}
		if finding.Worst(mine) > finding.Info {
			code = worse(code, fault.CodeFindings)
		}
		finding.Rank(mine)
		out[i] = checkedJSON{x, orEmpty(mine)}
		found = append(found, mine...)
	}
	finding.Rank(found)
	return errors.Join(pr.emit(out, func() {
		if verbose {
			printPassed(pr, list)
		}
		pr.findings(shorten(found, verbose))
		checkedWords(pr, list, found)
	}), fault.Quiet(code))
}

// shorten cuts runs of the same finding in one agent: of sixty dead links five are shown.
func shorten(list []finding.Finding, all bool) []finding.Finding {
	if all {
		return list
	}
	limit := func(code string) int {
		if finding.CostOf(code) == finding.Loss {
			return 20
		}
		return 5
	}
	type key struct{ code, agent string }
	count := map[key]int{}
	last := map[key]int{}
	var out []finding.Finding
	for _, f := range list {
		k := key{f.Code, f.Agent}
		if count[k]++; count[k] <= limit(f.Code) {
			last[k] = len(out)
			out = append(out, f)
		}
	}
	for k, n := range count {
		if more := n - limit(k.code); more > 0 {
			out[last[k]].Text += fmt.Sprintf(" (and %d more like it: `tend check --verbose`)", more)
		}
	}
	return out
}

func printPassed(pr *printer, list []fleet.Examination) {
	for _, x := range list {
		for _, v := range x.Report {
			if v.Result == audit.Pass {
				pr.printf("%s %s: %s: %s\n", pr.paint(green, "pass"), x.Agent, v.Check, v.Title)
			}
		}
	}
}

func checkedWords(pr *printer, list []fleet.Examination, found []finding.Finding) {
	if pr.quiet {
		return
	}
	where := list[0].Agent
	if len(list) != 1 {
		where = words.Count(len(list), "workspace")
	}
	if len(found) == 0 {
		pr.printf("%s\n", pr.paint(green, "Nothing found in "+where+"."))
		return
	}
	bad := map[string]bool{}
	for _, f := range found {
		bad[f.Agent] = true
	}
	text := words.Count(len(found), "finding")
	if len(list) > 1 {
		text += fmt.Sprintf(" in %d of %s", len(bad), where)
	}
	pr.printf("\n%s.\n", text)
}

// fixFirst repairs the chosen agents; a dry run shows the diff.
func fixFirst(ctx context.Context, a *app, args []string, w writeFlags) error {
	names, err := a.chosen(args, len(args) == 0)
	if err != nil {
		return err
	}
	results, err := a.each(ctx, slices.Compact(names), !w.dryRun, func(f *fleet.Fleet, name string) act.Result {
		return act.Fix(ctx, f, name, w.options())
	})
	if err != nil {
		return err
	}
	code := fault.CodeFine
	for _, r := range results {
		code = worse(code, resultCode(r))
	}
	if w.dryRun || code > fault.CodeFindings {
		return a.report(results)
	}
	for _, r := range results {
		if r.Action != "" && !a.quiet && !a.json {
			a.printf("%s: %s  (%s)\n", r.Agent, r.Summary, r.Action)
		}
	}
	followUp(ctx, a, "check", results)
	return nil
}

// examine opens the fleet read-only and checks the chosen agents.
func examine(ctx context.Context, a *app, args []string, all bool, look func(job.Input) audit.Report) ([]fleet.Examination, error) {
	names, err := a.chosen(args, all || len(args) == 0)
	if err != nil {
		return nil, err
	}
	list := make([]fleet.Examination, len(names))
	err = a.withFleet(fleet.Options{}, func(f *fleet.Fleet) error {
		a.parallel(len(names), runtime.GOMAXPROCS(0), func(i int) { list[i] = f.Examine(ctx, names[i], look) })
		return nil
	})
	return list, err
}

func newCompareCommand(a *app) *cobra.Command {
	var all bool
	var there elsewhere
	cmd := a.command("compare [AGENT…]", func(ctx context.Context, args []string) error {
		args, err := lookElsewhere(a, there, args, all)
		if err != nil {
			return err
		}
		names, err := a.chosen(args, all || len(args) == 0)
		if err != nil {
			return err
		}
		results, err := a.each(ctx, names, false, func(f *fleet.Fleet, agent string) act.Result {
			return act.Do(ctx, f, agent, "compare", act.Options{DryRun: true})
		})
		if err != nil {
			return err
		}
		return a.report(results)
	})
	cmd.Flags().BoolVar(&all, "all", false, "all agents")
	there.add(cmd)
	return cmd
}

// elsewhere adds flags for a folder that need not be configured, for commands that only read.
type elsewhere struct{ workspace, as string }

func (e *elsewhere) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.workspace, "workspace", "", "check this `DIR`, which need not be configured")
	cmd.Flags().StringVar(&e.as, "as", "", "treat the folder as `LAYOUT@VERSION` (default: detected)")
	_ = cmd.RegisterFlagCompletionFunc("as", layoutNames)
}

// layoutNames completes layouts in the shell.
func layoutNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return layout.Presets(), cobra.ShellCompDirectiveNoFileComp
}

// lookElsewhere makes the workspaces of a folder the only agents. Without a folder it does nothing.
func lookElsewhere(a *app, e elsewhere, args []string, all bool) ([]string, error) {
	switch {
	case e.workspace == "" && e.as != "":
		return nil, fault.Usagef("add --workspace DIR", "--as is for a folder that is not configured")
	case e.workspace == "":
		return args, nil
	case len(args) > 0 || all:
		return nil, fault.Usagef("leave one of them out", "--workspace and agents")
	}
	cfg, found, err := setup.Unconfigured([]string{e.workspace}, e.as)
	if err != nil {
		return nil, err
	}
	a.cfg = cfg
	var names []string
	for _, w := range found {
		names = append(names, w.Name)
	}
	return names, nil
}
