package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/ledger"
	"tend/internal/policy"
	"tend/internal/words"
)

func newLogCommand(a *app) *cobra.Command {
	var limit int
	var file, jobName, since string
	var patch bool
	cmd := &cobra.Command{
		Use: "log [AGENT]", GroupID: groupMemory, Short: "What was done to an agent's memory, newest first",
		Long: `List the actions in an agent's ledger: id, time, job, who, what and why.
Any of them can be shown (tend show ID) and taken back (tend undo ID).

With --patch, what each of them really wrote stands below it as a diff: the receipt for a
session or a day. What the agent wrote past Tend is in the git history (tend history).`,
		Example: `  tend log reviewer
  tend log reviewer --file MEMORY.md --limit 5
  tend log reviewer --since 24h --patch      # what was really written today
  tend log reviewer --since 2026-11-14`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if since != "" && !cmd.Flags().Changed("limit") {
				limit = 0
			}
			return a.withRecords(first(args), func(ag *fleet.Agent) error {
				from, err := a.parseSince(since, ag.Location)
				if err != nil {
					return err
				}
				var acts []ledger.Action
				for act, err := range ag.Ledger.Actions() {
					if err != nil {
						return err
					}
					if act.At.Before(from) {
						break
					}
					if jobName != "" && act.Job != jobName || file != "" && touches(act, file) < 0 {
						continue
					}
					if acts = append(acts, act); limit > 0 && len(acts) == limit {
						break
					}
				}
				if a.json {
					rows := make([]actionJSON, len(acts))
					for i, act := range acts {
						if rows[i] = jsonOf(act); patch {
							rows[i].Diff = diffOf(ag, act)
						}
					}
					return a.printJSON(rows)
				}
				if !patch {
					a.printActions(ag, acts)
					return nil
				}
				for _, act := range acts {
					a.printf("%s %s %s by %s: %s\n", a.paint(cyan, act.ID), act.At.In(ag.Location).Format(time.DateTime), a.paint(bold, act.Job), act.Who, words.Safe(act.Summary))
					a.diff(diffOf(ag, act))
					a.printf("\n")
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "only actions since `WHEN`: 24h, 7d, 2026-11-14, or \"2026-11-14 22:00\"; then all of them unless --limit is given")
	cmd.Flags().BoolVarP(&patch, "patch", "p", false, "with what each really wrote, as a diff")
	cmd.Flags().IntVarP(&limit, "limit", "l", 30, "at most this many, 0 for all")
	cmd.Flags().StringVar(&file, "file", "", "only actions on this `FILE`")
	cmd.Flags().StringVar(&jobName, "job", "", "only actions of this `JOB`")
	return cmd
}

func (a *app) printActions(ag *fleet.Agent, acts []ledger.Action) {
	if len(acts) == 0 {
		if !a.quiet {
			a.printf("No actions.\n")
		}
		return
	}
	var rows [][]cell
	for _, act := range acts {
		st := style("")
		switch act.Outcome {
		case ledger.TakenBack:
			st = dim
		case ledger.Intent, ledger.Finished:
			st = yellow
		}
		what := act.Summary
		if act.Reason != "" {
			what = strings.TrimSpace(what + " — " + act.Reason)
		}
		rows = append(rows, []cell{{act.ID, cyan}, {act.At.In(ag.Location).Format(time.DateTime), ""}, {act.Job, bold}, {act.Who, dim}, {string(act.Outcome), st}, {what, ""}})
	}
	a.table([]string{"action", "time", "job", "who", "outcome", ""}, rows)
}

// actionJSON is an action as programs read it: its record with the state it came to.
type actionJSON struct {
	ledger.Record
	State ledger.State `json:"state"`
	Ended time.Time    `json:"ended,omitzero"`
	Diff  string       `json:"diff,omitempty"` // when it was asked for
}

func jsonOf(act ledger.Action) actionJSON {
	return actionJSON{Record: act.Record, State: act.Outcome, Ended: act.Ended}
}

func touches(act ledger.Action, file string) int {
	for i, f := range act.Files {
		if string(f.Path) == file {
			return i
		}
	}
	return -1
}

// diffOf is what an action wrote, as far as the texts are still kept.
func diffOf(ag *fleet.Agent, act ledger.Action) string {
	var b strings.Builder
	for i, f := range act.Files {
		if f.Skipped {
			continue
		}
		if before, after, err := textsOf(ag, act, i); err == nil {
			b.WriteString(udiff.Unified("a/"+string(f.Path), "b/"+string(f.Path), string(before), string(after)))
		} else {
			fmt.Fprintf(&b, "%s: %v\n", f.Path, err)
		}
	}
	return b.String()
}

// parseSince reads how far back to look: a span, a day from its beginning, or a moment.
func (a *app) parseSince(s string, loc *time.Location) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := policy.ParseDuration(s); err == nil {
		now, err := a.clock()
		if err != nil {
			return time.Time{}, err
		}
		return now().Add(-d.Std()), nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, s, loc); err == nil {
		return day, nil
	}
	t, err := parseWhen(s, loc)
	if err != nil {
		return t, fault.Usagef("write it as 24h, 7d, 2026-11-14 or \"2026-11-14 22:00\"", "--since %q is neither a span nor a time", s)
	}
	return t, nil
}
