package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/ledger"
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
				list, err := ag.Ledger.Archives()
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

func newArchivesShow(a *app) *cobra.Command {
	var agent string
	var raw bool
	cmd := &cobra.Command{
		ValidArgsFunction: a.actionIDs,
		Use:               "show ID | NAME", Short: "Show an archive",
		Long:    "Show an archive by its action's id or its file name; --raw prints the archived text alone, to the byte.",
		Example: "  tend archives show c4v8k2m9ft --raw > notes.md",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			err := a.inArchives(agent, func(ag *fleet.Agent) (bool, error) {
				x, err := ag.Ledger.OpenArchive(args[0])
				if err != nil {
					return false, err
				}
				if !x.Whole {
					a.warnf("%s is not what was archived: its digest does not match", x.Name)
				}
				value := map[string]any{"name": x.Name, "action": x.Action, "kind": x.Kind, "file": x.File, "time": x.At, "whole": x.Whole, "text": string(x.Text)}
				return true, a.emit(value, func() { a.printArchive(x, raw) })
			})
			if errors.Is(err, fs.ErrNotExist) {
				return fault.Usagef("`tend archives list` shows what there is", "there is no archive %q", args[0])
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&raw, "raw", false, "the archived text alone")
	a.agentFlag(cmd, &agent)
	return cmd
}

func (a *app) printArchive(x ledger.Archived, raw bool) {
	if raw {
		a.printText(x.Text)
		return
	}
	a.printf("%s\n\n", a.paint(dim, fmt.Sprintf("%s of %s, %s (%s)", x.Kind, words.InLine(string(x.File)), x.At.Format(time.DateTime), x.Name)))
	if x.Diff != "" {
		a.diff(x.Diff + "\n")
		a.printf("\n")
	}
	a.printf("%s", words.Safe(string(x.Text)))
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
				list, err := ag.Ledger.Archives()
				if err != nil {
					return false, err
				}
				for _, x := range list {
					full, err := ag.Ledger.OpenArchive(x.Name)
					if err != nil {
						missed = append(missed, x.Name)
						continue
					}
					for _, h := range linesWith(full, args[0]) {
						hits = append(hits, hit{ag.Name, full.Action, full.Name, string(full.File), h.line, h.text})
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

type lineHit struct {
	line int
	text string
}

func linesWith(x ledger.Archived, text string) []lineHit {
	var hits []lineHit
	n := 0
	for line := range bytes.Lines(x.Text) {
		n++
		if bytes.Contains(bytes.ToLower(line), bytes.ToLower([]byte(text))) {
			hits = append(hits, lineHit{n, string(line)})
		}
	}
	return hits
}
