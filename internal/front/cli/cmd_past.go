package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/state/ledger"
)

// newPastCommand gives access to everything that is kept: archives, trash and history.
func newPastCommand(a *app) *cobra.Command {
	search := newSearchCommand(a)
	if f := search.Flags().Lookup("past"); f != nil {
		_ = f.Value.Set("true")
		f.DefValue, f.Hidden = "true", true
	}
	return group("past", newPastList(a), search, newPastShow(a))
}

func newPastList(a *app) *cobra.Command {
	var file string
	var limit int
	cmd := a.command("list [AGENT]", func(ctx context.Context, args []string) error {
		return a.readRecords(firstArg(args), func(ag *fleet.Agent) error {
			all, err := past.Open(ag).List(ctx)
			if err != nil {
				return err
			}
			list := []past.Item{}
			for _, x := range all {
				if (file == "" || string(x.File) == file) && (limit == 0 || len(list) < limit) {
					list = append(list, x)
				}
			}
			return a.emit(list, func() { printStored(&a.printer, list, ag.Location) })
		})
	})
	cmd.Flags().StringVar(&file, "file", "", "only texts of this `FILE`")
	cmd.Flags().IntVarP(&limit, "limit", "l", 30, "at most this many, 0 for all")
	return cmd
}

func printStored(pr *printer, list []past.Item, loc *time.Location) {
	if len(list) == 0 {
		pr.nothing("Nothing is kept yet: no archives, no trash, no edits.")
		return
	}
	rows := make([][]cell, len(list))
	for i, x := range list {
		rows[i] = []cell{{x.At.In(loc).Format(textfmt.Minute), ""}, {x.Kind, bold}, {policy.Size(x.Size), ""},
			{string(x.File), ""}, {x.Ref, cyan}}
	}
	pr.table([]string{"time", "kind", "size", "file", "ref"}, rows)
}

func newPastShow(a *app) *cobra.Command {
	var agent string
	var raw bool
	cmd := a.command("show REF | ID", func(_ context.Context, args []string) error {
		err := a.inRecords(agent, fleet.Options{}, func(_ *fleet.Fleet, ag *fleet.Agent) (bool, error) {
			x, err := past.Open(ag).Open(args[0])
			if err != nil {
				return false, err
			}
			if !x.Whole {
				a.warnf("%s was changed after it was archived: its digest does not match", x.Name)
			}
			return true, a.emit(x, func() { printOpened(&a.printer, x, ag.Location, raw) })
		})
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, past.ErrUnknown) || errors.Is(err, ledger.ErrNoText) ||
			errors.Is(err, ledger.ErrNoAction) {
			return usererr.Usagef("`tend past list` shows what is kept", "no kept text is called %q", args[0])
		}
		return err
	})
	cmd.ValidArgsFunction = a.actionIDs
	cmd.Flags().BoolVar(&raw, "raw", false, "only the text")
	a.agentFlag(cmd, &agent)
	return cmd
}

func printOpened(pr *printer, x past.Opened, loc *time.Location, raw bool) {
	if raw {
		pr.printText([]byte(x.Text))
		return
	}
	of := ""
	if x.File != "" {
		of = " of " + textfmt.InLine(string(x.File))
	}
	pr.printf("%s\n\n", pr.paint(dim, fmt.Sprintf("%s%s, %s (%s)", x.Kind, of, x.At.In(loc).Format(time.DateTime), textfmt.InLine(x.Name))))
	if x.Diff != "" {
		pr.diff(x.Diff + "\n")
		pr.printf("\n")
	}
	pr.printf("%s", textfmt.Safe(x.Text))
}
