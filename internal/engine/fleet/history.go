package fleet

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/state/history"
	"tend/internal/state/ledger"
	"tend/internal/state/pack"
)

const historyDir = "history"

// History is what is kept of an agent permanently: the packs, and the git repository
// derived from them, the ledger and the workspace.
type History struct {
	agent    string
	state    fsys.FS
	dur      vault.Durability
	dir      string // of the repository, "" for a state without git
	ledger   *ledger.Ledger
	grown    *atomic.Int64 // bytes that were added to the agent's state
	worktree func(context.Context) (history.Worktree, error)
	now      func() time.Time

	mu   sync.Mutex
	open map[string]*pack.Pack
}

// Repo is the git repository.
func (h *History) Repo() history.Repo {
	return history.Repo{Git: history.Git{Dir: h.dir}, Seen: h.Pack(SeenPack), Grown: h.grown}
}

// The packs of an agent: texts that left the trash, written under the agent's lock, and texts the agent was seen to
// write, written under the history's lock.
const (
	TrashPack = "trash"
	SeenPack  = "seen"
)

// Pack returns one of the agent's packs.
func (h *History) Pack(kind string) *pack.Pack {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, ok := h.open[kind]
	if !ok {
		p = pack.New(h.state, h.dur, ledger.PackPath(h.agent), kind)
		if h.open == nil {
			h.open = map[string]*pack.Pack{}
		}
		h.open[kind] = p
	}
	return p
}

// Discarded returns a text that left the trash, by its name there.
func (h *History) Discarded(name string) ([]byte, error) {
	e, err := h.Pack(TrashPack).Get(name)
	if err == nil && e.Purged {
		return nil, ledger.ErrPurged
	}
	return e.Text, err
}

// Saw reports whether a text of this file was ever observed in the workspace.
func (h *History) Saw(file vault.Path) (bool, error) {
	found := errors.New("found")
	err := h.Pack(SeenPack).Each(func(e pack.Entry, err error) error {
		if err == nil && e.Name == string(file) {
			return found
		}
		return nil // Check reports damaged lines
	})
	if errors.Is(err, found) {
		return true, nil
	}
	return false, err
}

// Check verifies the packs line by line, checks that they have everything that left the trash according to the ledger,
// and reports a damaged repository that was set aside.
func (h *History) Check() []finding.Finding {
	var found []finding.Finding
	for _, kind := range []string{TrashPack, SeenPack} {
		damaged, err := h.Pack(kind).Verify()
		if err != nil {
			found = append(found, finding.PackDamaged.In("", "%v", err))
		}
		if n := len(damaged); n > 0 {
			found = append(found, finding.PackDamaged.In("", "%d damaged, the first is %s", n, damaged[0]))
		}
	}
	missing, first := 0, ""
	for act, err := range h.ledger.Actions() {
		if err != nil {
			break // reported as the ledger's own damage
		}
		for _, name := range act.Discarded {
			if act.Outcome == ledger.Intent || act.Outcome == ledger.RolledBack {
				continue
			}
			if _, err := h.Discarded(name); err != nil && !errors.Is(err, ledger.ErrPurged) {
				missing, first = missing+1, name
			}
		}
	}
	if missing > 0 {
		found = append(found, finding.PackDamaged.In("", "%d texts that left the trash cannot be read, for example %s", missing, first))
	}
	if h.dir != "" {
		found = append(found, h.Repo().Findings()...)
	}
	return found
}

// Sync brings the agent's git repository up to date with the ledger and the workspace. It
// has a lock of its own, so that no write waits for git. It fails with fsys.ErrLocked if
// another process is syncing.
func (h *History) Sync(ctx context.Context) (commits int, found []finding.Finding, err error) {
	err = h.withLock(func(r history.Repo) error {
		commits, found, err = r.Sync(ctx, h.ledger, func() (history.Worktree, error) { return h.worktree(ctx) }, h.now())
		return err
	})
	return commits, found, err
}

// Rebuild deletes the agent's git repository and builds it again from ledger, packs and workspace.
func (h *History) Rebuild(ctx context.Context) (res history.Rebuilt, err error) {
	err = h.withLock(func(r history.Repo) error {
		res, err = r.Rebuild(ctx, h.ledger, func() (history.Worktree, error) { return h.worktree(ctx) }, h.now())
		return err
	})
	return res, err
}

// Drop deletes the agent's git repository and the repositories that were set aside: their texts are in the packs, or
// were purged from them.
func (h *History) Drop(ctx context.Context) (dropped bool, err error) {
	err = h.withLock(func(r history.Repo) error {
		dropped, err = r.Drop()
		return err
	})
	return dropped, err
}

// historyLock guards the repository and the packs of observed texts.
func historyLock(agent string) string { return historyDir + "/" + agent + ".lock" }

// withLock runs do under the history's lock.
func (h *History) withLock(do func(history.Repo) error) (err error) {
	if h.dir == "" {
		return nil
	}
	if err := vault.MkdirAll(h.state, vault.NoSync{}, historyDir, 0o700); err != nil {
		return err
	}
	lock, err := h.state.Lock(historyLock(h.agent), "history sync\n")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	r := h.Repo()
	if r.Git.Lock, err = fsys.Inherit(lock); err != nil {
		return err
	}
	if r.Git.Lock != nil {
		defer r.Git.Lock.Close()
	}
	return do(r)
}
