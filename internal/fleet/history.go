package fleet

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"

	"tend/internal/finding"
	"tend/internal/fsys"
	"tend/internal/history"
	"tend/internal/ledger"
	"tend/internal/pack"
	"tend/internal/vault"
)

const historyDir = "history"

// History is what is kept of an agent for good: the packs, and the git repository that is
// derived from them, the ledger and the workspace.
type History struct {
	agent    string
	state    fsys.FS
	dur      vault.Durability
	dir      string // of the repository, "" for a state that is no folder and has no git beside it
	ledger   *ledger.Ledger
	standing func(context.Context) (history.Standing, error)
	now      func() time.Time

	mu   sync.Mutex
	open map[string]*pack.Pack
}

// Repo is the git repository.
func (h *History) Repo() history.Repo {
	return history.Repo{Git: history.Git{Dir: h.dir}, Seen: h.Pack(SeenPack), Branch: h.Pack(BranchPack)}
}

// The packs of an agent: what left the trash, written under the agent's lock; what the agent was seen to write, and texts
// of a damaged history that no commit leads to, both written under the history's lock.
const (
	TrashPack  = "trash"
	SeenPack   = "seen"
	BranchPack = "branch"
)

// Pack is one of the agent's packs.
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

// Discarded is what left the trash, by the name it had there.
func (h *History) Discarded(name string) ([]byte, error) {
	for _, kind := range []string{TrashPack, BranchPack} {
		e, err := h.Pack(kind).Get(name)
		if err == nil && e.Purged {
			return nil, ledger.ErrPurged
		}
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return e.Text, err
		}
	}
	return nil, fs.ErrNotExist
}

// Saw reports whether a text of this file was ever seen in the workspace.
func (h *History) Saw(file vault.Path) (bool, error) {
	found := errors.New("found")
	err := h.Pack(SeenPack).Each(func(e pack.Entry, err error) error {
		if err == nil && e.Name == string(file) {
			return found
		}
		return nil // a damaged line is Check's to report
	})
	if errors.Is(err, found) {
		return true, nil
	}
	return false, err
}

// Check verifies what left the trash: every line of the packs, that nothing the ledger says has left the trash is
// missing, and whether a damaged repository was set aside.
func (h *History) Check() []finding.Finding {
	var found []finding.Finding
	for _, kind := range []string{TrashPack, SeenPack, BranchPack} {
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
			if act.Outcome == ledger.Intent || act.Outcome == ledger.TakenBack {
				continue
			}
			if _, err := h.Discarded(name); err != nil && !errors.Is(err, ledger.ErrPurged) {
				missing, first = missing+1, name
			}
		}
	}
	if missing > 0 {
		found = append(found, finding.PackDamaged.In("", "%d texts that left the trash cannot be read, %s for one", missing, first))
	}
	if h.dir != "" {
		found = append(found, h.Repo().Findings()...)
	}
	return found
}

// Sync brings the agent's git repository up to date with the ledger and
// with what the agent has written. It has a lock of its own: no write waits for
// git. fsys.ErrLocked if somebody is at it already.
func (h *History) Sync(ctx context.Context) (commits int, found []finding.Finding, err error) {
	err = h.alone(func(r history.Repo) error {
		commits, found, err = r.Sync(ctx, h.ledger, func() (history.Standing, error) { return h.standing(ctx) }, h.now())
		return err
	})
	return commits, found, err
}

// Rebuild deletes the agent's git repository and builds it again from ledger, packs and workspace.
func (h *History) Rebuild(ctx context.Context) (res history.Rebuilt, err error) {
	err = h.alone(func(r history.Repo) error {
		res, err = r.Rebuild(ctx, h.ledger, func() (history.Standing, error) { return h.standing(ctx) }, h.now())
		return err
	})
	return res, err
}

// Drop deletes the agent's git repository with all that was set aside: what they hold is in the packs, or was
// purged from them.
func (h *History) Drop(ctx context.Context) (dropped bool, err error) {
	err = h.alone(func(r history.Repo) error {
		dropped, err = r.Drop()
		return err
	})
	return dropped, err
}

// historyLock is held by who writes to the repository and to the packs of what was seen.
func historyLock(agent string) string { return historyDir + "/" + agent + ".lock" }

// alone makes the caller the only one to write to the repository.
func (h *History) alone(do func(history.Repo) error) (err error) {
	if h.dir == "" {
		return nil
	}
	if err := vault.MkdirAll(h.state, vault.Unsynced{}, historyDir, 0o700); err != nil {
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
