package cli

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/fault"
	"tend/internal/finding"
	"tend/internal/fsys"
	"tend/internal/keeper"
	"tend/internal/notice"
)

func newFindingsCommand(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:               "findings [AGENT…]",
		ValidArgsFunction: a.agentNames,
		RunE:              func(_ *cobra.Command, args []string) error { return listFindings(a, args, all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "acknowledged ones too")
	cmd.AddCommand(newFindingsAck(a))
	return cmd
}

// booksOf are the agents whose findings are asked for, the house included.
func booksOf(a *app, args []string) ([]string, error) {
	if len(args) > 0 {
		return a.chosen(args, false)
	}
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	return append([]string{notice.House}, cfg.Names()...), nil
}

func readFindings(a *app, names []string) ([]notice.Notice, error) {
	list := []notice.Notice{}
	err := a.readState(func(state fsys.FS) error {
		for _, name := range names {
			b, err := notice.Read(state, name)
			if err != nil {
				return err
			}
			list = append(list, b.List()...)
		}
		return nil
	})
	slices.SortStableFunc(list, func(x, y notice.Notice) int { return int(y.Severity) - int(x.Severity) })
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
		list = slices.DeleteFunc(list, func(n notice.Notice) bool { return n.Ack != nil })
	}
	open := slices.ContainsFunc(list, func(n notice.Notice) bool { return n.Ack == nil && n.Severity >= finding.Warning })
	return errors.Join(a.emit(orEmpty(list), func() { printNotices(a, list, a.now()) }), oneIf(open))
}

func printNotices(a *app, list []notice.Notice, now time.Time) {
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

// noFindings does not let silence pass for good news where nobody has looked.
func noFindings(a *app) string {
	life := keeper.Heartbeat{State: keeper.Never}
	if state, err := fsys.Dir(a.cfg.StateDir); err == nil {
		life = keeper.ReadHeartbeat(state)
		_ = state.Close()
	}
	if life.State == keeper.Never {
		return "No keeper has looked yet: `tend up` runs one, `tend status` and `tend audit` look now."
	}
	return "The keeper found nothing that needs attention."
}

func newFindingsAck(a *app) *cobra.Command {
	var all bool
	var why string
	cmd := &cobra.Command{
		Use: "ack ID…", RunE: func(_ *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return fault.Usagef("name findings by id, or say --all", "which findings?")
			}
			names, err := booksOf(a, nil)
			if err != nil {
				return err
			}
			done := []notice.Notice{}
			err = a.withState(func(state fsys.FS) error {
				for _, name := range names {
					some, err := notice.Acknowledge(state, name, args, notice.Ack{By: who(), At: a.now().UTC(), Why: why})
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
				return fault.Usagef("`tend findings` lists them", "no such finding")
			}
			return a.emit(done, func() {
				if !a.quiet {
					a.printf("%s acknowledged.\n", count(len(done), "finding"))
				}
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all that are open")
	cmd.Flags().StringVar(&why, "reason", "", "why, for the record")
	return cmd
}
