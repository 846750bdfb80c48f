package fleet

import (
	"context"
	"os"

	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
)

// Reopen opens the agent again if its workspace's path now leads to another folder than the open one, which was
// removed or moved away. It returns nil if the folder is the same, or if there is none.
func (a *Agent) Reopen(ctx context.Context) (*Agent, error) {
	cfg, err := a.fleet.Config.Agent(a.Name)
	if err != nil || cfg.Workspace.Kind != config.Local {
		return nil, err
	}
	st, err := os.Stat(cfg.Workspace.Path)
	if err != nil {
		return nil, nil
	}
	there, ok := fsys.Owner(st)
	open, err := a.ws.Lstat(".")
	same := err == nil && open.Same(there) && open.Links > 0
	if !ok || same {
		return nil, nil
	}
	return a.fleet.open(ctx, cfg)
}
