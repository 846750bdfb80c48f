package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/disk/fsys"
	"tend/internal/front/keeper"
	"tend/internal/model/finding"
	"tend/internal/model/usererr"
	"tend/internal/state/findinglog"
)

func newFindingsCommand(a *app) *cobra.Command {
	var all bool
	cmd := a.command("findings [AGENT…]", func(_ context.Context, args []string) error { return listFindings(a, args, all) })
	cmd.Flags().BoolVar(&all, "all", false, "include acknowledged ones")
	cmd.AddCommand(newFindingsAck(a))
	return cmd
}

// booksOf returns the agents whose findings are requested, and the keeper itself.
func booksOf(a *app, args []string) ([]string, error) {
	if len(args) > 0 {
		return a.chosen(args, false)
	}
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	return append([]string{findinglog.NoAgent}, cfg.Names()...), nil
}

func readFindings(a *app, names []string) ([]findinglog.Notice, error) {
	list := []findinglog.Notice{}
	err := a.readState(func(state fsys.FS) error {
		for _, name := range names {
			b, err := findinglog.Read(state, name)
			if err != nil {
				return err
			}
			list = append(list, b.List()...)
		}
		return nil
	})
	slices.SortStableFunc(list, func(x, y findinglog.Notice) int { return int(y.Severity) - int(x.Severity) })
	return list, err
}

func listFindings(a *app, args []string, all bool) error {
	names, err := booksOf(a, args)
	if err != nil {
		return err
	}
	list, err := readFindings(a, names)
	if err != nil {
		return err
	}
	if !all {
		list = slices.DeleteFunc(list, func(n findinglog.Notice) bool { return n.Ack != nil })
	}
	open := slices.ContainsFunc(list, func(n findinglog.Notice) bool { return n.Ack == nil && n.Severity >= finding.Warning })
	return errors.Join(a.emit(orEmpty(list), func() { printNotices(a, list, a.now()) }), oneIf(open))
}

func printNotices(a *app, list []findinglog.Notice, now time.Time) {
	if len(list) == 0 {
		a.nothing(noFindings(a))
	}
	var rows [][]cell
	for _, n := range list {
		where := n.Agent
		if n.File != "" {
			where += "/" + n.File
		}
		seen := ""
		if n.Ack != nil {
			seen = "by " + n.Ack.By
		}
		rows = append(rows, []cell{
			{n.ID, bold}, {n.Severity.String(), severityStyle(n.Severity)}, {ago(now, n.First), ""}, {ago(now, n.Last), dim},
			{fmt.Sprintf("%d", n.Times), dim}, {orNone(seen), ""}, {where + " [" + n.Code + "] " + n.Text, ""},
		})
	}
	a.table([]string{"id", "severity", "first", "last", "times", "acknowledged", "finding"}, rows)
}

// noFindings says whether there is nothing to report or no keeper has run.
func noFindings(a *app) string {
	life := keeper.Heartbeat{State: keeper.Never}
	if state, err := fsys.PrivateDir(a.cfg.StateDir); err == nil {
		life = keeper.ReadHeartbeat(state)
		_ = state.Close()
	}
	if life.State == keeper.Never {
		return "No keeper has looked yet: `tend up` runs one, `tend status` and `tend check` look now."
	}
	return "The keeper found nothing that needs attention."
}

func newFindingsAck(a *app) *cobra.Command {
	var all bool
	var why string
	cmd := a.command("ack ID…", func(_ context.Context, args []string) error {
		if all == (len(args) > 0) {
			return usererr.Usagef("name findings by id, or use --all", "which findings?")
		}
		names, err := booksOf(a, nil)
		if err != nil {
			return err
		}
		done := []findinglog.Notice{}
		err = a.withState(func(state fsys.FS) error {
			for _, name := range names {
				some, err := findinglog.Acknowledge(state, name, args, findinglog.Ack{By: who(), At: a.now().UTC(), Why: why})
				if err != nil {
					return err
				}
				done = append(done, some...)
			}
			return nil
		})
		switch {
		case err != nil:
			return err
		case len(done) == 0 && !all:
			return usererr.Usagef("`tend findings` lists them", "no such finding")
		}
		return a.emit(done, func() {
			if !a.quiet {
				a.printf("%s acknowledged.\n", count(len(done), "finding"))
			}
		})
	})
	cmd.Args = nil // --all names none
	cmd.Flags().BoolVar(&all, "all", false, "all open findings")
	cmd.Flags().StringVar(&why, "reason", "", "why, for the record")
	return cmd
}
