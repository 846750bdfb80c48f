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
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/app/setup"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/job/audit"
	"tend/internal/engine/runner"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/text/layout"
)

type checkOptions struct {
	writeFlags
	there    elsewhere
	all, fix bool
	only     []string
	verbose  bool
	ci       bool
	world    bool
	accept   acceptOptions
	look     func(job.Input) audit.Report
}

func newCheckCommand(a *app) *cobra.Command {
	o := checkOptions{look: audit.Examine}
	cmd := a.command("check [AGENT|DIR…]", func(ctx context.Context, args []string) error { return runCheck(ctx, a, o, args) })
	cmd.Flags().BoolVar(&o.all, "all", false, "all agents")
	cmd.Flags().BoolVar(&o.fix, "fix", false, "repair what can be repaired safely, then check")
	cmd.Flags().StringSliceVar(&o.only, "only", nil, "only these `TOPICS` or codes")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "list what was checked, and show every finding")
	cmd.Flags().BoolVar(&o.ci, "ci", false, "print FILE:LINE: for every place and nothing else")
	cmd.Flags().BoolVar(&o.world, "world", false, "compare what memory names on this machine with the machine")
	o.accept.add(cmd.Flags())
	cmd.Annotations = map[string]string{"topics": strings.Join(audit.Topics(), ", ")}
	_ = cmd.RegisterFlagCompletionFunc("only", cobra.FixedCompletions(audit.Topics(), cobra.ShellCompDirectiveNoFileComp))
	o.writeFlags.add(cmd.Flags())
	o.there.add(cmd)
	return cmd
}

func runCheck(ctx context.Context, a *app, o checkOptions, args []string) error {
	if len(o.only) > 0 {
		look, unknown := audit.ExamineOnly(o.only)
		if len(unknown) > 0 {
			return usererr.Usagef("topics are "+strings.Join(audit.Topics(), ", "), "--only: nothing is called %s", strings.Join(unknown, ", "))
		}
		o.look = look
	}
	agents, dirs, err := toCheck(a, o, args)
	if err != nil {
		return err
	}
	if err := o.accept.valid(dirs); err != nil {
		return err
	}
	if o.accept.list || len(o.accept.takeBack) > 0 {
		names, err := a.chosen(agents, len(agents) == 0)
		if err != nil {
			return err
		}
		if o.accept.list {
			return listAccepted(a, names)
		}
		return takeBack(a, names, o.accept.takeBack)
	}
	known, err := readKnown(o.accept)
	if err != nil {
		return err
	}
	found := placesFound{byAgent: map[string][]audit.Place{}}
	o.look = found.noting(o.look, known)
	if o.fix {
		if len(dirs) > 0 {
			return usererr.Usagef("`tend init "+dirs[0]+"` first, then fix", "--fix in a folder that is not configured")
		}
		if err := fixFirst(ctx, a, agents, o.writeFlags); err != nil || o.dryRun {
			return err
		}
	} else if o.dryRun {
		return usererr.Usagef("a check never writes; --dry-run is for --fix", "--dry-run without --fix")
	}
	var list []fleet.Examination
	if len(agents) > 0 || len(dirs) == 0 {
		if list, err = examine(ctx, a, agents, len(agents) == 0, o); err != nil {
			return err
		}
	}
	if len(dirs) > 0 {
		if a.cfg, _, err = setup.Unconfigured(dirs, o.there.as); err != nil {
			return err
		}
		a.folders = foldersOf(a.cfg)
		more, err := examine(ctx, a, nil, true, o)
		if err != nil {
			return err
		}
		list = append(list, more...)
	}
	switch {
	case len(o.accept.what) > 0:
		return found.accept(a, o.accept, o.reason)
	case o.accept.writeKnown:
		return found.writeKnown(a, o.accept)
	}
	return printChecked(&a.printer, list, checkView{passed: o.verbose, every: o.verbose || len(agents) > 0, ci: o.ci})
}

// foldersOf returns where the agents of a configuration are.
func foldersOf(cfg *config.Config) map[string]string {
	out := map[string]string{}
	for _, ag := range cfg.Agents {
		out[ag.Name] = ag.Workspace.Path
	}
	return out
}

// toCheck separates agents from folders in the arguments. A folder that is an agent's workspace is that agent.
func toCheck(a *app, o checkOptions, args []string) (agents, dirs []string, err error) {
	if o.there.workspace != "" {
		if len(args) > 0 || o.all {
			return nil, nil, usererr.Usagef("leave one of them out", "--workspace and agents")
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
	for _, arg := range a.present(args) {
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
		case cfg == nil:
			return nil, nil, usererr.Usagef("name a folder; `tend init` adds agents",
				"%s is not a folder, and there is no configuration with agents", arg)
		default:
			_, err := cfg.Agent(arg)
			return nil, nil, err
		}
	}
	if o.there.as != "" && len(dirs) == 0 {
		return nil, nil, usererr.Usagef("name a folder", "--as is for a folder that is not configured")
	}
	return agents, dirs, nil
}

// present leaves out of several arguments, as in ~/.openclaw ~/src/*, what does not exist and what is a file. If nothing remains, it
// returns all.
func (a *app) present(args []string) []string {
	var kept, missing []string
	for _, arg := range args {
		st, err := os.Stat(arg)
		switch {
		case !strings.ContainsRune(arg, os.PathSeparator), err == nil && st.IsDir():
			kept = append(kept, arg)
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, arg)
		}
	}
	if len(kept) == 0 {
		return args
	}
	for _, arg := range missing {
		a.warnf("skipped %s: it does not exist", textfmt.InLine(arg))
	}
	return kept
}

func workspaceOwner(cfg *config.Config, dir string) string {
	abs, err := filepath.Abs(dir)
	if cfg == nil || err != nil {
		return ""
	}
	return cfg.AgentAt(abs)
}

// checkedJSON is an examination with its findings in order of cost.
type checkedJSON struct {
	fleet.Examination
	Findings []finding.Finding `json:"findings"`
}

// checkView says how much of a check is printed.
type checkView struct {
	passed bool // also the checks that passed
	every  bool // every finding, not a summary
	ci     bool // one line for each place, as linters print them
}

// printChecked prints the findings of all agents, the costliest first.
func printChecked(pr *printer, list []fleet.Examination, view checkView) error {
	code := usererr.CodeFine
	var found []finding.Finding
	out := make([]checkedJSON, len(list))
	for i, x := range list {
		mine := x.Report.Findings()
		if x.Err != nil {
			code = worse(code, max(codeOf(x.Err), usererr.CodeFindings))
			mine = append(mine, fleet.Unseen(x.Agent, x.Err))
		}
		if finding.Worst(mine) > finding.Info {
			code = worse(code, usererr.CodeFindings)
		}
		finding.Rank(mine)
		out[i] = checkedJSON{x, orEmpty(mine)}
		found = append(found, mine...)
	}
	finding.Rank(found)
	return errors.Join(pr.emit(out, func() {
		if view.ci {
			printPlaces(pr, found)
			return
		}
		shown := found
		if !view.every {
			found = slices.DeleteFunc(found, func(f finding.Finding) bool { return f.Severity == finding.Info })
			shown = summary(found, linesPerAgent)
		}
		pr.findings(shown)
		if view.passed {
			printPassed(pr, list)
		}
		checkedWords(pr, list, found, len(shown))
		if view.passed || len(found) == 0 {
			printNotJudged(pr, list)
		}
	}), usererr.Quiet(code))
}

func printPassed(pr *printer, list []fleet.Examination) {
	for _, x := range list {
		var passed []string
		for _, v := range x.Report {
			if v.Result == audit.Pass {
				passed = append(passed, v.Check)
			}
		}
		if len(passed) > 0 {
			text := pr.wrapped("passed "+x.Agent+": "+strings.Join(passed, ", "), "  ")
			pr.printf("%s%s\n", pr.paint(green, "passed"), strings.TrimPrefix(text, "passed"))
		}
	}
}

// printPlaces prints a line for each place of each finding, in a form that editors and CI systems read.
func printPlaces(pr *printer, found []finding.Finding) {
	for _, f := range found {
		if f.Severity == finding.Info {
			continue
		}
		lines := f.Lines
		if len(lines) == 0 {
			lines = []int{f.Line}
		}
		for _, n := range lines {
			g := f
			g.Line = n
			pr.printf("%s%s [%s] %s\n", textfmt.InLine(g.Where()), f.Severity, f.Code, textfmt.InLine(f.Text))
		}
	}
}

// checkedWords closes a check: how much was found in how many files, what of it is new, what was accepted.
func checkedWords(pr *printer, list []fleet.Examination, found []finding.Finding, shown int) {
	if pr.quiet || len(list) == 0 {
		return
	}
	where, files, accepted := list[0].Agent, 0, 0
	if len(list) != 1 {
		where = textfmt.Count(len(list), "workspace")
	}
	for _, x := range list {
		files, accepted = files+x.Files, accepted+places(x.Report.Accepted())
	}
	read := "; " + textfmt.Count(files, "file") + " read."
	rest := ""
	if shown < len(found) {
		rest = " `--verbose` lists each."
	}
	if accepted > 0 {
		rest += fmt.Sprintf(" %s accepted: `tend check --accepted`.", textfmt.Count(accepted, "more place"))
	}
	if len(found) == 0 {
		pr.printf("%s%s%s\n", pr.paint(green, "Nothing found in "+where), read, rest)
		return
	}
	bad := map[string]bool{}
	for _, f := range found {
		bad[f.Agent] = true
	}
	text := textfmt.Count(places(found), "finding")
	if len(list) > 1 {
		text += fmt.Sprintf(" in %d of %s", len(bad), where)
	}
	pr.printf("\n%s%s%s%s\n", text, newWords(list, found), read, rest)
}

// newWords says how many findings are new, if that is known of any.
func newWords(list []fleet.Examination, found []finding.Finding) string {
	news, recorded := 0, map[string]bool{}
	for _, x := range list {
		if x.Recorded {
			recorded[x.Agent] = true
			news += x.Open
		}
	}
	compared := len(recorded) > 0
	for _, f := range found {
		if !recorded[f.Agent] {
			continue
		}
		nightly := audit.Nightly(f.Code) // a night compares it with what was there before
		compared = compared && nightly
		if nightly && !f.Known {
			news += f.Places()
		}
	}
	if news == 0 && !compared {
		return ""
	}
	return fmt.Sprintf(", %s of them new", newOnes(news))
}

// printNotJudged names what was met and could not be judged, so that a check without a finding is no false all-clear.
func printNotJudged(pr *printer, list []fleet.Examination) {
	const most = 3
	for _, x := range list {
		var names []string
		for _, v := range x.Report {
			names = append(names, v.NotJudged...)
		}
		if len(names) == 0 || pr.quiet {
			continue
		}
		list := strings.Join(names[:min(most, len(names))], ", ")
		if n := len(names) - most; n > 0 {
			list += fmt.Sprintf(" and %d more", n)
		}
		pr.printf("%s\n", pr.paint(dim, pr.wrapped(textfmt.InLine(x.Agent+" names files that are not in its folder: "+list+
			". Whether they are missing or elsewhere was not judged."), "  ")))
	}
}

func newOnes(n int) string {
	if n == 0 {
		return "none"
	}
	return strconv.Itoa(n)
}

func places(list []finding.Finding) int {
	n := 0
	for _, f := range list {
		n += f.Places()
	}
	return n
}

// fixFirst repairs the chosen agents; a dry run shows the diff.
func fixFirst(ctx context.Context, a *app, args []string, w writeFlags) error {
	names, err := a.chosen(args, len(args) == 0)
	if err != nil {
		return err
	}
	results, err := a.each(ctx, slices.Compact(names), !w.dryRun, func(f *fleet.Fleet, name string) runner.Result {
		return runner.Fix(ctx, f, name, w.options())
	})
	if err != nil {
		return err
	}
	code := usererr.CodeFine
	for _, r := range results {
		code = worse(code, resultCode(r))
	}
	if w.dryRun || code > usererr.CodeFindings {
		return a.report(results)
	}
	for _, r := range results {
		if r.Action != "" && !a.quiet && !a.json {
			a.printf("%s: %s  (%s)\n", r.Agent, r.Summary, r.Action)
		}
	}
	followUp(ctx, a, false, results)
	return nil
}

// examine opens the fleet read-only and checks the chosen agents.
func examine(ctx context.Context, a *app, args []string, all bool, o checkOptions) ([]fleet.Examination, error) {
	names, err := a.chosen(args, all || len(args) == 0)
	if err != nil {
		return nil, err
	}
	list := make([]fleet.Examination, len(names))
	err = a.withFleet(fleet.Options{}, func(f *fleet.Fleet) error {
		f.World = o.world
		a.parallel(len(names), runtime.GOMAXPROCS(0), func(i int) {
			list[i] = f.Examine(ctx, names[i], o.look)
			if len(o.only) == 0 && list[i].Err == nil {
				list[i].Err = f.AddNoticed(&list[i])
			}
		})
		return nil
	})
	return list, err
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
func lookElsewhere(a *app, e elsewhere, named bool) (err error) {
	switch {
	case e.workspace == "" && e.as != "":
		return usererr.Usagef("add --workspace DIR", "--as is for a folder that is not configured")
	case e.workspace == "":
		return nil
	case named:
		return usererr.Usagef("leave one of them out", "--workspace and agents")
	}
	a.cfg, _, err = setup.Unconfigured([]string{e.workspace}, e.as)
	return err
}
