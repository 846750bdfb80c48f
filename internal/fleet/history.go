package fleet

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"strings"

	"tend/internal/finding"
	"tend/internal/history"
	"tend/internal/job"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

const historyDir = "history"

// History is the agent's git repository.
func (a *Agent) History() history.Repo {
	return history.Repo{Dir: filepath.Join(a.fleet.Config.StateDir, historyDir, a.Name+".git")}
}

// SyncHistory brings the agent's git repository up to date with the ledger and
// with what the agent has written. It has a lock of its own: no write waits for
// git. fsys.ErrLocked if somebody is at it already.
func (a *Agent) SyncHistory(ctx context.Context) (commits int, found []finding.Finding, err error) {
	if a.fleet.Config.StateDir == "" { // a state that is no folder has no git beside it
		return 0, nil, nil
	}
	lock, err := a.historyLock()
	if err != nil {
		return 0, nil, err
	}
	defer lock.Close()
	return a.History().Sync(ctx, a.Ledger, func() (history.Standing, error) { return a.standing(ctx) }, a.Now())
}

// historyLock makes the caller the only one to write to the repository.
func (a *Agent) historyLock() (io.Closer, error) {
	if err := vault.MkdirAll(a.fleet.state, vault.Unsynced{}, historyDir, 0o700); err != nil {
		return nil, err
	}
	return a.fleet.state.Lock(historyDir+"/"+a.Name+".lock", "history sync\n")
}

// standing is the workspace as it is now.
func (a *Agent) standing(ctx context.Context) (history.Standing, error) {
	in := job.Input{Snapshot: plan.Snapshot{Files: map[vault.Path]vault.Doc{}}}
	in.Facts.Unread, in.Facts.Audit.Others = map[vault.Path]string{}, map[vault.Path]bool{}
	err := a.read(ctx, "", 0, &in)
	return history.Standing{Files: in.Files, Unread: in.Facts.Unread}, err
}

// Trace changes when the agent's files do, and costs no more than to list them.
func (a *Agent) Trace(ctx context.Context) (uint64, error) {
	h := fnv.New64a()
	err := a.trace(ctx, h, "", 0)
	return h.Sum64(), err
}

func (a *Agent) trace(ctx context.Context, h io.Writer, dir vault.Path, depth int) error {
	infos, err := a.Vault.List(ctx, dir)
	if err != nil {
		return err
	}
	for _, i := range infos {
		if strings.HasPrefix(i.Path.Base(), ".") && i.Path.Base() != ".learnings" {
			continue
		}
		fmt.Fprintf(h, "%q %d %d\n", i.Path, i.Size, i.ModTime.UnixNano())
		if !i.Dir || i.Path.Base() == "node_modules" || depth >= policy.PathMaxDepth.Of(a.Policy) {
			continue
		}
		if err := a.trace(ctx, h, i.Path, depth+1); errors.Is(err, vault.ErrUnreachable) {
			return err
		}
	}
	return nil
}
