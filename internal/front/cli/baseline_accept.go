package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/app/baseline"
	"tend/internal/disk/fsys"
	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/state/findinglog"
)

type acceptChange struct {
	writeFlags
	file string
	yes  bool
}

func newBaselineAccept(a *app) *cobra.Command {
	var o acceptChange
	cmd := a.command("accept [AGENT]", func(ctx context.Context, args []string) error {
		if err := a.person(o.yes || o.dryRun); err != nil {
			return err
		}
		name, err := a.changedAgent(ctx, firstArg(args))
		if err != nil {
			return err
		}
		return a.withAgent(ctx, name, fleet.Options{Write: !o.dryRun}, func(ag *fleet.Agent) error {
			return runAccept(ctx, a, ag, o)
		})
	})
	o.add(cmd.Flags())
	personFlag(cmd, &o.yes)
	cmd.Flags().StringVar(&o.file, "file", "", "the change of this `FILE`; may be left out if there is one, or at a terminal")
	return cmd
}

// changedAgent returns the agent that is meant without a name: of several the only one whose guarded files have a change.
func (a *app) changedAgent(ctx context.Context, name string) (string, error) {
	cfg, err := a.config()
	if err != nil || name != "" || len(cfg.Agents) <= 1 || agentHere(cfg) != "" {
		return name, err
	}
	var changed []string
	for _, name := range cfg.Names() {
		err := a.withAgent(ctx, name, fleet.Options{}, func(ag *fleet.Agent) error {
			edits, err := baseline.Edits(ctx, ag)
			if len(edits) > 0 {
				changed = append(changed, name)
			}
			return err
		})
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	switch len(changed) {
	case 0:
		return cfg.Names()[0], nil // it has nothing to accept either
	case 1:
		return changed[0], nil
	}
	return "", usererr.Usagef("name one of them", "guarded files of %s were changed", strings.Join(changed, ", "))
}

// acknowledge acknowledges findings, of which there may be none.
func acknowledge(state fsys.FS, agent string, ids []string, ack findinglog.Ack) ([]findinglog.Notice, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return findinglog.Acknowledge(state, agent, ids, ack)
}

// runAccept makes a changed text the baseline. At a terminal it shows each change and asks.
func runAccept(ctx context.Context, a *app, ag *fleet.Agent, o acceptChange) error {
	edits, err := baseline.Edits(ctx, ag)
	if err != nil {
		return err
	}
	edits = slices.DeleteFunc(edits, func(e baseline.Edit) bool { return o.file != "" && string(e.File) != o.file })
	switch {
	case len(edits) == 0:
		return a.emit([]baseline.Row{}, func() { a.printf("No guarded file has a change to accept.\n") })
	case !o.yes && !o.dryRun && !a.json:
		return askAccept(ctx, a, ag, edits)
	case len(edits) > 1:
		var names []string
		for _, e := range edits {
			names = append(names, string(e.File))
		}
		return usererr.Usagef("name one with --file; `--dry-run --file FILE` shows its change", "%s were changed", strings.Join(names, ", "))
	}
	e := edits[0]
	if o.dryRun {
		return a.emit([]baseline.Change{{Agent: ag.Name, File: e.File, SHA256: e.Version, State: "would be accepted", Diff: e.Diff()}},
			func() { a.diff(e.Diff()) })
	}
	row, put, err := accept(ctx, a, ag, e)
	return errors.Join(err, a.emit([]baseline.Row{row}, func() {
		a.diff(e.Diff())
		printAccepted(a, row, put)
	}))
}

// askAccept shows each change and accepts those that the person confirms.
func askAccept(ctx context.Context, a *app, ag *fleet.Agent, edits []baseline.Edit) error {
	lines := bufio.NewReader(a.in)
	for _, e := range edits {
		a.diff(e.Diff())
		answer, err := a.ask(ctx, lines, "\nMake this your text of "+textfmt.InLine(string(e.File))+"? [y/N] ")
		if err != nil {
			return err
		}
		if !isYes(answer) {
			a.printf("Not accepted.\n")
			continue
		}
		row, put, err := accept(ctx, a, ag, e)
		if err != nil {
			return err
		}
		printAccepted(a, row, put)
	}
	return nil
}

func isYes(answer string) bool {
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
}

func printAccepted(a *app, row baseline.Row, put runner.Result) {
	printApproved(&a.printer, []baseline.Row{row})
	if put.Action != "" && !a.quiet {
		a.printf("%s: %s  (%s)\n", put.Agent, put.Summary, put.Action)
	}
}

// accept makes a change the baseline. Where the guard has restored the file, the change is put back.
func accept(ctx context.Context, a *app, ag *fleet.Agent, e baseline.Edit) (row baseline.Row, put runner.Result, err error) {
	err = ag.WithLock(ctx, func() error {
		set, err := baseline.Open(ag)
		if err == nil {
			row, err = set.Accept(e, baseline.ApproveRequest{By: baseline.OperatorName()})
		}
		return err
	})
	if err != nil {
		return row, put, err
	}
	put, err = runner.CarryBaselines(ctx, ag, runner.Options{Who: who(), Reason: "the change was accepted"})
	return row, put, errors.Join(err, a.withState(func(state fsys.FS) error {
		book, err := findinglog.Read(state, ag.Name)
		if err == nil {
			ack := findinglog.Ack{By: who(), At: a.now().UTC(), Why: "accepted"}
			_, err = acknowledge(state, ag.Name, baseline.Answered(book.List(), e.File), ack)
		}
		return err
	}))
}
