package fleet

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tend/internal/ledger"
	"tend/internal/plan"
	"tend/internal/vault"
)

// LastText is the newest text of a file that Tend has, whether the file is there or not: of
// the ledger, or of history, which also has what the agent wrote between actions.
func (a *Agent) LastText(ctx context.Context, p vault.Path) (text []byte, known string, err error) {
	taken, ok, err := a.History().Newest(ctx, string(p))
	if err == nil && ok { // git is derived: without it the ledger is asked all the same
		known = "history of " + taken.At.In(a.Location).Format(time.DateTime)
	}
	for act, err := range a.Ledger.Actions() {
		if err != nil {
			return nil, "", err
		}
		if known != "" && act.ID <= taken.Action {
			break
		}
		i := touched(act, p)
		if i < 0 {
			continue
		}
		// An action that removed the file has its last text before it.
		if act.Files[i].After == vault.Absent {
			if text, err := a.Ledger.Before(act, i); err == nil {
				return text, act.ID + "~", nil
			}
		} else if text, err := a.replayed(act, i); err == nil {
			return text, act.ID, nil
		}
	}
	if known == "" {
		return nil, "", fmt.Errorf("%s: %w", p, vault.ErrAbsent)
	}
	return taken.Text, known, nil
}

func touched(act ledger.Action, p vault.Path) int {
	if act.Outcome == ledger.TakenBack {
		return -1
	}
	return slices.IndexFunc(act.Files, func(f ledger.File) bool { return f.Path == p && !f.Skipped })
}

// replayed is a file as an action left it. What was only added to is put together from the
// action that last wrote it whole and the additions since; that fails where somebody else
// wrote to the file in between.
func (a *Agent) replayed(act ledger.Action, slot int) ([]byte, error) {
	text, err := a.Ledger.After(act, slot)
	f := act.Files[slot]
	if err == nil || f.Op != plan.Append || f.Edit == nil {
		return text, err
	}
	added := []ledger.File{f} // newest first
	for earlier, aerr := range a.Ledger.Actions() {
		if aerr != nil {
			return nil, aerr
		}
		i := touched(earlier, f.Path)
		if earlier.ID >= act.ID || i < 0 {
			continue
		}
		if g := earlier.Files[i]; g.Op == plan.Append && g.Before != vault.Absent && g.Edit != nil {
			added = append(added, g)
			continue
		}
		if text, err = a.Ledger.After(earlier, i); err != nil {
			return nil, err
		}
		for _, g := range slices.Backward(added) {
			if vault.VersionOf(text) != g.Before {
				return nil, ledger.ErrNoText
			}
			text = append(text, g.Edit.Text...)
		}
		return text, nil
	}
	return nil, err
}
