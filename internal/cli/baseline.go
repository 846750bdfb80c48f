package cli

import (
	"context"
	"errors"
	"os/user"
	"path/filepath"

	"github.com/spf13/cobra"

	"tend/internal/fault"
	"tend/internal/finding"
	"tend/internal/fleet"
	"tend/internal/guard"
	"tend/internal/policy"
	"tend/internal/vault"
)

func newBaselineCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "baseline",
		GroupID: groupGuard,
		Short:   "The operator's baselines: approve, verify, compare, restore",
		Long: `A baseline is the operator's text for one file of an agent, kept outside the
agent's reach. Approving it records its size and SHA-256 (and, with --sign, an SSH
signature) and keeps a copy; before every reset the baseline must still be that.`,
		Example: `  tend baseline draft reviewer      # one to fill in
  tend baseline list
  tend baseline approve reviewer
  tend baseline verify
  tend baseline diff reviewer       # what the agent changed above the line
  tend baseline restore reviewer    # bring back the approved text`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newBaselineDraft(a), newBaselineList(a), newBaselineApprove(a), newBaselineVerify(a), newBaselineDiff(a), newBaselineRestore(a))
	return cmd
}

// overBaselines runs for every baseline of the chosen agents. One agent's failure
// never stops the others.
func (a *app) overBaselines(ctx context.Context, args []string, all bool, o fleet.Options, run func(*fleet.Agent, []guard.Baseline, map[vault.Path]guard.Approval) error) (err error) {
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
	for _, name := range names {
		bar.step()
		err = errors.Join(err, func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			ag, err := f.Records(name)
			if err != nil {
				return err
			}
			list, err := ag.Baselines()
			if err != nil {
				return err
			}
			if len(list) == 0 && len(args) > 0 {
				return fault.Usagef("name a file and its text under `baselines` of the agent in the configuration", "agent %s has no baseline", name)
			}
			look := func() error {
				approvals, err := ag.Guard.Approvals()
				if err != nil {
					return err
				}
				return run(ag, list, approvals)
			}
			if o.Write {
				return ag.Alone(ctx, look)
			}
			return look()
		}())
	}
	return err
}

// baselineRow is a baseline as list and verify report it.
type baselineRow struct {
	Agent    string            `json:"agent"`
	File     vault.Path        `json:"file"`
	Source   string            `json:"source"`
	State    string            `json:"state"` // approved, unapproved, tampered, missing, small, bad-signature
	Approval *guard.Approval   `json:"approval,omitempty"`
	Findings []finding.Finding `json:"findings,omitempty"`
}

func (a *app) baselineRows(ctx context.Context, args []string, all, advise bool) (rows []baselineRow, err error) {
	states := map[string]string{
		finding.BaselineTampered.Code: "tampered", finding.BaselineUnapproved.Code: "unapproved", finding.BaselineMissing.Code: "missing",
		finding.BaselineSmall.Code: "too small", finding.BaselineSignature.Code: "bad signature",
	}
	err = a.overBaselines(ctx, args, all, fleet.Options{}, func(ag *fleet.Agent, list []guard.Baseline, approvals map[vault.Path]guard.Approval) error {
		for _, b := range list {
			text, found, err := ag.Guard.Check(b, approvals, policy.BaselineMinBytes.Of(ag.Policy))
			if err != nil {
				return err
			}
			row := baselineRow{Agent: ag.Name, File: b.File, Source: b.Source, State: "approved", Findings: found}
			if ap, ok := approvals[b.File]; ok {
				row.Approval = &ap
			}
			if len(found) > 0 {
				row.State = states[found[0].Code]
			}
			if advise && text != nil {
				row.Findings = append(row.Findings, guard.Advise(b.File, text, ag.Policy)...)
			}
			for i := range row.Findings {
				row.Findings[i].Agent = ag.Name
			}
			rows = append(rows, row)
		}
		return nil
	})
	return rows, err
}

func (a *app) reportBaselines(rows []baselineRow) error {
	if a.json {
		return a.printJSON(orEmpty(rows))
	}
	if len(rows) > 0 {
		a.printBaselines(rows)
	}
	return nil
}

func (a *app) printBaselines(rows []baselineRow) {
	var cells [][]cell
	for _, r := range rows {
		st, digest, when := green, "", ""
		if r.State != "approved" {
			st = red
		}
		if r.Approval != nil {
			digest, when = r.Approval.Version.Short(), r.Approval.At.Format("2006-01-02")+" by "+r.Approval.By
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
			rows, err := a.baselineRows(cmd.Context(), args, len(args) == 0, false)
			return errors.Join(a.reportBaselines(rows), err)
		},
	}
}

func newBaselineVerify(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "verify [AGENT…]", Short: "Hold baselines against their approvals; exit 3 if one was tampered with",
		Long: `Hold every baseline against its approval, and review its size and sections.

EXIT STATUS
  0 all are what was approved, whatever advice there is
  3 one was tampered with, is missing or was never approved`,
		Example:           "  tend baseline verify",
		ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			rows, err := a.baselineRows(cmd.Context(), args, len(args) == 0, true)
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

func newBaselineApprove(a *app) *cobra.Command {
	var all, lock, unlock bool
	var key, file string
	var w writeFlags
	cmd := &cobra.Command{
		Use: "approve [AGENT…]", Short: "Approve the baselines as they are now",
		Long: `Record size and SHA-256 of the baselines as they are now, keep a copy of each, and
with --sign sign the approval with an SSH key (as ssh-keygen -Y does).

With --lock the file also gets the immutable flag where the system allows it, and
nobody can edit it until --unlock takes the flag away.`,
		Example: `  tend baseline approve reviewer --dry-run   # see what would be approved
  tend baseline approve reviewer
  tend baseline approve --all --sign ~/.ssh/id_ed25519
  tend baseline approve reviewer --lock`,
		ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if lock && unlock {
				return fault.Usagef("say one of them", "--lock and --unlock")
			}
			by := operatorName()
			var sign func([]byte) (string, error)
			if key != "" {
				sign = guard.SignWith(key)
			}
			var rows []baselineRow
			changes := []baselineChange{}
			err := a.overBaselines(cmd.Context(), args, all, fleet.Options{Write: !w.dryRun}, func(ag *fleet.Agent, list []guard.Baseline, approvals map[vault.Path]guard.Approval) error {
				if file != "" {
					list = onlyFile(list, file)
					if len(list) == 0 {
						return fault.Usagef("`tend baseline list` shows them", "%s has no baseline for %s", ag.Name, file)
					}
				}
				if w.dryRun {
					more, err := approvalChanges(ag, list, approvals)
					changes = append(changes, more...)
					return err
				}
				made, err := ag.Guard.Approve(list, by, policy.BaselineMinBytes.Of(ag.Policy), sign)
				if err != nil {
					return baselineError(err)
				}
				for i, ap := range made {
					rows = append(rows, baselineRow{Agent: ag.Name, File: ap.File, Source: ap.Source, State: "approved", Approval: &made[i]})
					if lock || unlock {
						if err := guard.Lock(ap.Source, lock); err != nil {
							a.warnf("the immutable flag of %s could not be set as asked: %v", ap.Source, err)
						}
					}
				}
				return nil
			})
			switch {
			case w.dryRun:
				return errors.Join(a.reportChanges(changes), err)
			case a.quiet && !a.json:
				return err
			}
			return errors.Join(a.reportBaselines(rows), err)
		},
	}
	w.add(cmd.Flags())
	cmd.Flags().BoolVar(&all, "all", false, "all agents")
	cmd.Flags().BoolVar(&lock, "lock", false, "set the immutable flag on the baseline")
	cmd.Flags().BoolVar(&unlock, "unlock", false, "clear the immutable flag, so that the baseline can be edited")
	cmd.Flags().StringVar(&key, "sign", "", "sign with this SSH `KEY`")
	cmd.Flags().StringVar(&file, "file", "", "only the baseline of this `FILE`")
	return cmd
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
			if a.json {
				if err := a.printJSON(orEmpty(all)); err != nil {
					return err
				}
			} else {
				a.findings(all)
				if len(all) == 0 && failed == nil && !a.quiet {
					a.printf("No drift.\n")
				}
			}
			if failed == nil && len(all) > 0 {
				return fault.Quiet(fault.CodeFindings)
			}
			return failed
		},
	}
}

func onlyFile(list []guard.Baseline, file string) []guard.Baseline {
	for _, b := range list {
		if string(b.File) == file {
			return []guard.Baseline{b}
		}
	}
	return nil
}

func operatorName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "operator"
}
