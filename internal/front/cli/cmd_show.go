package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/model/textfmt"
	"tend/internal/state/ledger"
)

func newShowCommand(a *app) *cobra.Command {
	var agent string
	cmd := a.command("show ID | FILE@ID | FILE@DATE | CHANGE", func(ctx context.Context, args []string) error {
		if isRewrite(args[0]) {
			return showRewrite(ctx, a, agent, args[0])
		}
		file, at, isFile := cutMoment(args[0])
		if !isFile {
			return onAction(ctx, a, agent, args[0], fleet.Options{},
				func(ag *fleet.Agent, act ledger.Action) error { return showAction(&a.printer, ag, act) })
		}
		return withFileAt(ctx, a, agent, file, at, func(_ *fleet.Agent, text []byte, when string) error {
			if text == nil {
				return notThere(file, at)
			}
			return a.emit(map[string]any{"file": file, "at": when, "version": vault.VersionOf(text), "text": string(text)}, func() {
				a.printText(text)
			})
		})
	})
	cmd.ValidArgsFunction = a.actionIDs
	a.agentFlag(cmd, &agent)
	return cmd
}

func showAction(pr *printer, ag *fleet.Agent, act ledger.Action) error {
	return pr.emit(jsonOf(act), func() {
		field := func(k, v string) {
			if v != "" {
				pr.printf("%s %s\n", pr.paint(dim, fmt.Sprintf("%-9s", k)), textfmt.Safe(v))
			}
		}
		pr.printf("%s %s\n", pr.paint(dim, fmt.Sprintf("%-9s", "action")), pr.paint(cyan, act.ID))
		field("agent", ag.Name)
		field("time", act.At.In(ag.Location).Format(time.RFC3339))
		field("job", act.Job)
		field("who", act.Who)
		field("reason", act.Reason)
		field("summary", act.Summary)
		field("outcome", string(act.Outcome))
		field("undoes", act.Undoes)
		for _, n := range act.Archives {
			field("archive", n)
		}
		for i, f := range act.Files {
			field("file", fmt.Sprintf("%s  %s → %s  %s", textfmt.InLine(string(f.Path)), orNone(f.Before.Short()), orNone(f.After.Short()), f.Why))
			if f.Skipped {
				field("", "skipped: it had changed in the meantime")
				continue
			}
			before, after, err := past.Open(ag).Texts(act, i)
			if err != nil {
				field("", err.Error())
				continue
			}
			pr.diff(udiff.Unified("a/"+string(f.Path), "b/"+string(f.Path), string(before), string(after)))
		}
	})
}

func orNone(s string) string { return cmp.Or(s, "(none)") }

// showRewrite shows what a change lost, by section, with what took its place.
func showRewrite(ctx context.Context, a *app, agent, ref string) error {
	return a.withRewrite(ctx, agent, ref, func(ag *fleet.Agent, r fleet.Rewrite) error {
		return a.emit(r.Loss(), func() { printRewrite(&a.printer, ag, r) })
	})
}

func printRewrite(pr *printer, ag *fleet.Agent, r fleet.Rewrite) {
	v, by := r.Verdict, ""
	if r.By != "" {
		by = " by " + r.By
	}
	when := r.At.In(ag.Location).Format(textfmt.Minute)
	pr.printf("%s\n", pr.paint(bold, fmt.Sprintf("%s, changed %s%s", textfmt.InLine(string(r.File)), when, by)))
	pr.printf("%s\n", v)
	loss := r.Loss()
	restore := fmt.Sprintf("`tend restore --lost %s` brings it back, sections that are gone whole;\n"+
		"with --section HEADING or --lines 4-9,12 a part of it.\n`tend undo %[1]s` restores the file as it was.", r.Ref)
	if len(loss.Sections) >= manySections {
		pr.printf("%s\n\n", pr.paint(dim, restore))
		printOverview(pr, loss)
	}
	for _, s := range loss.Sections {
		title := sectionTitle(loss, s)
		if s.Gone {
			title += " (the section is gone)"
		}
		pr.printf("\n%s\n", pr.paint(bold, title))
		printLines(pr, s.Lost, red, "-")
		printLines(pr, s.Now, green, "+")
	}
	if len(loss.Changed) > 0 {
		pr.printf("\n%s\n", pr.paint(bold, "In other words now"))
	}
	for _, c := range loss.Changed {
		printLines(pr, []fleet.LostLine{c.Before}, red, "-")
		printLines(pr, []fleet.LostLine{c.After}, green, "+")
	}
	if len(loss.LetIn) > 0 {
		pr.printf("\n%s\n", pr.paint(bold, "Came in with it"))
	}
	for _, what := range loss.LetIn {
		pr.printf("  %s\n", textfmt.InLine(what))
	}
	if len(v.Lost) > 0 {
		pr.printf("\n%s\n", pr.paint(dim, restore))
	}
}

// manySections is how many sections call for a list of them: nobody reads some hundred lines first.
const manySections = 4

// printOverview lists the sections that lost lines.
func printOverview(pr *printer, loss fleet.Loss) {
	var rows [][]cell
	for _, g := range loss.Groups() {
		title := sectionTitle(loss, g.Sections[0])
		switch n := len(g.Sections); {
		case n > 1:
			title = fmt.Sprintf("%s (%d sections)", textfmt.Safe(g.Title), n)
		case g.Sections[0].Gone:
			title += " (gone)"
		}
		rows = append(rows, []cell{{fmt.Sprintf("%5d", g.Lines), ""}, {fmt.Sprintf("%7d", g.Nowhere), red}, {title, ""}})
	}
	pr.table([]string{"lines", "nowhere", "section"}, rows)
}

func sectionTitle(loss fleet.Loss, s fleet.LostSection) string {
	title := strings.Join(loss.Titles(s), " › ")
	if title == "" {
		title = "before the first heading"
	}
	return textfmt.Safe(title)
}

func printLines(pr *printer, lines []fleet.LostLine, colour style, sign string) {
	for _, l := range lines {
		pr.printf("%s\n", pr.paint(colour, fmt.Sprintf("%s%5d  %s", sign, l.Number, textfmt.Safe(l.Text))))
		if l.Perhaps != "" {
			pr.printf("%s\n", pr.paint(dim, "        similar: see "+textfmt.InLine(l.Perhaps)))
		}
	}
}
