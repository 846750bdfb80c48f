package cli

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/fleet"
	"tend/internal/policy"
	"tend/internal/words"
)

func newArchivesCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use: "archives", Short: "Read back what was archived",
		Example: `  tend archives list reviewer
  tend archives show c4v8k2m9ft
  tend archives search "port 8443"`,
	}, newArchivesList(a), newArchivesShow(a), newArchivesSearch(a))
}

func newArchivesList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list [AGENT]", Short: "List an agent's archives, newest first", Example: "  tend archives list reviewer",
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.agentNames,
		RunE: func(_ *cobra.Command, args []string) error {
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
		},
	}
}

// newArchivesShow is the older name of `tend past show`.
func newArchivesShow(a *app) *cobra.Command {
	cmd := newPastShow(a)
	cmd.Use, cmd.Short, cmd.Example = "show ID | NAME", "Show an archive", "  tend archives show c4v8k2m9ft --raw > notes.md"
	cmd.Long = "Show an archive by its action's id or its file name; --raw prints the archived text alone, to the byte."
	return cmd
}

// inArchives tries the named agent, or all in turn until one has it.
func (a *app) inArchives(agent string, try func(*fleet.Agent) (bool, error)) error {
	return a.withFleet(fleet.Options{}, func(f *fleet.Fleet) error {
		names := f.Config.Names()
		if agent != "" {
			names = []string{agent}
		}
		var last error
		for _, name := range names {
			ag, err := f.Records(name)
			if err != nil {
				return err
			}
			done, err := try(ag)
			if done {
				return err
			}
			if err != nil {
				last = err
			}
		}
		return last
	})
}

func newArchivesSearch(a *app) *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use: "search TEXT", Short: "Find a text in the archives",
		Example: `  tend archives search "port 8443"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
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
			err := a.inArchives(agent, func(ag *fleet.Agent) (bool, error) {
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
		},
	}
	a.agentFlag(cmd, &agent)
	cmd.Flags().Lookup("agent").Usage = "only this `AGENT` (default: all)"
	return cmd
}
