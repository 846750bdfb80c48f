package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/guard"
	"tend/internal/vault"
)

// baselineChange is what a command did, or would do, to one baseline.
type baselineChange struct {
	Agent  string        `json:"agent"`
	File   vault.Path    `json:"file"`
	Source string        `json:"source"`
	SHA256 vault.Version `json:"sha256"`
	State  string        `json:"state"` // unchanged, restored, or what a dry run would come to
	Kept   string        `json:"kept,omitempty"`
	Diff   string        `json:"diff,omitempty"`
}

func newBaselineRestore(a *app) *cobra.Command {
	var all bool
	var w writeFlags
	cmd := &cobra.Command{
		Use: "restore [AGENT…]", Short: "Bring back the approved text of a damaged baseline",
		Long: `Put the approved copy back where the operator keeps the baseline. What stood
there instead is kept in the state folder and named. A locked baseline is unlocked
for that time.`,
		Example:           "  tend baseline restore reviewer",
		ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			changes := []baselineChange{}
			err := a.overBaselines(cmd.Context(), args, all, fleet.Options{Write: !w.dryRun}, func(ag *fleet.Agent, list []guard.Baseline, approvals map[vault.Path]guard.Approval) error {
				for _, b := range list {
					ap, ok := approvals[b.File]
					if !ok {
						return &fault.Error{Code: fault.CodeRefused, Err: fmt.Errorf("%s of %s was never approved, so there is nothing to restore", b.File, ag.Name), Hint: "`tend baseline approve " + ag.Name + "` approves what is there"}
					}
					c, err := restoreOne(ag, b, ap, w.dryRun)
					if err != nil {
						return err
					}
					changes = append(changes, c)
				}
				return nil
			})
			if perr := a.reportChanges(changes); perr != nil {
				return perr
			}
			return err
		},
	}
	w.add(cmd.Flags())
	cmd.Flags().BoolVar(&all, "all", false, "all agents")
	return cmd
}

func restoreOne(ag *fleet.Agent, b guard.Baseline, ap guard.Approval, dryRun bool) (baselineChange, error) {
	c := baselineChange{Agent: ag.Name, File: b.File, Source: b.Source, SHA256: ap.Version, State: "unchanged"}
	text, err := ag.Guard.Approved(ap)
	if err != nil {
		return c, err
	}
	now, err := vault.ReadFile(b.Tree, b.Name)
	if err == nil && vault.VersionOf(now) == ap.Version {
		return c, nil
	}
	c.Diff = udiff.Unified(b.Source, "approved", string(now), string(text))
	if dryRun {
		c.State = "would be restored"
		return c, nil
	}
	locked, _ := guard.Locked(b.Source)
	if locked {
		if err := guard.Lock(b.Source, false); err != nil {
			return c, err
		}
	}
	if b, err = ag.Housed(b); err != nil {
		return c, err
	}
	if c.Kept, err = ag.Guard.Restore(b, ap); err != nil {
		return c, err
	}
	c.State = "restored"
	if locked {
		err = guard.Lock(b.Source, true)
	}
	return c, err
}

func (a *app) reportChanges(changes []baselineChange) error {
	if a.json {
		return a.printJSON(changes)
	}
	for _, c := range changes {
		switch {
		case c.State == "would be restored", c.State == "would be approved":
			a.diff(c.Diff)
		case a.quiet:
		case c.State == "unchanged":
			a.printf("%s is what was approved (%s)\n", c.Source, c.SHA256.Short())
		case c.Kept == "":
			a.printf("%s\n", a.wrapped(fmt.Sprintf("%s restored to what was approved (%s)", c.Source, c.SHA256.Short()), "  "))
		default:
			a.printf("%s\n", a.wrapped(fmt.Sprintf("%s restored to what was approved (%s); the other text is kept as %s", c.Source, c.SHA256.Short(), c.Kept), "  "))
		}
	}
	return nil
}

// approvalChanges are what approving would change.
func approvalChanges(ag *fleet.Agent, list []guard.Baseline, approvals map[vault.Path]guard.Approval) (changes []baselineChange, err error) {
	for _, b := range list {
		text, err := vault.ReadFile(b.Tree, b.Name)
		if err != nil {
			return changes, baselineError(fmt.Errorf("read baseline %s: %w", b.Source, err))
		}
		var was []byte
		if ap, ok := approvals[b.File]; ok {
			if was, err = ag.Guard.Approved(ap); err != nil {
				return changes, err
			}
		}
		c := baselineChange{Agent: ag.Name, File: b.File, Source: b.Source, SHA256: vault.VersionOf(text), State: "would be approved"}
		c.Diff = udiff.Unified("approved", b.Source, string(was), string(text))
		changes = append(changes, c)
	}
	return changes, nil
}

// baselineError says what to do about a baseline that cannot be approved.
func baselineError(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &fault.Error{Code: fault.CodeRefused, Err: err, Hint: "`tend baseline restore` brings back what was approved; else write the file, or correct its path in tend.yaml"}
	case errors.Is(err, guard.ErrSmall):
		return &fault.Error{Code: fault.CodeRefused, Err: err, Hint: "write it in full (docs/baselines.md says what belongs in it), or lower baseline.min_bytes in the policy"}
	}
	return err
}
