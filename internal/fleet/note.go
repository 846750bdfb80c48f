package fleet

import (
	"context"
	"errors"
	"time"

	"tend/internal/job"
	"tend/internal/layout"
	"tend/internal/ledger"
	"tend/internal/plan"
	"tend/internal/vault"
)

// FilesOf are the files of roles, today's where a role has one a day.
func (a *Agent) FilesOf(roles ...layout.Role) []vault.Path {
	day := a.Now().Format(time.DateOnly)
	var paths []vault.Path
	for _, r := range roles {
		if p := a.Layout.Path(r, day); p != "" {
			paths = append(paths, vault.Path(p))
		}
	}
	return paths
}

// Buffer looks at the working buffer.
func (a *Agent) Buffer(ctx context.Context) (job.BufferState, error) {
	s, err := a.Glance(ctx, a.FilesOf(layout.Buffer))
	if err != nil {
		return job.BufferState{}, err
	}
	return job.Buffer(s.Input)
}

// SessionState is the session's state as it stands.
type SessionState struct {
	File vault.Path `json:"file"`
	Text string     `json:"text"`
}

// Session reads the session's state; the text is empty if there is none.
func (a *Agent) Session(ctx context.Context) (SessionState, error) {
	p, err := job.Input{Layout: a.Layout}.Place(layout.Session)
	if err != nil {
		return SessionState{}, err
	}
	doc, err := a.Vault.Read(ctx, p)
	if errors.Is(err, vault.ErrAbsent) {
		err = nil
	}
	return SessionState{File: p, Text: string(doc.Data)}, err
}

// LastReceipt is the newest receipt for a path, and the action that left it.
func (a *Agent) LastReceipt(p vault.Path) (plan.Receipt, bool, error) {
	for act, err := range a.Ledger.Actions() {
		if err != nil || a.Now().Sub(act.At) > remembered {
			return plan.Receipt{}, false, err
		}
		for _, r := range act.Receipts {
			if r.Path == p && act.Outcome != ledger.TakenBack {
				return r, true, nil
			}
		}
	}
	return plan.Receipt{}, false, nil
}
