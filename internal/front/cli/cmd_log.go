package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/model/textfmt"
	"tend/internal/state/ledger"
)

func newLogCommand(a *app) *cobra.Command {
	var limit int
	var file, jobName, since string
	var patch bool
	cmd := &cobra.Command{
		Use:  "log [AGENT]",
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if since != "" && !cmd.Flags().Changed("limit") {
				limit = 0
			}
			return a.readRecords(firstArg(args), func(ag *fleet.Agent) error {
				from, err := parseSince(a, since, ag.Location)
				if err != nil {
					return err
				}
				events, err := past.Open(ag).Events(cmd.Context(), past.Filter{File: vault.Path(file), Job: jobName, Since: from, Limit: limit})
				if err != nil {
					return err
				}
				rows := make([]eventJSON, len(events))
				for i, e := range events {
					rows[i] = jsonOfEvent(ag, e, patch)
				}
				return a.emit(rows, func() {
					if !patch {
						printEvents(&a.printer, ag, events)
						return
					}
					for _, e := range events {
						printPatch(&a.printer, ag, e)
					}
				})
			})
		},
	}
	cmd.Flags().StringVar(&since, "since", "",
		"only actions since `WHEN`: 24h, 7d, 2026-11-14, or \"2026-11-14 22:00\"; then all of them unless --limit is given")
	cmd.Flags().BoolVarP(&patch, "patch", "p", false, "include what each really wrote, as a diff")
	cmd.Flags().IntVarP(&limit, "limit", "l", 30, "at most this many, 0 for all")
	cmd.Flags().StringVar(&file, "file", "", "only actions on this `FILE`")
	cmd.Flags().StringVar(&jobName, "job", "", "only actions of this `JOB`")
	return cmd
}

// printPatch prints an event with a diff of what it wrote.
func printPatch(pr *printer, ag *fleet.Agent, e past.Event) {
	when := e.At.In(ag.Location).Format("2006-01-02 15:04:05")
	if act := e.Action; act != nil {
		pr.printf("%s %s %s by %s: %s\n", pr.paint(cyan, act.ID), when, pr.paint(bold, act.Job), act.Who, textfmt.Safe(act.Summary))
		pr.diff(diffOf(ag, *act))
	} else {
		pr.printf("%s %s by %s: %s\n", when, pr.paint(bold, "edit"), notTend, textfmt.Safe(editWords(e.Seen)))
		for _, x := range e.Seen {
			pr.diff(x.Diff)
		}
	}
	pr.printf("\n")
}

// notTend made an observed edit: the agent, its harness, a person or another program.
const notTend = "not Tend"

// editWords describes an observed edit.
func editWords(list []past.Edit) string {
	var parts []string
	for _, x := range list {
		if x.Gone {
			parts = append(parts, fmt.Sprintf("%s removed", x.File))
		} else {
			parts = append(parts, fmt.Sprintf("%s +%d -%d", x.File, x.Added, x.Removed))
		}
	}
	return strings.Join(parts, ", ")
}

func printEvents(pr *printer, ag *fleet.Agent, events []past.Event) {
	if len(events) == 0 {
		pr.nothing("No actions and no edits are recorded yet; `tend diff FILE` shows what changed since a file was recorded.")
		return
	}
	var rows [][]cell
	for _, e := range events {
		when := cell{e.At.In(ag.Location).Format("2006-01-02 15:04:05"), ""}
		act := e.Action
		if act == nil {
			_, seen, _ := strings.Cut(e.Seen[0].Ref, "@")
			rows = append(rows, []cell{{seen, dim}, when, {"edit", bold}, {notTend, dim}, {"seen", dim}, {editWords(e.Seen), ""}})
			continue
		}
		st := style("")
		switch act.Outcome {
		case ledger.RolledBack:
			st = dim
		case ledger.Intent, ledger.Finished:
			st = yellow
		}
		what := act.Summary
		if act.Reason != "" {
			what = strings.TrimSpace(what + " — " + act.Reason)
		}
		rows = append(rows, []cell{{act.ID, cyan}, when, {act.Job, bold}, {act.Who, dim}, {string(act.Outcome), st}, {what, ""}})
	}
	pr.table([]string{"action", "time", "job", "who", "outcome", ""}, rows)
}

// eventJSON is an action, or an observed edit.
type eventJSON struct {
	*actionJSON
	Seen []past.Edit `json:"seen,omitempty"`
	Time *time.Time  `json:"time,omitempty"` // of edits
}

func jsonOfEvent(ag *fleet.Agent, e past.Event, patch bool) eventJSON {
	if e.Action == nil {
		if !patch {
			for i := range e.Seen {
				e.Seen[i].Diff = ""
			}
		}
		return eventJSON{Seen: e.Seen, Time: &e.At}
	}
	row := jsonOf(*e.Action)
	if patch {
		row.Diff = diffOf(ag, *e.Action)
	}
	return eventJSON{actionJSON: &row}
}
