package cli

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/baseline"
	"tend/internal/fault"
	"tend/internal/finding"
	"tend/internal/fleet"
)

func newBaselineCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "baseline",
		Short: "The operator's baselines: approve, verify, compare, restore",
		Long: `A baseline is the operator's text for one file of an agent, kept outside the
agent's reach. Approving it records its size and SHA-256 (and, with --sign, an SSH
signature) and keeps a copy. The approved copy is what counts: resets restore it and
guards compare with it. The file itself is your working text; while it differs from the
approved copy resets are refused, and approve or restore settles it.`,
		Example: `  tend baseline draft reviewer      # one to fill in
  tend baseline list
  tend baseline edit reviewer       # change it: edit, see the diff, approved on save
  tend baseline approve reviewer
  tend baseline verify
  tend baseline diff reviewer       # what the agent changed above the line
  tend baseline restore reviewer    # bring back the approved text`,
	}, newBaselineDraft(a), newBaselineList(a), newBaselineApprove(a), newBaselineEdit(a), newBaselineVerify(a), newBaselineDiff(a), newBaselineRestore(a))
}

// overBaselines runs for the baselines of the chosen agents. One agent's failure never stops the others.
func (a *app) overBaselines(ctx context.Context, args []string, all bool, o fleet.Options, run func(baseline.Set) error) (err error) {
	names, err := a.chosen(args, all)
	if err != nil {
		return err
	}
	f, err := a.fleet(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	bar := a.progress(len(names))
	defer bar.end()
	one := func(name string) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		ag, err := f.Records(name)
		if err != nil {
			return err
		}
		if len(ag.Agent.Baselines) == 0 && len(args) > 0 {
			return fault.Usagef("name a file and its text under `baselines` of the agent in the configuration", "agent %s has no baseline", name)
		}
		look := func() error {
			set, err := baseline.Open(ag)
			if err != nil {
				return err
			}
			return run(set)
		}
		if o.Write {
			return ag.Alone(ctx, look)
		}
		return look()
	}
	for _, name := range names {
		bar.step()
		err = errors.Join(err, one(name))
	}
	return err
}

func (a *app) baselineRows(ctx context.Context, args []string, advise bool) (rows []baseline.Row, err error) {
	err = a.overBaselines(ctx, args, len(args) == 0, fleet.Options{}, func(s baseline.Set) error {
		more, err := s.Rows(advise)
		rows = append(rows, more...)
		return err
	})
	return rows, err
}

func (a *app) reportBaselines(rows []baseline.Row) error {
	return a.emit(orEmpty(rows), func() {
		if len(rows) > 0 {
			a.printBaselines(rows)
		}
	})
}

func (a *app) printBaselines(rows []baseline.Row) {
	var cells [][]cell
	for _, r := range rows {
		st, digest, when := green, "", ""
		switch {
		case r.State == "unapproved":
			r.State, st = "draft", yellow
		case r.State != "approved":
			st = red
		}
		if r.Approval != nil {
			digest, when = r.Approval.Version.Short(), r.Approval.At.Format(time.DateOnly)+" by "+r.Approval.By
			if r.Approval.Signature != "" {
				when += ", signed"
			}
		}
		cells = append(cells, []cell{{r.Agent, bold}, {string(r.File), ""}, {r.State, st}, {digest, ""}, {when, dim}, {a.nearby(r.Source), dim}})
	}
	a.table([]string{"agent", "file", "state", "sha256", "approved", "source"}, cells)
}

// nearby is a path as tend.yaml would have it: relative to that, if it is below.
func (a *app) nearby(path string) string {
	if a.cfg == nil {
		return path
	}
	if rel, err := filepath.Rel(filepath.Dir(a.cfg.Path), path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

func newBaselineList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list [AGENT…]", Short: "List baselines with their digests and state", Example: "  tend baseline list",
		ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			rows, err := a.baselineRows(cmd.Context(), args, false)
			return errors.Join(a.reportBaselines(rows), err)
		},
	}
}

func newBaselineVerify(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "verify [AGENT…]", Short: "Compare baselines with their approved copies; exit 3 if one differs",
		Long: `Compare every baseline with its approved copy, and review its size and sections.

EXIT STATUS
  0 all are what was approved, whatever advice there is
  3 one differs, is missing or was never approved`,
		Example:           "  tend baseline verify",
		ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			rows, err := a.baselineRows(cmd.Context(), args, true)
			if err != nil {
				return errors.Join(a.reportBaselines(rows), err)
			}
			code := fault.CodeFine
			var found []finding.Finding
			for _, r := range rows {
				found = append(found, r.Findings...)
				if r.State != "approved" {
					code = fault.CodeRefused
				}
			}
			if err := a.reportBaselines(rows); err != nil {
				return err
			}
			if len(found) > 0 && !a.json {
				a.printf("\n")
				a.findings(found)
			}
			return fault.Quiet(code)
		},
	}
}

func newBaselineDiff(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "diff [AGENT…]", Short: "Show what differs from the baseline above the line; exit 1 if anything does",
		Example:           "  tend baseline diff reviewer",
		ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := a.chosen(args, len(args) == 0)
			if err != nil {
				return err
			}
			f, err := a.fleet(fleet.Options{})
			if err != nil {
				return err
			}
			defer f.Close()
			var all []finding.Finding
			var failed error
			for _, name := range names {
				found, err := f.Drift(cmd.Context(), name)
				failed = errors.Join(failed, err)
				all = append(all, found...)
			}
			err = a.emit(orEmpty(all), func() {
				a.findings(all)
				if len(all) == 0 && failed == nil && !a.quiet {
					a.printf("No drift.\n")
				}
			})
			if err != nil {
				return err
			}
			if failed == nil && len(all) > 0 {
				return fault.Quiet(fault.CodeFindings)
			}
			return failed
		},
	}
}
