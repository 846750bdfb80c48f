package fleet

import (
	"context"
	"errors"
	"time"

	"tend/internal/history"
	"tend/internal/ledger"
	"tend/internal/plan"
	"tend/internal/vault"
)

// TextAt is a file as Tend knows it at a time: from the ledger, or from history where that
// has a later state up to then, since it also has what the agent wrote between actions.
func (a *Agent) TextAt(ctx context.Context, p vault.Path, when time.Time) (text []byte, known string, err error) {
	taken, ok, err := a.History().At(ctx, string(p), when)
	if err != nil && !errors.Is(err, history.ErrNoGit) {
		ok = false // it is derived, and the ledger is asked all the same
	}
	if !ok {
		return a.Ledger.TextAt(ctx, p, when)
	}
	acted, err := a.lastTouched(p, when)
	if err != nil {
		return nil, "", err
	}
	if acted > taken.Action {
		return a.Ledger.TextAt(ctx, p, when)
	}
	return taken.Text, "history of " + taken.At.In(a.Location).Format(time.DateTime), nil
}

// lastTouched is the action that last wrote a file, up to a time.
func (a *Agent) lastTouched(p vault.Path, when time.Time) (string, error) {
	for act, err := range a.Ledger.Actions() {
		if err != nil {
			return "", err
		}
		if act.At.After(when) || act.Outcome == ledger.TakenBack {
			continue
		}
		for _, f := range act.Files {
			if f.Path == p && !f.Skipped && f.Op != plan.Append {
				return act.ID, nil
			}
		}
	}
	return "", nil
}
