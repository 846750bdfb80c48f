package fleet

import (
	"context"
	"path/filepath"

	"tend/internal/config"
	"tend/internal/fsys"
	"tend/internal/ledger"
	"tend/internal/vault"
)

// Shared is a store in which the fleet's agents live. The files here are a copy of what
// it has, fetched when an agent is first used.
type Shared interface {
	// Ready brings an agent's files here, as fresh as they must be.
	Ready(ctx context.Context, f *Fleet, agent string) error
	// Commit makes an action of an agent count, before its files change.
	Commit(ctx context.Context, a *Agent, c ledger.Commitment) (done func(error), err error)
	// Fold commits what else was changed, in the session that changed it.
	Fold(ctx context.Context, a *Agent, s *ledger.Session) error
}

// keeping is how what Tend writes is made durable. Where a store has everything, the disk
// need not.
func (f *Fleet) keeping() vault.Durability {
	if f.shared != nil {
		return vault.Unsynced{}
	}
	return vault.EachAlone{}
}

// Fold commits changes of the agent beside its actions, if it lives in a store.
func (a *Agent) Fold(ctx context.Context, s *ledger.Session) error {
	if a.fleet.shared == nil {
		return nil
	}
	return a.fleet.shared.Fold(ctx, a, s)
}

// Fresh has the agent's files brought here, if it lives in a store.
func (f *Fleet) Fresh(ctx context.Context, agent string) error {
	if f.shared == nil {
		return nil
	}
	return f.shared.Ready(ctx, f, agent)
}

// Copy opens the files of an agent as they are here, for the store to bring them up to date.
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
