package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tend/internal/engine/act"
	"tend/internal/engine/fleet"
	"tend/internal/model/fault"
	"tend/internal/model/words"
)

// isRewrite reports whether an argument names a change that Tend did not make, such as MEMORY.md@seen-1794000000.
func isRewrite(arg string) bool {
	_, at, ok := cutMoment(arg)
	return ok && (at == "now" || strings.HasPrefix(at, "seen-"))
}

// showRewrite shows what a change lost, by section, with what took its place.
func showRewrite(ctx context.Context, a *app, agent, ref string) error {
	return a.withRewrite(ctx, agent, ref, func(ag *fleet.Agent, r fleet.Rewrite) error {
		return a.emit(r.Loss(), func() { printRewrite(&a.printer, ag, r) })
	})
}

// withRewrite finds a change of the agent, or of the only agent that has one of this name.
func (a *app) withRewrite(ctx context.Context, agent, ref string, run func(*fleet.Agent, fleet.Rewrite) error) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	names := []string{agent}
	if agent == "" {
		names = cfg.Names()
	}
	for _, name := range names {
		found := false
		err := a.withAgent(ctx, name, fleet.Options{}, func(ag *fleet.Agent) error {
			in, err := ag.Input(ctx)
			if err != nil {
				return err
			}
			r, err := ag.Rewrite(in, ref)
			if err != nil {
				return err
			}
			found = true
			return run(ag, r)
		})
		if found || !errors.Is(err, fleet.ErrNoRewrite) {
			return err
		}
	}
	return fault.Usagef("`tend log` lists the changes", "no change of a memory file is called %q", ref)
}

func printRewrite(pr *printer, ag *fleet.Agent, r fleet.Rewrite) {
	v, by := r.Verdict, ""
	if r.By != "" {
		by = " by " + r.By
	}
	when := r.At.In(ag.Location).Format(words.Minute)
	pr.printf("%s\n", pr.paint(bold, fmt.Sprintf("%s, changed %s%s", words.InLine(string(r.File)), when, by)))
	pr.printf("%s\n", v)
	for _, s := range r.Loss().Sections {
		title := strings.Join(s.Path, " › ")
		if title == "" {
			title = "before the first heading"
		}
		if s.Gone {
			title += " (the section is gone)"
		}
		pr.printf("\n%s\n", pr.paint(bold, words.Safe(title)))
		printLines(pr, s.Lost, red, "-")
		printLines(pr, s.Now, green, "+")
	}
	if len(v.Lost) > 0 {
		hint := fmt.Sprintf("`tend restore --lost %s` brings all of it back; --section HEADING or --lines 4-9,12 a part of it", r.Ref)
		pr.printf("\n%s\n", pr.paint(dim, hint))
	}
}

func printLines(pr *printer, lines []fleet.LostLine, colour style, sign string) {
	for _, l := range lines {
		pr.printf("%s\n", pr.paint(colour, fmt.Sprintf("%s%5d  %s", sign, l.Number, words.Safe(l.Text))))
	}
}

// runRestoreLost puts back what a change lost.
func runRestoreLost(ctx context.Context, a *app, o restoreOptions) error {
	var name string
	err := a.withRewrite(ctx, o.agent, o.lost, func(ag *fleet.Agent, _ fleet.Rewrite) error { name = ag.Name; return nil })
	if err != nil {
		return err
	}
	return a.change(ctx, name, o.writeFlags, func(ag *fleet.Agent, ao act.Options) (act.Result, error) {
		return act.RestoreLost(ctx, ag, o.lost, act.Choice{Section: o.wanted.Section, Lines: o.lines}, ao)
	})
}

// runTakeBack undoes a change that Tend did not make.
func runTakeBack(ctx context.Context, a *app, agent, ref string, w writeFlags) error {
	var name string
	err := a.withRewrite(ctx, agent, ref, func(ag *fleet.Agent, _ fleet.Rewrite) error { name = ag.Name; return nil })
	if err != nil {
		return err
	}
	return a.change(ctx, name, w, func(ag *fleet.Agent, ao act.Options) (act.Result, error) { return act.TakeBack(ctx, ag, ref, ao) })
}
