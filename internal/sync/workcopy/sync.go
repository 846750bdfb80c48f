package workcopy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/sync/journal"
	"tend/internal/sync/store"
	"tend/internal/sync/syncfolder"
)

var (
	// ErrThere: the store has an agent of this name that this copy has never seen.
	ErrThere = errors.New("the store has an agent of this name")
	// ErrEmpty: the workspace has no files, but the journal has: it is more likely not mounted than emptied.
	ErrEmpty = fmt.Errorf("the workspace is empty, but the journal has files of it: %w", vault.ErrRefused)
	// ErrNotStored: the agent was neither pushed to a store nor cloned from one.
	ErrNotStored = errors.New("the agent is not in a store")
)

// Report is the result of a sync.
type Report struct {
	Agent     string            `json:"agent"`
	Entry     uint64            `json:"entry"`               // the journal's last entry after the sync
	Pulled    int               `json:"pulled"`              // entries of others
	Pushed    int               `json:"pushed"`              // files of this copy
	Changed   []string          `json:"changed,omitempty"`   // files of the workspace that others changed
	Merged    []string          `json:"merged,omitempty"`    // files that both changed
	Conflicts []string          `json:"conflicts,omitempty"` // files in which both changed the same lines
	Waiting   int               `json:"waiting,omitempty"`   // entries in a syncing folder that are incomplete, or wait for one that is
	Findings  []finding.Finding `json:"findings,omitempty"`
}

// Copy is an agent on this machine with its journal.
type Copy struct {
	Paths
	journal *journal.Journal
	// machines is the journal of a store in a syncing folder, nil in others.
	machines *syncfolder.Journal
	store    string // its id
	// Trust: the journal was recently seen to end with entry Trusted. A copy that is not behind that entry believes
	// it. Otherwise the store is checked first, which detects one that was cut or restored from a backup.
	Trust   bool
	Trusted uint64

	refuses map[vault.Path]error // files that the disk did not take during this sync
}

// New returns the copy of an agent whose journal is in a store with this id.
func New(p Paths, s store.Store, id string) *Copy {
	if p.Clock == nil {
		p.Clock = time.Now
	}
	p.leftOut = new(map[vault.Path]string)
	return &Copy{Paths: p, journal: journal.New(s, p.Agent), store: id}
}

// InSyncingFolder returns the copy of an agent in a store that a program copies between machines.
func InSyncingFolder(p Paths, s store.Store, id string) *Copy {
	c := New(p, s, id)
	c.journal, c.machines = nil, syncfolder.New(s, p.Agent)
	return c
}

// mode is how a sync begins.
type mode int

const (
	resync    mode = iota // the copy has been synced with the journal before
	firstPush             // the journal must be empty
	join                  // the journal and the copy are merged, though they have no common base yet
)

// syncTries limits how often a sync starts over because another writer was faster.
const syncTries = 30

// Push adds an agent to the store for the first time.
func (c *Copy) Push(ctx context.Context) (Report, error) { return c.run(ctx, firstPush) }

// Join merges an agent of this machine with one of the same name in the store.
func (c *Copy) Join(ctx context.Context) (Report, error) { return c.run(ctx, join) }

// Sync fetches what others committed and commits what changed here.
func (c *Copy) Sync(ctx context.Context) (Report, error) { return c.run(ctx, resync) }

func (c *Copy) run(ctx context.Context, m mode) (Report, error) {
	r := Report{Agent: c.Agent}
	if err := vault.MkdirAll(c.State, c.Durable, c.storeFolder(), 0o700); err != nil {
		return r, err
	}
	// One sync of an agent at a time. The agent itself is locked only while its files are read and changed: nobody
	// waits for the network.
	lock, err := c.State.Lock(c.storeFolder()+"/lock", "sync\n")
	if err != nil {
		return r, fmt.Errorf("sync %s: %w", c.Agent, err)
	}
	defer lock.Close()
	c.refuses = nil
	s, was, err := c.Load()
	switch {
	case err != nil:
		return r, err
	case !was && m == resync:
		return r, fmt.Errorf("%s: %w", c.Agent, ErrNotStored)
	case was && s.Store != c.store:
		return r, fmt.Errorf("%s: %w (%s, not %s)", c.Agent, ErrOtherStore, s.Store, c.store)
	}
	s.Store = c.store
	switch {
	case c.journal == nil:
	case c.Trust && s.Position.N >= c.Trusted:
		c.journal.Trust()
	default:
		if err := c.journal.Confirm(ctx, s.Position); err != nil {
			return r, err
		}
	}
	for try := 1; ; try++ {
		err := c.syncOnce(ctx, &s, m, &r)
		startOver := errors.Is(err, journal.ErrConflict) || errors.Is(err, errAgain)
		if !startOver || try == syncTries {
			return r, err
		}
		if err := store.Pause(ctx, min(try, 4)); err != nil {
			return r, err
		}
	}
}

// syncOnce fetches, merges and commits.
func (c *Copy) syncOnce(ctx context.Context, s *Saved, m mode, r *Report) error {
	in, err := c.fetch(ctx, s)
	r.Waiting = in.waiting
	if err != nil {
		return err
	}
	if m == firstPush && s.Position.N == 0 {
		if in.at.N > 0 {
			return fmt.Errorf("%s: %w", c.Agent, ErrThere)
		}
		s.Writers = []string{} // nobody has written yet
	}
	p := &pull{Copy: c, saved: s, in: in, mode: m}
	found, err := c.Run(ctx, p.read, p.commit)
	r.Entry = s.Position.N
	if err != nil {
		return err
	}
	p.addTo(r, found)
	e, now := p.entry, p.result
	changed := c.recordWriters(s, in, r) || !maps.Equal(s.LeftOut, *c.leftOut)
	s.LeftOut = *c.leftOut
	c.reportForeign(s, in, r)
	if len(e.Changes) == 0 || pulledOnly(e, now) {
		return c.noteListing(s, in, changed)
	}
	s.Pushing = append(s.Pushing, e.Nonce)
	if err := c.save(*s); err != nil {
		return err
	}
	tree, err := s.treeOf().Apply(e)
	if err != nil {
		return err
	}
	at, err := c.commit(ctx, s, e, now, &tree)
	if err != nil {
		return err
	}
	r.Entry, r.Pushed = at.N, r.Pushed+len(e.Changes)
	text := func(name string) ([]byte, error) { return now[name].text, nil }
	if err := c.saveTree(s, at, tree, now, text); err != nil {
		return err
	}
	if at.N%journal.Every == 0 && c.journal != nil {
		return c.storeSnapshot(ctx, at, tree)
	}
	return nil
}

// refuseEmptied refuses to treat an empty folder as an agent that has deleted everything.
func (c *Copy) refuseEmptied(s *Saved, now map[string]localFile) error {
	had := 0
	for name := range s.Files {
		if _, ok := workspacePath(name); ok && c.keepsPath(name) {
			had++
		}
	}
	for name := range now {
		if _, ok := workspacePath(name); ok {
			return nil
		}
	}
	if had > 1 {
		return fmt.Errorf("%s: %w", c.Agent, ErrEmpty)
	}
	return nil
}

// storeSnapshot stores the whole tree. It is skipped if something has changed since, because another one will follow.
func (c *Copy) storeSnapshot(ctx context.Context, at journal.Position, tree journal.Tree) error {
	x := make(journal.Texts, len(tree))
	for name, v := range tree {
		text, err := c.read(ctx, name)
		if err != nil {
			return err
		}
		if text == nil || vault.VersionOf(text) != v {
			whole, pos, err := c.journal.Rebuild(ctx, at.N)
			if err != nil || pos != at {
				return err
			}
			return c.journal.Snapshot(ctx, at, whole)
		}
		x[name] = text
	}
	return c.journal.Snapshot(ctx, at, x)
}

func addOnce(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}
