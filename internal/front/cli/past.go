package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/disk/vault"
	"tend/internal/engine/act"
	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/model/fault"
	"tend/internal/model/policy"
	"tend/internal/model/words"
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
		return a.readRecords(first(args), func(ag *fleet.Agent) error {
			all, err := past.Of(ag).List(ctx)
			if err != nil {
				return err
			}
			list := []past.Item{}
			for _, x := range all {
				if (file == "" || string(x.File) == file) && (limit == 0 || len(list) < limit) {
					list = append(list, x)
				}
			}
			return a.emit(list, func() { printKept(&a.printer, list, ag.Location) })
		})
	})
	cmd.Flags().StringVar(&file, "file", "", "only texts of this `FILE`")
	cmd.Flags().IntVarP(&limit, "limit", "l", 30, "at most this many, 0 for all")
	return cmd
}

func printKept(pr *printer, list []past.Item, loc *time.Location) {
	if len(list) == 0 {
		pr.nothing("Nothing is kept yet: no archives, no trash, no edits.")
		return
	}
	rows := make([][]cell, len(list))
	for i, x := range list {
		rows[i] = []cell{{x.At.In(loc).Format(words.Minute), ""}, {x.Kind, bold}, {policy.Size(x.Size), ""}, {string(x.File), ""}, {x.Ref, cyan}}
	}
	pr.table([]string{"time", "kind", "size", "file", "ref"}, rows)
}

func newPastShow(a *app) *cobra.Command {
	var agent string
	var raw bool
	cmd := a.command("show REF | ID", func(_ context.Context, args []string) error {
		err := a.inRecords(agent, fleet.Options{}, func(_ *fleet.Fleet, ag *fleet.Agent) (bool, error) {
			x, err := past.Of(ag).Open(args[0])
			if err != nil {
				return false, err
			}
			if !x.Whole {
				a.warnf("%s was changed after it was archived: its digest does not match", x.Name)
			}
			return true, a.emit(x, func() { printOpened(&a.printer, x, ag.Location, raw) })
		})
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, past.ErrUnknown) || errors.Is(err, ledger.ErrNoText) || errors.Is(err, ledger.ErrNoAction) {
			return fault.Usagef("`tend past list` shows what is kept", "no kept text is called %q", args[0])
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
		of = " of " + words.InLine(string(x.File))
	}
	pr.printf("%s\n\n", pr.paint(dim, fmt.Sprintf("%s%s, %s (%s)", x.Kind, of, x.At.In(loc).Format(time.DateTime), words.InLine(x.Name))))
	if x.Diff != "" {
		pr.diff(x.Diff + "\n")
		pr.printf("\n")
	}
	pr.printf("%s", words.Safe(x.Text))
}

func newArchivesCommand(a *app) *cobra.Command {
	return group("archives", newArchivesList(a), newArchivesShow(a), newArchivesSearch(a))
}

func newArchivesList(a *app) *cobra.Command {
	return a.command("list [AGENT]", func(_ context.Context, args []string) error {
		return a.readRecords(first(args), func(ag *fleet.Agent) error {
			list, err := ag.Ledger.Archive.List()
			if err != nil {
				return err
			}
			type row struct {
				Name   string `json:"name"`
				Action string `json:"action"`
				Time   string `json:"time"`
				Bytes  int64  `json:"bytes"`
			}
			rows := make([]row, len(list))
			cells := make([][]cell, len(list))
			for i, x := range list {
				rows[i] = row{x.Name, x.Action, x.At.Format(time.DateTime), x.Size}
				cells[i] = []cell{{x.Action, cyan}, {rows[i].Time, ""}, {policy.Size(x.Size), ""}, {x.Name, dim}}
			}
			return a.emit(rows, func() {
				if len(rows) == 0 {
					a.nothing("No archives.")
				}
				a.table([]string{"action", "time", "size", "file"}, cells)
			})
		})
	})
}

// newArchivesShow is the older name of `tend past show`.
func newArchivesShow(a *app) *cobra.Command {
	cmd := newPastShow(a)
	cmd.Use = "show ID | NAME"
	return cmd
}

func newArchivesSearch(a *app) *cobra.Command {
	var agent string
	cmd := a.command("search TEXT", func(_ context.Context, args []string) error {
		type hit struct {
			Agent   string `json:"agent"`
			Action  string `json:"action"`
			Archive string `json:"archive"`
			File    string `json:"file"`
			Line    int    `json:"line"`
			Text    string `json:"text"`
		}
		hits := []hit{}
		var missed []string
		err := a.inRecords(agent, fleet.Options{}, func(_ *fleet.Fleet, ag *fleet.Agent) (bool, error) {
			list, err := ag.Ledger.Archive.List()
			if err != nil {
				return false, err
			}
			for _, x := range list {
				full, err := ag.Ledger.Archive.Open(x.Name)
				if err != nil {
					missed = append(missed, x.Name)
					continue
				}
				n := 0
				for line := range strings.Lines(string(full.Text)) {
					if n++; strings.Contains(strings.ToLower(line), strings.ToLower(args[0])) {
						hits = append(hits, hit{ag.Name, full.Action, full.Name, string(full.File), n, line})
					}
				}
			}
			return false, nil
		})
		if err != nil {
			return err
		}
		return errors.Join(a.emit(map[string]any{"hits": hits, "not_searched": orEmpty(missed)}, func() {
			for _, h := range hits {
				a.printf("%s %s:%d: %s\n", a.paint(cyan, h.Action), words.InLine(h.Agent+"/"+h.File), h.Line, words.Safe(strings.TrimSpace(h.Text)))
			}
			for _, m := range missed {
				a.warnf("%s could not be searched", m)
			}
			if len(hits) == 0 {
				a.printf("Not in the archives.\n")
			}
		}), oneIf(len(hits) == 0))
	})
	a.agentFlag(cmd, &agent)
	cmd.Flags().Lookup("agent").Usage = "only this `AGENT` (default: all)"
	return cmd
}

func newTrashCommand(a *app) *cobra.Command {
	return group("trash", newTrashList(a), newTrashShow(a), newTrashRestore(a))
}

func newTrashList(a *app) *cobra.Command {
	return a.command("list [AGENT]", func(ctx context.Context, args []string) error {
		return a.readAgents(ctx, first(args), func(ag *fleet.Agent) error {
			list, err := past.Of(ag).Trash()
			if err != nil {
				return err
			}
			return a.emit(orEmpty(list), func() {
				if len(list) == 0 && !a.quiet {
					a.printf("The trash is empty.\n")
				}
				rows := make([][]cell, len(list))
				for i, t := range list {
					from := string(t.File)
					if t.Was != "" {
						from = "archive " + t.Was
					}
					rows[i] = []cell{{t.Name, cyan}, {t.At.Format(time.DateTime), ""}, {policy.Size(t.Size), ""}, {from, dim}}
				}
				a.table([]string{"name", "time", "size", "was"}, rows)
			})
		})
	})
}

func newTrashShow(a *app) *cobra.Command {
	return a.reader("show NAME | ID", a.readOne, func(_ context.Context, ag *fleet.Agent, args []string) error {
		t, text, err := past.Of(ag).FindTrashed(args[0])
		if err != nil {
			return err
		}
		return a.emit(struct {
			past.Trashed
			Text string `json:"text"`
		}{t, string(text)}, func() { a.printText(text) })
	})
}

func newTrashRestore(a *app) *cobra.Command {
	var to string
	cmd := a.writer("restore NAME | ID", func(ctx context.Context, ag *fleet.Agent, args []string, o act.Options) (r act.Result, err error) {
		var target vault.Path
		if to != "" {
			if target, err = vault.ParsePath(to); err != nil {
				return r, err
			}
		}
		return act.RestoreTrashed(ctx, ag, args[0], target, o)
	})
	cmd.Flags().StringVar(&to, "to", "", "write it to this `FILE` of the workspace instead")
	return cmd
}
