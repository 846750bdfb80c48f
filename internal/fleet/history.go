package fleet

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"tend/internal/finding"
	"tend/internal/fsys"
	"tend/internal/history"
	"tend/internal/job"
	"tend/internal/ledger"
	"tend/internal/pack"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

const historyDir = "history"

// History is the agent's git repository.
func (a *Agent) History() history.Repo {
	return history.Repo{
		Dir:  filepath.Join(a.fleet.Config.StateDir, historyDir, a.Name+".git"),
		Seen: a.Pack(SeenPack), Branch: a.Pack(BranchPack),
	}
}

// The packs of an agent: what left the trash, written under the agent's lock; what the agent was seen to write and what
// older versions kept in git, both written under the history's lock.
const (
	TrashPack  = "trash"
	SeenPack   = "seen"
	BranchPack = "branch"
)

// Pack is one of the agent's packs.
func (a *Agent) Pack(kind string) *pack.Pack {
	a.packs.mu.Lock()
	defer a.packs.mu.Unlock()
	p, ok := a.packs.open[kind]
	if !ok {
		p = pack.New(a.fleet.state, a.dur, ledger.PackPath(a.Name), kind)
		if a.packs.open == nil {
			a.packs.open = map[string]*pack.Pack{}
		}
		a.packs.open[kind] = p
	}
	return p
}

// packs are the packs of an agent that were used.
type packs struct {
	mu   sync.Mutex
	open map[string]*pack.Pack
}

// Discarded is what left the trash, by the name it had there.
func (a *Agent) Discarded(name string) ([]byte, error) {
	for _, kind := range []string{TrashPack, BranchPack} {
		e, err := a.Pack(kind).Get(name)
		if err == nil && e.Purged {
			return nil, ledger.ErrPurged
		}
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return e.Text, err
		}
	}
	if a.fleet.Config.StateDir == "" { // a state that is no folder has no git beside it
		return nil, fs.ErrNotExist
	}
	return a.History().Kept(context.Background(), name)
}

// CheckPacks verifies what left the trash: every line of the packs, that nothing the ledger says has left the trash is
// missing, and whether a damaged repository was set aside.
func (a *Agent) CheckPacks() []finding.Finding {
	var found []finding.Finding
	for _, kind := range []string{TrashPack, SeenPack, BranchPack} {
		damaged, err := a.Pack(kind).Verify()
		if err != nil {
			found = append(found, finding.PackDamaged.In("", "%v", err))
		}
		if n := len(damaged); n > 0 {
			found = append(found, finding.PackDamaged.In("", "%d damaged, the first is %s", n, damaged[0]))
		}
	}
	missing, first := 0, ""
	for act, err := range a.Ledger.Actions() {
		if err != nil {
			break // reported as the ledger's own damage
		}
		for _, name := range act.Discarded {
			if act.Outcome == ledger.Intent || act.Outcome == ledger.TakenBack {
				continue
			}
			if _, err := a.Discarded(name); err != nil && !errors.Is(err, ledger.ErrPurged) {
				missing, first = missing+1, name
			}
		}
	}
	if missing > 0 {
		found = append(found, finding.PackDamaged.In("", "%d texts that left the trash cannot be read, %s for one", missing, first))
	}
	if a.fleet.Config.StateDir != "" {
		found = append(found, a.History().Findings()...)
	}
	return found
}

// SyncHistory brings the agent's git repository up to date with the ledger and
// with what the agent has written. It has a lock of its own: no write waits for
// git. fsys.ErrLocked if somebody is at it already.
func (a *Agent) SyncHistory(ctx context.Context) (commits int, found []finding.Finding, err error) {
	err = a.withHistory(func(r history.Repo) error {
		commits, found, err = r.Sync(ctx, a.Ledger, func() (history.Standing, error) { return a.standing(ctx) }, a.Now())
		return err
	})
	return commits, found, err
}

// RebuildHistory deletes the agent's git repository and builds it again from ledger, packs and workspace.
func (a *Agent) RebuildHistory(ctx context.Context) (res history.Rebuilt, err error) {
	err = a.withHistory(func(r history.Repo) error {
		res, err = r.Rebuild(ctx, a.Ledger, func() (history.Standing, error) { return a.standing(ctx) }, a.Now())
		return err
	})
	return res, err
}

// DropHistory deletes the agent's git repository with all that was set aside: what they hold is in the packs, or was
// purged from them.
func (a *Agent) DropHistory(ctx context.Context) (dropped bool, err error) {
	err = a.withHistory(func(r history.Repo) error {
		dropped, err = r.Drop()
		return err
	})
	return dropped, err
}

// withHistory makes the caller the only one to write to the repository.
func (a *Agent) withHistory(do func(history.Repo) error) (err error) {
	if a.fleet.Config.StateDir == "" { // a state that is no folder has no git beside it
		return nil
	}
	if err := vault.MkdirAll(a.fleet.state, vault.Unsynced{}, historyDir, 0o700); err != nil {
		return err
	}
	lock, err := a.fleet.state.Lock(historyDir+"/"+a.Name+".lock", "history sync\n")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	r := a.History()
	if r.Lock, err = fsys.Inherit(lock); err != nil {
		return err
	}
	if r.Lock != nil {
		defer r.Lock.Close()
	}
	return do(r)
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
