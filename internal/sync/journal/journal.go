// Package journal keeps an agent's history in a store: numbered entries, each created once, each with the digest of
// the one before. The writer that creates entry N+1 has committed it; there is nothing to lock and nothing to
// recover.
//
// An entry changes a tree of files: the workspace, and everything Tend keeps of the agent. A copy of the tree can be
// rebuilt from the journal to the byte.
package journal

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"sync"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/sync/store"
)

var (
	// ErrEnd: there are no more entries yet.
	ErrEnd = errors.New("end of the journal")
	// ErrConflict: another writer has committed the entry's number. Catch up and retry.
	ErrConflict = errors.New("another writer was faster")
	// ErrDamaged: an object does not match the journal. Nothing of it was applied.
	ErrDamaged = errors.New("journal damaged")
	// ErrRemoved: an entry that this copy has seen is missing or different.
	ErrRemoved = errors.New("journal was cut or rewritten")
	// ErrForeign: the journal's folder has an object that Tend does not write. It is ignored.
	ErrForeign = errors.New("an object that Tend did not write")
	// ErrNoAgent: the store has no such agent.
	ErrNoAgent = errors.New("no such agent in the store")
)

// Kind is the origin of an entry.
type Kind string

// The kinds of entries.
const (
	Pushed   Kind = "pushed"   // an agent that was pushed to the store
	Observed Kind = "observed" // what was written without Tend
	Synced   Kind = "synced"   // actions of a copy, with what was written without Tend meanwhile
	Acted    Kind = "action"   // an action of a replica
	Served   Kind = "served"   // a job that ran and changed nothing
	Changed  Kind = "changed"  // the fleet's configuration, tokens or acknowledgements
)

// Entry is one committed change.
type Entry struct {
	V       int       `json:"v"`
	Agent   string    `json:"agent"`
	N       uint64    `json:"n"`
	Prev    string    `json:"prev"`  // digest of entry N-1
	Nonce   string    `json:"nonce"` // identifies this attempt; Commit creates one if it is empty
	Writer  string    `json:"writer"`
	At      time.Time `json:"at"`
	Kind    Kind      `json:"kind"`
	Actions []string  `json:"actions,omitempty"` // ids in the ledger
	Slot    string    `json:"slot,omitempty"`    // the job and the slot that this serves
	Changes []Change  `json:"changes,omitempty"`
	Tree    string    `json:"tree"` // digest of the tree after it
}

// Position is a position in a journal. The zero position is before the first entry.
type Position struct {
	N      uint64 `json:"n"`
	Digest string `json:"digest,omitempty"` // of entry N
}

// Journal is the journal of one agent.
type Journal struct {
	Agent string // "" for the fleet's own
	store store.Store
	dir   string // of its objects

	mu    sync.Mutex
	ended time.Time // when its reader last saw the newest entry
	last  pack      // the pack that was last read
}

// New returns an agent's journal in a store.
func New(s store.Store, agent string) *Journal {
	return &Journal{Agent: agent, store: s, dir: path.Join("agents", agent)}
}

// Fleet returns the journal of what belongs to all agents of a store.
func Fleet(s store.Store) *Journal { return &Journal{store: s, dir: "fleet"} }

func (j *Journal) key(kind string, n uint64) string {
	return path.Join(j.dir, kind, fmt.Sprintf("%012d", n))
}

func (j *Journal) entryKey(n uint64) string { return j.key("journal", n) }

func digestOf(body []byte) string { return string(vault.VersionOf(body)) }

// damagedError names the object that is unusable, or cannot be read now.
func (j *Journal) damagedError(key string, err error) error {
	for _, known := range []error{ErrDamaged, store.ErrUnreachable, store.ErrUnclear, store.ErrDenied,
		context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return fmt.Errorf("%s in %s: %w", key, j.store.Name(), err)
		}
	}
	return fmt.Errorf("%s in %s: %w: %w", key, j.store.Name(), ErrDamaged, err)
}

// Next returns the entry after a position. ErrEnd if there is none yet.
func (j *Journal) Next(ctx context.Context, at Position) (Entry, Position, error) {
	began := time.Now()
	body, err := j.read(ctx, at.N+1)
	if errors.Is(err, store.ErrAbsent) && !j.sawEndLately() {
		body, err = j.readPacked(ctx, at.N+1, began)
	}
	return j.parseNext(at, body, err)
}

// parseNext interprets the store's answer to the request for the entry after a position.
func (j *Journal) parseNext(at Position, body []byte, err error) (Entry, Position, error) {
	if errors.Is(err, store.ErrAbsent) {
		return Entry{}, at, ErrEnd
	}
	if err != nil {
		return Entry{}, at, err
	}
	e, err := j.decode(body, at)
	if err != nil {
		return Entry{}, at, j.damagedError(j.entryKey(at.N+1), err)
	}
	return e, Position{N: e.N, Digest: digestOf(body)}, nil
}

// decode parses the entry after a position and checks that it chains to it.
func (j *Journal) decode(body []byte, at Position) (Entry, error) {
	var e Entry
	if err := unpackJSON(body, &e); err != nil {
		return e, err
	}
	switch {
	case e.V != 1:
		return e, fmt.Errorf("it has format %d, this Tend reads 1", e.V)
	case e.Agent != j.Agent || e.N != at.N+1:
		return e, fmt.Errorf("it is entry %d of %s", e.N, e.Agent)
	case e.Prev != at.Digest:
		return e, errors.New("it does not follow from the entry before it")
	}
	return e, nil
}

// commitTries limits how often an unclear commit is looked up and retried.
const commitTries = 8

// Commit makes e the entry after at. ErrConflict if there already is one.
//
// The answer to a commit can be lost. Then the entry is read back: its nonce tells whether it is this one. It is
// retried only after it was found to be missing, and only with the same key, so it can never be committed twice. An
// error that wraps store.ErrUnclear means that it may still appear.
//
// The key of a packed entry is free again. So a writer that has not recently seen the end of the journal checks
// first, and one that was delayed in between checks again.
func (j *Journal) Commit(ctx context.Context, at Position, e Entry) (Position, error) {
	if !j.sawEndLately() {
		if _, _, err := j.Next(ctx, at); err == nil {
			return at, fmt.Errorf("entry %d of %s: %w", at.N+1, j.Agent, ErrConflict)
		} else if !errors.Is(err, ErrEnd) {
			return at, err
		}
	}
	began := time.Now()
	pos, err := j.commit(ctx, at, e)
	if err != nil {
		return pos, err
	}
	if !j.sawEndLately() {
		switch _, err := j.readPacked(ctx, pos.N, began); {
		case err == nil:
			err = fmt.Errorf("entry %d of %s: %w", pos.N, j.Agent, ErrConflict)
			return at, errors.Join(err, j.store.Delete(ctx, j.entryKey(pos.N)))
		case !errors.Is(err, store.ErrAbsent): // it stays: others may have built on it
			return at, fmt.Errorf("entry %d of %s: %w: %w", pos.N, j.Agent, store.ErrUnclear, err)
		}
	}
	j.noteEnd(began)
	return pos, nil
}

func (j *Journal) commit(ctx context.Context, at Position, e Entry) (Position, error) {
	e.V, e.Agent, e.N, e.Prev = 1, j.Agent, at.N+1, at.Digest
	if e.Nonce == "" {
		e.Nonce = rand.Text()
	}
	text, err := json.Marshal(e)
	if err != nil {
		return at, err
	}
	body := Compress(text)
	key := j.entryKey(e.N)
	pos := Position{N: e.N, Digest: digestOf(body)}
	for try := 1; ; try++ {
		err := j.store.Create(ctx, key, body)
		if err == nil {
			return pos, nil
		}
		exists := errors.Is(err, store.ErrExists)
		if !exists && !errors.Is(err, store.ErrUnclear) {
			return at, err
		}
		there, getErr := j.store.Get(ctx, key)
		switch {
		case getErr == nil && bytes.Equal(there, body):
			return pos, nil
		case getErr == nil:
			return at, fmt.Errorf("entry %d of %s: %w", e.N, j.Agent, ErrConflict)
		case !errors.Is(getErr, store.ErrAbsent) || exists || try == commitTries:
			return at, fmt.Errorf("%w: %w", store.ErrUnclear, errors.Join(err, getErr))
		}
		if err := store.Again(ctx, try); err != nil {
			return at, fmt.Errorf("%w: %w", store.ErrUnclear, err)
		}
	}
}

// Confirm checks that the store still has the entry at a position this copy has seen, to detect a store that was cut,
// rewritten or restored from a backup.
func (j *Journal) Confirm(ctx context.Context, at Position) error {
	if at.N == 0 {
		return nil
	}
	key := j.entryKey(at.N)
	body, err := j.get(ctx, at.N)
	if errors.Is(err, store.ErrAbsent) {
		return fmt.Errorf("%s in %s: %w: the entry is gone", key, j.store.Name(), ErrRemoved)
	}
	if err != nil {
		return err
	}
	if digestOf(body) != at.Digest {
		return fmt.Errorf("%s in %s: %w: it is not the entry this copy has seen", key, j.store.Name(), ErrRemoved)
	}
	return nil
}
