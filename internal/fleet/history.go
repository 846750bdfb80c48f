package fleet

import (
	"context"
	"path/filepath"

	"tend/internal/finding"
	"tend/internal/history"
	"tend/internal/policy"
)

// History is the agent's git repository.
func (a *Agent) History() history.Repo {
	return history.Repo{Dir: filepath.Join(a.fleet.Config.StateDir, "history", a.Name+".git")}
}

// SyncHistory brings the agent's git repository up to date with the ledger and
// with what the agent has written.
func (a *Agent) SyncHistory(ctx context.Context) (commits int, found []finding.Finding, err error) {
	in, err := a.Input(ctx)
	if err != nil {
		return 0, nil, err
	}
	s, err := a.begin(ctx, "history", policy.LockWait.Of(a.Policy).Std())
	if err != nil {
		return 0, nil, err
	}
	defer s.Close()
	return a.History().Sync(ctx, a.Ledger, in.Files, a.Now())
}
