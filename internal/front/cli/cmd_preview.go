package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/app/connect"
	"tend/internal/app/setup"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
)

type previewOptions struct {
	as, workspace, print string
	session              string // a kind of session, or the id of one
	all                  bool
	context              *contextSize // of a configured agent
	inject               loadview.Options
}

func newPreviewCommand(a *app) *cobra.Command {
	var o previewOptions
	cmd := a.command("preview [AGENT]", func(ctx context.Context, args []string) error {
		return runPreview(ctx, a, o, firstArg(args))
	})
	f := cmd.Flags()
	f.StringVar(&o.as, "as", "", "as this `LAYOUT@VERSION` would show it (default: the agent's)")
	f.StringVar(&o.workspace, "workspace", "", "a folder that need not be configured")
	f.StringVar(&o.print, "print", "", "print only the text injected for this `FILE`")
	f.BoolVar(&o.all, "all", false, "compare all harnesses")
	f.IntVar(&o.inject.FileLimit, "limit", 0, "limit for each file, instead of the harness's")
	f.IntVar(&o.inject.TotalLimit, "total", 0, "limit for all files together, instead of the harness's")
	f.IntVar(&o.inject.Window, "window", 0, "the model's context window in `TOKENS`, where limits depend on it")
	f.StringVar(&o.session, "session", "", "kind of session (subagent, cron, group, channel), or the `ID` of a past one; last is the newest")
	_ = cmd.RegisterFlagCompletionFunc("as", layoutNames)
	return cmd
}

func runPreview(ctx context.Context, a *app, o previewOptions, agent string) error {
	if slices.Contains([]string{"", "subagent", "cron", "group", "channel"}, o.session) {
		o.inject.Session = o.session
	} else if o.as != "" || o.workspace != "" || o.print != "" || o.all {
		return usererr.Usagef("leave out --as, --workspace, --print and --all", "--session %s shows a session that was", o.session)
	} else {
		return a.readAgents(ctx, agent, func(ag *fleet.Agent) error { return previewSession(ctx, &a.printer, ag, o.session) })
	}
	found, err := o.folder(a, &agent)
	if err != nil {
		return err
	}
	if o.workspace != "" && !found {
		root, err := filepath.Abs(o.workspace)
		if err != nil {
			return err
		}
		if st, err := os.Stat(root); err != nil || !st.IsDir() {
			return usererr.Usagef("name a folder", "%s", o.workspace+" is not a folder")
		}
		o.inject.Root = root
		return showPreview(&a.printer, o, layout.Layout{}, func(l layout.Layout) ([]loadview.File, error) {
			return fleet.ShownIn(root, l)
		})
	}
	return a.readAgents(ctx, agent, func(ag *fleet.Agent) error {
		o.inject.Root = ag.Workspace.Path
		if o.as == "" && o.print == "" && !o.all && !found {
			gets, err := a.connected(ag.Name)
			if err == nil && (gets || a.json) {
				o.context, err = contextOfAgent(ctx, ag)
			}
			if err != nil {
				return err
			}
		}
		return showPreview(&a.printer, o, ag.Layout, func(l layout.Layout) ([]loadview.File, error) {
			files, _, err := ag.Files.Shown(ctx, l)
			return files, err
		})
	})
}

// folder looks in a folder that is not configured: the one that is named, else the current one if there is no configuration. It
// reports whether the agents are the workspaces found there.
func (o *previewOptions) folder(a *app, agent *string) (found bool, err error) {
	cfg, err := a.config()
	if err != nil && !errors.Is(err, config.ErrNotFound) {
		return false, err
	}
	if o.workspace == "" && cfg == nil {
		o.workspace, *agent = cmp.Or(*agent, "."), ""
	}
	if o.workspace == "" || o.as != "" || o.all {
		return false, nil
	}
	a.cfg, _, err = setup.Unconfigured([]string{o.workspace}, "")
	return true, err
}

// connected reports whether an agent's harness was connected, so that its sessions get the context of Tend.
func (a *app) connected(agent string) (bool, error) {
	list, err := connect.Records(a.cfg.StateDir)
	return slices.ContainsFunc(list, func(r connect.Record) bool { return r.Agent == agent }), err
}

func showPreview(pr *printer, o previewOptions, l layout.Layout, read func(layout.Layout) ([]loadview.File, error)) error {
	if o.all {
		return previewAll(pr, o, read)
	}
	if o.as != "" {
		var err error
		if l, err = layout.Preset(o.as); err != nil {
			return usererr.Usage(err)
		}
	}
	files, err := read(l)
	if err != nil {
		return err
	}
	r := loadview.Inject(l, files, o.inject)
	if o.print != "" {
		f, ok := r.File(o.print)
		if !ok {
			return usererr.Usagef("`tend preview` lists those it does", "%s does not load %s", r.Layout, o.print)
		}
		value := map[string]any{"layout": r.Layout, "file": f.Name, "shown": f.Shown, "lost": f.Lost, "text": f.Text}
		return errors.Join(pr.emit(value, func() {
			if f.Shown {
				pr.printText([]byte(f.Text))
			}
		}), oneIf(f.Lost > 0 || f.Reason == loadview.Unreadable))
	}
	return errors.Join(pr.emit(previewJSON(r, o.context), func() {
		printPreview(pr, r, files)
		if o.context != nil && !pr.quiet {
			pr.printf("\n")
			printContextSize(pr, o.context)
		}
	}), oneIf(r.Loss()))
}

func printPreview(pr *printer, r loadview.Result, files []loadview.File) {
	var rows [][]cell
	for _, f := range r.Files {
		if f.Reason == loadview.NotThere && !f.Shown || f.Reason == loadview.OtherKind || f.Reason == loadview.Done ||
			f.Reason == loadview.Replaced {
			continue
		}
		rows = append(rows, []cell{
			{f.Name, bold}, {fmt.Sprint(f.Raw), ""}, {fmt.Sprint(f.Size), ""}, {limitText(f.Limit), dim},
			{picture(f, lengthOf(files, f.Name)), lostStyle(f)}, {lostText(f), lostStyle(f)},
		})
	}
	pr.printf("%s\n\n", pr.wrapped(fmt.Sprintf("What %s shows the model, in %s:", r.Layout, unitName(r.Unit)), "  "))
	pr.table([]string{"file", "raw", "injected", "limit", "# kept . lost", ""}, rows)
	if r.Total > 0 {
		pr.printf("\ntotal: %d of %d used\n", r.Used, r.Total)
	}
	unasked := false
	for _, f := range r.Files {
		if f.Reason == loadview.NotImported {
			unasked = true
			text := fmt.Sprintf("%s is not loaded: a line %s in the rules loads it.", f.Name, f.Import)
			pr.printf("%s\n", pr.paint(yellow, pr.wrapped(text, "  ")))
		}
		if f.Reason == loadview.Excluded {
			pr.printf("%s\n", pr.paint(red,
				pr.wrapped(fmt.Sprintf("OpenClaw has not loaded %s since %s: %s.", f.Name, f.Since.Local().Format(textfmt.Minute),
					finding.HarnessExcludes.Remedy), "  ")))
		}
	}
	if slices.ContainsFunc(r.Files, func(f loadview.Injected) bool { return f.Lost > 0 && f.Reason != loadview.Excluded }) {
		pr.printf("%s\n", pr.paint(yellow, "Lines are lost. `tend fit` proposes a split that loses nothing."))
	} else if !pr.quiet && !r.Loss() && !unasked {
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

func lengthOf(files []loadview.File, name string) int {
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
func picture(f loadview.Injected, length int) string {
	const width = 16
	if length == 0 || !f.Shown {
		return strings.Repeat(".", width)
	}
	var b strings.Builder
	for i := range width {
		from, to := i*length/width, max(i*length/width+1, (i+1)*length/width)
		kept := 0
		for _, r := range f.Intact {
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

func lostText(f loadview.Injected) string {
	switch {
	case f.Reason == loadview.Excluded:
		return "not loaded since " + f.Since.Local().Format(textfmt.Minute)
	case f.Lost > 0 && len(f.Lines) > 0:
		why := ""
		if f.Starve {
			why = ", the total is used up"
		}
		return fmt.Sprintf("%d lost: lines %s%s", f.Lost, f.LostLines(), why)
	case f.Lost > 0:
		return fmt.Sprintf("%d lost", f.Lost)
	case f.Reason != loadview.Whole:
		return string(f.Reason)
	case f.Near:
		return "near its limit"
	}
	return "whole"
}

func lostStyle(f loadview.Injected) style {
	switch {
	case f.Lost > 0 || f.Reason == loadview.Unreadable:
		return red
	case f.Near:
		return yellow
	}
	return green
}

// previewAll shows the same files through every harness.
func previewAll(pr *printer, o previewOptions, read func(layout.Layout) ([]loadview.File, error)) error {
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
		r := loadview.Inject(l, files, o.inject)
		shown := slices.DeleteFunc(slices.Clone(r.Files), func(f loadview.Injected) bool { return !f.Shown && f.Lost == 0 })
		if len(shown) == 0 {
			continue
		}
		all = append(all, previewJSON(r, o.context))
		lost, names := 0, []string{}
		for _, f := range r.Files {
			if f.Lost > 0 || f.Reason == loadview.Unreadable {
				lost += f.Lost
				names = append(names, f.Name)
			}
		}
		loss = loss || r.Loss()
		st := green
		if r.Loss() {
			st = red
		}
		rows = append(rows, []cell{{r.Layout, bold}, {fmt.Sprint(len(shown)), ""}, {fmt.Sprint(r.Used), ""}, {limitText(r.Total), dim},
			{fmt.Sprint(lost), st}, {strings.Join(names, ", "), st}})
	}
	return errors.Join(pr.emit(all, func() {
		pr.table([]string{"harness", "files", "injected", "limit", "lost", "cut"}, rows)
	}), oneIf(loss))
}

// previewed is a result together with Tend's own session context.
type previewed struct {
	loadview.Result
	Loss    bool         `json:"loss"`
	Context *contextSize `json:"context,omitempty"`
}

func previewJSON(r loadview.Result, c *contextSize) previewed {
	r.Files = orEmpty(r.Files)
	return previewed{r, r.Loss(), c}
}
