package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"tend/internal/baseline"
	"tend/internal/fault"
	"tend/internal/finding"
	"tend/internal/fleet"
	"tend/internal/guard"
	"tend/internal/words"
)

type approveOptions struct {
	writeFlags
	all, lock, unlock, wholeFile bool
	key, file                    string
}

func newBaselineApprove(a *app) *cobra.Command {
	var o approveOptions
	cmd := &cobra.Command{
		Use: "approve [AGENT…]", Short: "Approve the baselines as they are now",
		Long: `Record size and SHA-256 of the baselines as they are now, keep a copy of each, and
with --sign sign the approval with an SSH key (as ssh-keygen -Y does). It prints the old
and the new digest, and what a scan for secrets, injected instructions and hidden
characters found in the text.

A baseline without a line for a file that the layout gives to the agent would revert
everything the agent writes there: it is refused unless --whole-file is given.

With --lock the file also gets the immutable flag where the system allows it, and
nobody can edit it until --unlock takes the flag away.`,
		Example: `  tend baseline approve reviewer --dry-run   # see what would be approved
  tend baseline approve reviewer
  tend baseline approve --all --sign ~/.ssh/id_ed25519
  tend baseline approve reviewer --lock`,
		ValidArgsFunction: a.agentNames,
		RunE:              func(cmd *cobra.Command, args []string) error { return runApprove(cmd.Context(), a, o, args) },
	}
	o.add(cmd.Flags())
	cmd.Flags().BoolVar(&o.all, "all", false, "all agents")
	cmd.Flags().BoolVar(&o.wholeFile, "whole-file", false, "also a file of the agent's own without a line: all of it becomes yours")
	cmd.Flags().BoolVar(&o.lock, "lock", false, "set the immutable flag on the baseline")
	cmd.Flags().BoolVar(&o.unlock, "unlock", false, "clear the immutable flag, so that the baseline can be edited")
	cmd.Flags().StringVar(&o.key, "sign", "", "sign with this SSH `KEY`")
	cmd.Flags().StringVar(&o.file, "file", "", "only the baseline of this `FILE`")
	return cmd
}

func runApprove(ctx context.Context, a *app, o approveOptions, args []string) error {
	if o.lock && o.unlock {
		return fault.Usagef("say one of them", "--lock and --unlock")
	}
	req := baseline.ApproveRequest{By: baseline.OperatorName(), WholeFile: o.wholeFile}
	if o.key != "" {
		req.Sign = guard.SignWith(o.key)
	}
	var rows []baseline.Row
	changes := []baseline.Change{}
	err := a.overBaselines(ctx, args, o.all, fleet.Options{Write: !o.dryRun}, func(s baseline.Set) (err error) {
		if o.file != "" {
			if s, err = s.Only(o.file); err != nil {
				return err
			}
		}
		if o.dryRun {
			more, err := s.Pending()
			changes = append(changes, more...)
			return err
		}
		made, err := s.Approve(req)
		rows = append(rows, made...)
		for _, r := range made {
			if o.lock || o.unlock {
				if err := guard.Lock(r.Source, o.lock); err != nil {
					a.warnf("the immutable flag of %s could not be set as asked: %v", r.Source, err)
				}
			}
		}
		return err
	})
	if o.dryRun {
		return errors.Join(a.reportChanges(changes), err)
	}
	return errors.Join(a.emit(orEmpty(rows), func() { a.printApproved(rows) }), err)
}

// printApproved says which digest each baseline had and has, and what the scan found in it.
func (a *app) printApproved(rows []baseline.Row) {
	var cells [][]cell
	var found []finding.Finding
	for _, r := range rows {
		found = append(found, r.Findings...)
		digest, state := r.Approval.Version.Short(), "approved"
		switch {
		case r.Unchanged():
			state = "unchanged"
		case r.Was != "":
			digest = r.Was.Short() + " → " + digest
		}
		when := r.Approval.At.Format("2006-01-02") + " by " + r.Approval.By
		if r.Approval.Signature != "" {
			when += ", signed"
		}
		cells = append(cells, []cell{{r.Agent, bold}, {string(r.File), ""}, {state, green}, {digest, ""}, {when, dim}})
	}
	if !a.quiet {
		a.table([]string{"agent", "file", "state", "sha256", "approved"}, cells)
		for _, r := range rows {
			if r.Means != "" {
				a.printf("%s\n", a.wrapped(r.Agent+": "+r.Means, "  "))
			}
		}
	}
	if len(found) > 0 {
		a.printf("\nThe scan found %s in what is now loaded in every session:\n", words.Count(len(found), "thing"))
		a.findings(found)
	}
}

func newBaselineEdit(a *app) *cobra.Command {
	var file, key string
	cmd := &cobra.Command{
		Use: "edit [AGENT]", Short: "Edit a baseline: see the diff, approved on save",
		Long: `Open a baseline in $VISUAL or $EDITOR. When you save it, the difference is shown and the
new text is approved. Leaving the editor without a change approves nothing.`,
		Example: "  tend baseline edit reviewer --file SOUL.md",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBaselineEdit(cmd.Context(), a, args, file, key)
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "the baseline of this `FILE`; may be left out if there is one")
	cmd.Flags().StringVar(&key, "sign", "", "sign with this SSH `KEY`")
	return cmd
}

func runBaselineEdit(ctx context.Context, a *app, args []string, file, key string) error {
	req := baseline.ApproveRequest{By: baseline.OperatorName()}
	if key != "" {
		req.Sign = guard.SignWith(key)
	}
	var changes []baseline.Change
	var rows []baseline.Row
	only := func(s baseline.Set) (baseline.Set, error) {
		if file == "" {
			return s, nil
		}
		return s.Only(file)
	}
	saved := false
	err := a.overBaselines(ctx, args, false, fleet.Options{}, func(s baseline.Set) (err error) { // no lock while somebody types
		if s, err = only(s); err == nil {
			saved, err = s.Edit(ctx, baseline.SystemEditor(a.in, a.out, a.errw))
		}
		return err
	})
	if err == nil && saved {
		err = a.overBaselines(ctx, args, false, fleet.Options{Write: true}, func(s baseline.Set) (err error) {
			if s, err = only(s); err != nil {
				return err
			}
			if changes, err = s.Pending(); err != nil {
				return err
			}
			rows, err = s.Approve(req)
			return err
		})
	}
	if err != nil {
		return err
	}
	return a.emit(orEmpty(rows), func() {
		for _, c := range changes {
			a.diff(c.Diff)
		}
		if len(rows) == 0 {
			a.printf("Nothing was changed.\n")
			return
		}
		a.printApproved(rows)
	})
}
