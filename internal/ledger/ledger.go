// Package ledger is the only writer: it applies plans, records every action
// with what it displaced, finishes or takes back what a crash cut off, and can
// undo what it did.
//
// An action is recorded twice in the agent's ledger file: as an intent, durable
// before anything is touched, and as done. Since one agent's actions never
// overlap, only the last record can be an intent that was never finished, and
// looking at the end of one file is all it takes to know.
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

	"tend/internal/finding"
	"tend/internal/fsys"
	"tend/internal/ledger/archive"
	"tend/internal/plan"
	"tend/internal/vault"
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
	most  int64 // bytes of the largest text that is read

	grown     *atomic.Int64
	sweepRead *atomic.Pointer[sweepMark] // as SweepDue read it last
	discarded func(name string) ([]byte, error)
	commit    Commit
}

// Options say how an agent's ledger is kept.
type Options struct {
	State   fsys.FS
	Vault   *vault.Vault
	Durable vault.Durability
	Clock   func() time.Time
	Zone    *time.Location
	// Archives is the tree archives go to, Archive the agent's folder in it;
	// archive/AGENT in the state if they are empty.
	Archives fsys.FS
	Archive  string
	Shared   bool // other agents have the same folder
	// Most is how many bytes of displaced text are read at most, 0 for any number: writers
	// that still have it open may add what they like.
	Most int64
	// Grown counts the bytes that actions add to the agent's state, nil if nobody asks.
	Grown *atomic.Int64
	// Discarded gives back what has left the trash, by the name it had there.
	Discarded func(name string) ([]byte, error)
	// Commit makes actions count in a shared store; nil for an agent whose files here are the truth.
	Commit Commit
}

// New gives an agent's ledger. Nothing is read or made before it is used.
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
		grown: o.Grown, discarded: o.Discarded, commit: o.Commit, sweepRead: new(atomic.Pointer[sweepMark]),
	}
}

// The places in the state that belong to an agent.

func home(agent string) string { return path.Join("agents", agent) }

// LockPath is the agent's lock file in the state.
func LockPath(agent string) string { return path.Join(home(agent), "lock") }

// TrashPath is the agent's folder for displaced files in the state.
func TrashPath(agent string) string { return path.Join("trash", agent) }

// PackPath is the agent's folder in the state for texts that left the trash and texts the agent was seen to write.
func PackPath(agent string) string { return path.Join(home(agent), "pack") }

func (l *Ledger) records() string { return path.Join(home(l.Agent), "ledger") }

// Session is the time during which the agent's lock is held.
type Session struct {
	l    *Ledger
	who  string
	lock io.Closer
	tail tail
	// open: an action of this session has not come to its end. The next one must
	// not begin before it is recovered, as if this were a session of its own.
	open bool
	// promised is the action in hand that a shared store has.
	promised *promise
	// Recovered tells what an earlier, cut-off action left and what became of it.
	Recovered []finding.Finding
}

// Begin takes the agent's lock and puts right what a crash may have left.
// fsys.ErrLocked if somebody else is at work.
func (l *Ledger) Begin(ctx context.Context, who string) (*Session, error) {
	if err := l.prepare(false); err != nil {
		return nil, err
	}
	lock, err := l.vault.Lock(ctx, l.holder())
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", l.Agent, err)
	}
	s := &Session{l: l, who: who, lock: lock}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return s, nil
}

// start finds the end of the ledger and recovers what has none.
func (s *Session) start(ctx context.Context) (err error) {
	if s.tail, err = s.l.readTail(); err != nil {
		return err
	}
	return s.recover(ctx)
}

// begin records what is about to happen.
func (s *Session) begin(ctx context.Context, p plan.Plan, more func(*Record)) (Record, error) {
	if s.open {
		if err := s.start(ctx); err != nil {
			return Record{}, err
		}
	}
	rec, err := s.intent(ctx, p)
	if err != nil {
		return Record{}, err
	}
	more(&rec)
	s.open = true // also if it is not committed: then the ledger may have changed, and is read again
	if s.l.commit != nil {
		if err := s.publish(ctx, rec, p); err != nil {
			return Record{}, err
		}
	}
	if err := s.append(rec, true); err != nil {
		return Record{}, s.kept(err)
	}
	return rec, nil
}

// Close frees the lock.
func (s *Session) Close() error { return s.lock.Close() }

// host is this machine's name.
var host = sync.OnceValue(func() string {
	name, _ := os.Hostname()
	return name
})

// holder tells people who has the lock.
func (l *Ledger) holder() string {
	return fmt.Sprintf("pid %d on %s since %s\n", os.Getpid(), host(), l.clock().Format(time.RFC3339))
}

// folder is one of the agent's in the state.
type folder struct {
	tree fsys.FS
	dir  string
}

func (l *Ledger) folders() []folder {
	return []folder{{l.state, l.records()}, {l.state, TrashPath(l.Agent)}, {l.Archive.Tree, l.Archive.Dir}}
}

// prepare makes the agent's folders in the state. With settle, names that are
// already there are made durable too: the process that made them may have been
// killed before it could.
func (l *Ledger) prepare(settle bool) error {
	for _, at := range l.folders() {
		if !settle {
			if i, err := at.tree.Lstat(at.dir); err == nil && i.IsDir() {
				continue
			}
		}
		if err := vault.MkdirAll(at.tree, l.dur, at.dir, 0o700); err != nil {
			return fmt.Errorf("make %s in the state folder: %w", at.dir, err)
		}
	}
	return nil
}

func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
