// Package ledger is the only writer of an agent's files: it applies plans, records
// every action with what it displaced, finishes or rolls back actions that a crash
// interrupted, and can undo them. (A replica's files are a cache of the journal that
// package workcopy rebuilds.)
//
// An action has two records in the agent's ledger file: an intent, durable before any
// file is changed, and an end. One agent's actions never overlap, so only the last
// record can be an unfinished intent, and reading the end of one file is enough to
// find it.
package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"sync"
	"sync/atomic"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/state/ledger/archive"
	"tend/internal/state/plan"
)

// ErrNoAction: there is no action with this id.
var ErrNoAction = errors.New("no such action")

// Ledger is one agent's record of actions, with its archive and trash.
type Ledger struct {
	Agent   string
	Archive archive.Folder

	state fsys.FS
	vault *vault.Vault
	dur   vault.Durability
	clock func() time.Time
	zone  *time.Location
	most  int64 // size limit for reading a text

	grown     *atomic.Int64
	sweepRead *atomic.Pointer[sweepMark] // what SweepDue read last
	discarded func(name string) ([]byte, error)
	commit    Commit
	accepts   func(vault.Path) bool
}

// Options configure an agent's ledger.
type Options struct {
	State   fsys.FS
	Vault   *vault.Vault
	Durable vault.Durability
	Clock   func() time.Time
	Zone    *time.Location
	// Archives is the tree for archives and Archive the agent's folder in it;
	// the default is archive/AGENT in the state.
	Archives fsys.FS
	Archive  string
	Shared   bool // other agents use the same folder
	// Most limits the size of a displaced text that is read, 0 for no limit: writers
	// that still have the file open may append any amount.
	Most int64
	// Grown counts the bytes that actions add to the agent's state; may be nil.
	Grown *atomic.Int64
	// Discarded returns a text that has left the trash, by its name there.
	Discarded func(name string) ([]byte, error)
	// Commit publishes actions to a shared store; nil for an agent without one.
	Commit Commit
	// Accepts reports files that may be changed to finish an interrupted action; nil for all. A shared ledger may have been
	// written by others.
	Accepts func(vault.Path) bool
}

// New returns an agent's ledger. It reads and creates nothing.
func New(agent string, o Options) *Ledger {
	if o.Archives == nil {
		o.Archives, o.Archive = o.State, path.Join("archive", agent)
	}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Ledger{
		Agent: agent, Archive: archive.Folder{Agent: agent, Tree: o.Archives, Dir: o.Archive, Shared: o.Shared, Zone: o.Zone},
		state: o.State, vault: o.Vault, dur: o.Durable,
		clock: o.Clock, zone: o.Zone, most: o.Most,
		grown: o.Grown, discarded: o.Discarded, commit: o.Commit, accepts: o.Accepts, sweepRead: new(atomic.Pointer[sweepMark]),
	}
}

// An agent's paths in the state.

func home(agent string) string { return "agents/" + agent }

// LockPath is the agent's lock file in the state.
func LockPath(agent string) string { return home(agent) + "/lock" }

// TrashPath is the agent's folder for displaced files.
func TrashPath(agent string) string { return "trash/" + agent }

// PackPath is the agent's folder for texts that left the trash and for observed edits.
func PackPath(agent string) string { return home(agent) + "/pack" }

func (l *Ledger) recordsFolder() string { return home(l.Agent) + "/ledger" }

// Session holds the agent's lock.
type Session struct {
	l    *Ledger
	who  string
	lock io.Closer
	tail tail
	// open: an action of this session has not ended. It must be recovered before the
	// next one begins, as in a new session.
	open bool
	// promised is the current action if it was committed to a shared store.
	promised *promise
	// Recovered lists what an interrupted action left and how it was recovered.
	Recovered []finding.Finding
}

// Begin takes the agent's lock and recovers an action that a crash interrupted. It fails
// with fsys.ErrLocked if another process has the lock.
func (l *Ledger) Begin(ctx context.Context, who string) (*Session, error) {
	if err := l.makeFolders(false); err != nil {
		return nil, err
	}
	lock, err := l.vault.Lock(ctx, l.lockText())
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", l.Agent, err)
	}
	s := &Session{l: l, who: who, lock: lock}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return s, nil
}

// start reads the end of the ledger and recovers an unfinished action.
func (s *Session) start(ctx context.Context) (err error) {
	if s.tail, err = s.l.readTail(); err != nil {
		return err
	}
	return s.endInterrupted(ctx)
}

// recordIntent records the intent of an action.
func (s *Session) recordIntent(ctx context.Context, p plan.Plan, more func(*Record)) (Record, error) {
	if s.open {
		if err := s.start(ctx); err != nil {
			return Record{}, err
		}
	}
	rec, err := s.intentOf(ctx, p)
	if err != nil {
		return Record{}, err
	}
	more(&rec)
	s.open = true // even if the commit fails: the ledger may have changed then and must be read again
	if s.l.commit != nil {
		if err := s.publishAction(ctx, rec, p); err != nil {
			return Record{}, err
		}
	}
	if err := s.append(rec, true); err != nil {
		return Record{}, s.reportToStore(err)
	}
	return rec, nil
}

// Reload makes the next action read the ledger's end again, after its files were replaced.
func (s *Session) Reload() { s.open = true }

// Close releases the lock.
func (s *Session) Close() error { return s.lock.Close() }

// host is this machine's name.
var host = sync.OnceValue(func() string {
	name, _ := os.Hostname()
	return name
})

// lockText is the text of the lock file, for people.
func (l *Ledger) lockText() string {
	return fmt.Sprintf("pid %d on %s since %s\n", os.Getpid(), host(), l.clock().Format(time.RFC3339))
}

// folder is one of the agent's folders.
type folder struct {
	tree fsys.FS
	dir  string
}

func (l *Ledger) folders() []folder {
	return []folder{{l.state, l.recordsFolder()}, {l.state, TrashPath(l.Agent)}, {l.Archive.Tree, l.Archive.Dir}}
}

// makeFolders creates the agent's folders. With durable it also makes existing names
// durable: the process that created them may have been killed before it synced.
func (l *Ledger) makeFolders(durable bool) error {
	for _, at := range l.folders() {
		if !durable {
			switch i, err := at.tree.Lstat(at.dir); {
			case err == nil && i.IsDir():
				continue
			case err != nil && !errors.Is(err, fs.ErrNotExist):
				return fmt.Errorf("look for %s in the state folder: %w", at.dir, err)
			}
		}
		if err := vault.MkdirAll(at.tree, l.dur, at.dir, 0o700); err != nil {
			return fmt.Errorf("make %s in the state folder: %w", at.dir, err)
		}
	}
	return nil
}

func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
