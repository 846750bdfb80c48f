package fleet

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/policy"
	"tend/internal/state/history"
	"tend/internal/state/plan"
)

// readWorktree reads the workspace's current files.
func (f *Files) readWorktree(ctx context.Context) (history.Worktree, error) {
	in := job.Input{Snapshot: plan.Snapshot{Files: map[vault.Path]vault.Doc{}}}
	in.Facts.Unread, in.Facts.Audit.Others = map[vault.Path]string{}, map[vault.Path]bool{}
	err := f.read(ctx, &in)
	return history.Worktree{Files: in.Files, Unread: in.Facts.Unread}, err
}

// Trace returns a hash that changes when the agent's files do. It costs one listing.
func (f *Files) Trace(ctx context.Context) (uint64, error) {
	h := fnv.New64a()
	err := f.hashFolder(ctx, h, "", policy.PathMaxDepth.Of(f.agent.Policy))
	return h.Sum64(), err
}

func (f *Files) hashFolder(ctx context.Context, h io.Writer, dir vault.Path, depth int) error {
	infos, err := f.vault.List(ctx, dir)
	if err != nil {
		return err
	}
	for _, i := range infos {
		if f.isHidden(i.Path, i.Dir) {
			continue
		}
		fmt.Fprintf(h, "%q %d %d\n", i.Path, i.Size, i.ModTime.UnixNano())
		if !i.Dir || i.Path.Base() == "node_modules" || depth <= 0 {
			continue
		}
		if err := f.hashFolder(ctx, h, i.Path, depth-1); errors.Is(err, vault.ErrUnreachable) {
			return err
		}
	}
	return nil
}
