package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/app/baseline"
	"tend/internal/disk/fsys"
	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/model/usererr"
	"tend/internal/state/findinglog"
)

func newBaselineAccept(a *app) *cobra.Command {
	var file string
	var w writeFlags
	var yes bool
	cmd := a.command("accept [AGENT]", func(ctx context.Context, args []string) error {
		if err := a.person(yes || w.dryRun); err != nil {
			return err
		}
		return a.withAgent(ctx, first(args), fleet.Options{Write: !w.dryRun}, func(ag *fleet.Agent) error {
			return runAccept(ctx, a, ag, file, w)
		})
	})
	w.add(cmd.Flags())
	personFlag(cmd, &yes)
	cmd.Flags().StringVar(&file, "file", "", "the change of this `FILE`; may be left out if there is one")
	return cmd
}

// acknowledge acknowledges findings, of which there may be none.
func acknowledge(state fsys.FS, agent string, ids []string, ack findinglog.Ack) ([]findinglog.Notice, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return findinglog.Acknowledge(state, agent, ids, ack)
}

// runAccept makes a changed text the baseline. Where the guard has restored the file, the change is put back.
func runAccept(ctx context.Context, a *app, ag *fleet.Agent, file string, w writeFlags) error {
	edits, err := baseline.Edits(ctx, ag)
	if err != nil {
		return err
	}
	edits = slices.DeleteFunc(edits, func(e baseline.Edit) bool { return file != "" && string(e.File) != file })
	switch {
	case len(edits) == 0:
		return a.emit([]baseline.Row{}, func() { a.printf("No guarded file has a change to accept.\n") })
	case len(edits) > 1:
		var names []string
		for _, e := range edits {
			names = append(names, string(e.File))
		}
		return usererr.Usagef("name one with --file; `--dry-run --file FILE` shows its change", "%s were changed", strings.Join(names, ", "))
	}
	e := edits[0]
	if w.dryRun {
		return a.emit([]baseline.Change{{Agent: ag.Name, File: e.File, SHA256: e.Version, State: "would be accepted", Diff: e.Diff()}},
			func() { a.diff(e.Diff()) })
	}
	var row baseline.Row
	err = ag.WithLock(ctx, func() error {
		set, err := baseline.Open(ag)
		if err == nil {
			row, err = set.Accept(e, baseline.ApproveRequest{By: baseline.OperatorName()})
		}
		return err
	})
	if err != nil {
		return err
	}
	put, err := runner.CarryBaselines(ctx, ag, runner.Options{Who: who(), Reason: "the change was accepted"})
	err = errors.Join(err, a.withState(func(state fsys.FS) error {
		book, err := findinglog.Read(state, ag.Name)
		if err == nil {
			ack := findinglog.Ack{By: who(), At: a.now().UTC(), Why: "accepted"}
			_, err = acknowledge(state, ag.Name, baseline.Answered(book.List(), e.File), ack)
		}
		return err
	}))
	return errors.Join(err, a.emit([]baseline.Row{row}, func() {
		a.diff(e.Diff())
		printApproved(&a.printer, []baseline.Row{row})
		if put.Action != "" && !a.quiet {
			a.printf("%s: %s  (%s)\n", ag.Name, put.Summary, put.Action)
		}
	}))
}
