package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tend/internal/act"
	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/job"
)

func newCheckCommand(a *app) *cobra.Command {
	var there elsewhere
	var all, fix bool
	var w writeFlags
	cmd := &cobra.Command{
		Use: "check [AGENT…]", GroupID: groupHouse, Short: "Hold the invariants of a memory; exit 1 if any fails",
		Long: `Check what must be true of a memory for an agent to rely on it: the nine invariants
of Memory v4 (tags on line 2, vocabulary, last_verified, buffer size, open questions,
closure blocks, links of active decisions, logs that should be archived, work left in
the buffer), the headers of its successors, and the line limit of the always-loaded
file. Only checks that make sense for the agent's layout are run.

With --fix, what can be put right without knowing what the files mean is put right, as
one action that tend undo takes back: missing titles, tags and header lines, closure
blocks, the buffer's head. A file is never stamped as verified.

EXIT STATUS
  0 all pass · 1 something fails · 4 locked · 5 an agent could not be looked at`,
		Example: `  tend check reviewer
  tend check --all --quiet
  tend check --workspace ./clone --as openclaw-v4@4.6
  tend check reviewer --fix --dry-run`,
		ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if fix && there.workspace != "" {
				return fault.Usagef("`tend init "+there.workspace+"` first, then fix", "--fix in a folder that no configuration knows")
			}
			if fix {
				if err := a.fixFirst(cmd, args, all, w); err != nil || w.dryRun {
					return err
				}
			} else if w.dryRun {
				return fault.Usagef("a check never writes; --dry-run is for --fix", "--dry-run without --fix")
			}
			args, err := a.lookElsewhere(there, args, all)
			if err != nil {
				return err
			}
			list, err := a.examine(cmd.Context(), args, all, job.Check)
			if err != nil {
				return err
			}
			return a.printReports(list, "FAIL", failWords)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all agents")
	cmd.Flags().BoolVar(&fix, "fix", false, "put right what can be put right safely, then check")
	w.add(cmd.Flags())
	there.add(cmd)
	return cmd
}

func failWords(r job.Report) string {
	if r.Flagged() == 0 {
		return "All checks pass."
	}
	return fmt.Sprintf("%d pass, %d fail", r.Passed(), r.Flagged())
}

// fixFirst repairs the chosen agents; a dry run shows the diff.
func (a *app) fixFirst(cmd *cobra.Command, args []string, all bool, w writeFlags) error {
	results, err := a.fixed(cmd.Context(), args, all, w)
	if err != nil {
		return err
	}
	code := fault.CodeFine
	for _, r := range results {
		code = worse(code, resultCode(r))
	}
	if w.dryRun || code > fault.CodeFindings {
		return a.report(results)
	}
	for _, r := range results {
		if r.Action != "" && !a.quiet && !a.json {
			a.printf("%s: %s  (%s)\n", r.Agent, r.Summary, r.Action)
		}
	}
	a.followUp(cmd, "check", results)
	return nil
}

func (a *app) fixed(ctx context.Context, args []string, all bool, w writeFlags) (results []act.Result, err error) {
	names, err := a.chosen(args, all)
	if err != nil {
		return nil, err
	}
	f, err := a.fleet(fleet.Options{Write: !w.dryRun, Many: len(names) > 1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return a.each(ctx, names, func(name string) act.Result { return act.Fix(ctx, f, name, w.options()) }), nil
}
