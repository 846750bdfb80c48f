package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/engine/act"
	"tend/internal/engine/fleet"
	"tend/internal/model/fault"
	"tend/internal/model/finding"
	"tend/internal/model/words"
	"tend/internal/text/layout"
	"tend/internal/text/layout/inject"
)

type previewOptions struct {
	as, workspace, print string
	all                  bool
	context              *contextSize // of a configured agent
	inject               inject.Options
}

func newPreviewCommand(a *app) *cobra.Command {
	var o previewOptions
	cmd := a.command("preview [AGENT]", func(ctx context.Context, args []string) error {
		return runPreview(ctx, a, o, first(args))
	})
	f := cmd.Flags()
	f.StringVar(&o.as, "as", "", "as this `LAYOUT@VERSION` would show it (default: the agent's)")
	f.StringVar(&o.workspace, "workspace", "", "a folder that need not be configured; needs --as")
	f.StringVar(&o.print, "print", "", "print only the text injected for this `FILE`")
	f.BoolVar(&o.all, "all", false, "compare all harnesses")
	f.IntVar(&o.inject.FileLimit, "limit", 0, "limit for each file, instead of the harness's")
	f.IntVar(&o.inject.TotalLimit, "total", 0, "limit for all files together, instead of the harness's")
	f.IntVar(&o.inject.Window, "window", 0, "the model's context window in `TOKENS`, where limits depend on it")
	f.StringVar(&o.inject.Session, "session", "", "kind of session: subagent, cron, group, channel")
	_ = cmd.RegisterFlagCompletionFunc("as", layoutNames)
	return cmd
}

func runPreview(ctx context.Context, a *app, o previewOptions, agent string) error {
	if o.workspace != "" {
		if o.as == "" && !o.all {
			return fault.Usagef("add --as LAYOUT@VERSION", "--workspace needs a harness to show it as")
		}
		root, err := filepath.Abs(o.workspace)
		if err != nil {
			return err
		}
		if st, err := os.Stat(root); err != nil || !st.IsDir() {
			return fault.Usagef("name a folder", "%s", o.workspace+" is not a folder")
		}
		o.inject.Root = root
		return showPreview(&a.printer, o, layout.Layout{}, func(l layout.Layout) ([]inject.File, error) {
			return fleet.ShownIn(root, l)
		})
	}
	return a.readAgents(ctx, agent, func(ag *fleet.Agent) error {
		o.inject.Root = ag.Workspace.Path
		if o.as == "" && o.print == "" && !o.all {
			var err error
			if o.context, err = contextOfAgent(ctx, ag); err != nil {
				return err
			}
		}
		return showPreview(&a.printer, o, ag.Layout, func(l layout.Layout) ([]inject.File, error) {
			files, _, err := ag.Files.Shown(ctx, l)
			return files, err
		})
	})
}

func showPreview(pr *printer, o previewOptions, l layout.Layout, read func(layout.Layout) ([]inject.File, error)) error {
	if o.all {
		return previewAll(pr, o, read)
	}
	if o.as != "" {
		var err error
		if l, err = layout.Preset(o.as); err != nil {
			return fault.Usage(err)
		}
	}
	files, err := read(l)
	if err != nil {
		return err
	}
	r := inject.Inject(l, files, o.inject)
	if o.print != "" {
		f, ok := r.File(o.print)
		if !ok {
			return fault.Usagef("`tend preview` lists those it does", "%s does not load %s", r.Layout, o.print)
		}
		value := map[string]any{"layout": r.Layout, "file": f.Name, "shown": f.Shown, "lost": f.Lost, "text": f.Text}
		return errors.Join(pr.emit(value, func() {
			if f.Shown {
				pr.printText([]byte(f.Text))
			}
		}), oneIf(f.Lost > 0 || f.Reason == inject.Unreadable))
	}
	return errors.Join(pr.emit(previewJSON(r, o.context), func() {
		printPreview(pr, r, files)
		if o.context != nil && !pr.quiet {
			pr.printf("\n")
			printContextSize(pr, o.context)
		}
	}), oneIf(r.Loss()))
}

func oneIf(loss bool) error {
	if loss {
		return fault.Quiet(fault.CodeFindings)
	}
	return nil
}

func printPreview(pr *printer, r inject.Result, files []inject.File) {
	var rows [][]cell
	for _, f := range r.Files {
		if f.Reason == inject.NotThere && !f.Shown || f.Reason == inject.OtherKind || f.Reason == inject.Done || f.Reason == inject.Replaced {
			continue
		}
		rows = append(rows, []cell{
			{f.Name, bold}, {fmt.Sprint(f.Raw), ""}, {fmt.Sprint(f.Size), ""}, {limitText(f.Limit), dim}, {picture(f, lengthOf(files, f.Name)), lostStyle(f)}, {lostText(f), lostStyle(f)},
		})
	}
	pr.printf("%s\n\n", pr.wrapped(fmt.Sprintf("What %s shows the model, in %s:", r.Layout, unitName(r.Unit)), "  "))
	pr.table([]string{"file", "raw", "injected", "limit", "# kept . lost", ""}, rows)
	if r.Total > 0 {
		pr.printf("\ntotal: %d of %d used\n", r.Used, r.Total)
	}
	for _, f := range r.Files {
		if f.Reason == inject.Excluded {
			pr.printf("%s\n", pr.paint(red, pr.wrapped(fmt.Sprintf("OpenClaw has not loaded %s since %s: %s.", f.Name, f.Since.Local().Format(words.Minute), finding.HarnessExcludes.Remedy), "  ")))
		}
	}
	if slices.ContainsFunc(r.Files, func(f inject.Injected) bool { return f.Lost > 0 && f.Reason != inject.Excluded }) {
		pr.printf("%s\n", pr.paint(yellow, "Lines are lost. `tend fit` proposes a split that loses nothing."))
	} else if !pr.quiet && !r.Loss() {
		pr.printf("%s\n", pr.paint(green, "Nothing is lost."))
	}
}

func unitName(u layout.Unit) string {
	switch u {
	case layout.UTF16:
		return "characters as JavaScript counts them (UTF-16 units)"
	case layout.Runes:
		return "characters"
	}
	return string(u)
}

func lengthOf(files []inject.File, name string) int {
	for _, f := range files {
		if f.Name == name {
			return len(f.Data)
		}
	}
	return 0
}

func limitText(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

// picture draws which parts of a file are shown, in 16 pieces.
func picture(f inject.Injected, length int) string {
	const width = 16
	if length == 0 || !f.Shown {
		return strings.Repeat(".", width)
	}
	var b strings.Builder
	for i := range width {
		from, to := i*length/width, max(i*length/width+1, (i+1)*length/width)
		kept := 0
		for _, r := range f.Kept {
			kept += max(0, min(to, r.To)-max(from, r.From))
		}
		switch {
		case kept == to-from:
			b.WriteByte('#')
		case kept > 0:
			b.WriteByte('+')
		default:
			b.WriteByte('.')
		}
	}
	return b.String()
}

func lostText(f inject.Injected) string {
	switch {
	case f.Reason == inject.Excluded:
		return "not loaded since " + f.Since.Local().Format(words.Minute)
	case f.Lost > 0 && len(f.Lines) > 0:
		why := ""
		if f.Starve {
			why = ", the total is used up"
		}
		return fmt.Sprintf("%d lost: lines %s%s", f.Lost, f.LostLines(), why)
	case f.Lost > 0:
		return fmt.Sprintf("%d lost", f.Lost)
	case f.Reason != inject.Whole:
		return string(f.Reason)
	case f.Near:
		return "near its limit"
	}
	return "whole"
}

func lostStyle(f inject.Injected) style {
	switch {
	case f.Lost > 0 || f.Reason == inject.Unreadable:
		return red
	case f.Near:
		return yellow
	}
	return green
}

// previewAll shows the same files through every harness.
func previewAll(pr *printer, o previewOptions, read func(layout.Layout) ([]inject.File, error)) error {
	var rows [][]cell
	var all []any
	loss := false
	for _, ref := range layout.Presets() {
		l, err := layout.Preset(ref)
		if err != nil {
			return err
		}
		files, err := read(l)
		if err != nil {
			return err
		}
		r := inject.Inject(l, files, o.inject)
		shown := slices.DeleteFunc(slices.Clone(r.Files), func(f inject.Injected) bool { return !f.Shown && f.Lost == 0 })
		if len(shown) == 0 {
			continue
		}
		all = append(all, previewJSON(r, o.context))
		lost, names := 0, []string{}
		for _, f := range r.Files {
			if f.Lost > 0 || f.Reason == inject.Unreadable {
				lost += f.Lost
				names = append(names, f.Name)
			}
		}
		loss = loss || r.Loss()
		st := green
		if r.Loss() {
			st = red
		}
		rows = append(rows, []cell{{r.Layout, bold}, {fmt.Sprint(len(shown)), ""}, {fmt.Sprint(r.Used), ""}, {limitText(r.Total), dim}, {fmt.Sprint(lost), st}, {strings.Join(names, ", "), st}})
	}
	return errors.Join(pr.emit(all, func() {
		pr.table([]string{"harness", "files", "injected", "limit", "lost", "cut"}, rows)
	}), oneIf(loss))
}

// previewed is a result together with Tend's own session context.
type previewed struct {
	inject.Result
	Loss    bool         `json:"loss"`
	Context *contextSize `json:"context,omitempty"`
}

func previewJSON(r inject.Result, c *contextSize) previewed {
	r.Files = orEmpty(r.Files)
	return previewed{r, r.Loss(), c}
}

func newFitCommand(a *app) *cobra.Command {
	var apply bool
	var w writeFlags
	var o inject.Options
	cmd := a.command("fit [AGENT]", func(ctx context.Context, args []string) error {
		return a.withAgent(ctx, first(args), fleet.Options{Write: apply && !w.dryRun}, func(ag *fleet.Agent) error {
			ao := w.options()
			ao.DryRun = ao.DryRun || !apply
			r, open, err := act.Fit(ctx, ag, o, ao)
			if err != nil {
				return err
			}
			if err := a.reportOne(r); err != nil {
				return err
			}
			for _, x := range open {
				a.warnf("%s: %s", x.Path, x.What)
			}
			return oneIf(len(open) > 0)
		})
	})
	w.add(cmd.Flags())
	cmd.Flags().BoolVar(&apply, "apply", false, "apply the plan, as one action that can be undone")
	cmd.Flags().IntVar(&o.FileLimit, "limit", 0, "limit for each file, instead of the harness's")
	cmd.Flags().IntVar(&o.TotalLimit, "total", 0, "limit for all files together, instead of the harness's")
	return cmd
}
