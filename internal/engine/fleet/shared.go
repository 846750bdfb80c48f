package fleet

import (
	"context"
	"errors"
	"path/filepath"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/state/ledger"
)

// ErrServed: another replica has run the job for this slot of its schedule.
var ErrServed = errors.New("another replica has served this slot")

// Shared is a store that the fleet's agents are kept in. The files here are a copy, fetched
// when an agent is first used.
type Shared interface {
	// Ready fetches an agent's files, as fresh as they must be.
	Ready(ctx context.Context, f *Fleet, agent string) error
	// Commit publishes an action of an agent before its files change.
	Commit(ctx context.Context, a *Agent, c ledger.Commitment) (done func(error), err error)
	// CommitRest commits other changes, in the session that made them.
	CommitRest(ctx context.Context, a *Agent, s *ledger.Session) error
}

// durability says how Tend's own writes become durable. If a store has everything, the
// disk need not.
func (f *Fleet) durability() vault.Durability {
	if f.shared != nil {
		return vault.NoSync{}
	}
	return vault.SyncEach{}
}

// CommitRest commits changes of the agent other than actions, if it is kept in a store.
func (a *Agent) CommitRest(ctx context.Context, s *ledger.Session) error {
	if a.fleet.shared == nil {
		return nil
	}
	return a.fleet.shared.CommitRest(ctx, a, s)
}

// Fetch fetches the agent's files, if it is kept in a store.
func (f *Fleet) Fetch(ctx context.Context, agent string) error {
	if f.shared == nil {
		return nil
	}
	return f.shared.Ready(ctx, f, agent)
}

// Copy opens the local files of an agent, for the store to bring them up to date.
func (f *Fleet) Copy(ctx context.Context, name string) (*Agent, error) {
	cfg, err := f.Config.Agent(name)
	if err != nil {
		return nil, err
	}
	if cfg.Workspace.Kind != config.Local {
		return nil, ErrNoVault
	}
	dirs := []string{cfg.Workspace.Path}
	for _, b := range cfg.Baselines {
		dirs = append(dirs, filepath.Dir(b.Source))
	}
	for _, dir := range dirs {
		if err := fsys.MakeFolder(dir, 0o755); err != nil {
			return nil, err
		}
	}
	return f.open(ctx, cfg)
}
