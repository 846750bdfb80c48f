// Package watch notices changes of agents' files: by the kernel's events where it can, by polling where it cannot.
//
// An event is only a hint to scan again. After an event overflow, or with more folders than the kernel watches,
// everything concerned is scanned instead: slower, but nothing is missed. The watcher itself reads no files: scans run
// beside it, a few at a time, so that a disk that does not answer delays nothing else.
package watch

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Target is what is watched for one agent.
type Target struct {
	Agent string
	// Guarded are the operator's files: absolute paths.
	Guarded []string
	// Workspace is the folder whose markdown files are watched, "" for none.
	Workspace   string
	Quiet       time.Duration // quiet period of a guarded file
	MemoryQuiet time.Duration // quiet period of a memory file; 0: never reported
	// Taken is when the workspace was last committed: what is newer at the first scan counts as changed. Zero: nothing
	// does.
	Taken time.Time
	Poll  time.Duration
}

// Options are the callbacks of a Watcher.
type Options struct {
	// Guarded is called when a guarded file of an agent may have changed, with seen false if only because it was scanned for
	// the first time, Quieted when a memory file changed and has been quiet since. They must not block.
	Guarded func(agent string, seen bool)
	Quieted func(agent string)
	// Changed, if not nil, is called as soon as memory files begin to change.
	Changed func(agent string)
	// Degraded is called with the number of folders that cannot be watched; 0 when all are.
	Degraded func(folders int, why error)
	// MaxWatches bounds the kernel's watches; 0 leaves it to the kernel.
	MaxWatches int

	touch func(agent string) // for tests: called before an agent's files are touched
}

// Watcher watches files. Create one with New.
type Watcher struct {
	o      Options
	began  time.Time
	events *fsnotify.Watcher // nil if not available
	sets   chan []Target
	pings  chan struct{}
	seen   chan scanResult
	fresh  chan newPath  // for findFolders
	found  chan []*agent // agents with new folders
	done   chan struct{}
	wg     sync.WaitGroup

	mu    sync.Mutex
	stuck map[string]time.Time // agents whose files do not answer, since when

	agents map[string]*agent
	dirs   map[string]*dir
	guards map[string][]*agent // by guarded file
	failed error

	soon         map[*agent]bool      // agents for which a callback is due soon
	rescanAllAt  time.Time            // after an overflow of events; zero if there was none
	checkScansAt time.Time            // when to look next which agents are due for a scan
	pending      []*agent             // waiting for a scan, in order
	scanning     map[*agent]time.Time // being scanned, since when
	reported     int                  // unwatched folders at the last call of Degraded
	reportAt     time.Time            // when Degraded may be called next
}

type agent struct {
	Target
	folders         []string // as of the last scan
	guarded, memory uint64   // hashes of the last scan
	known           bool     // it was scanned before
	queued          bool     // in Watcher.pending
	rewalk          bool     // find and watch folders in the next scan
	gone            bool     // no longer a target
	unwatched       int      // folders the kernel does not watch
	scanned         time.Time
	guardFrom       time.Time // first event not reported yet
	guardLast       time.Time
	guardSeen       bool                 // one of them was a change, not only the first scan
	mem             map[string]time.Time // changed memory files, with their last change
	memFrom, memAt  time.Time            // first of those events, and when to report them
}

// dir is a folder and the agents it concerns.
type dir struct {
	users   map[*agent]bool
	memory  map[*agent]bool // agents in whose workspace it is
	watched bool
	absent  bool // it does not exist
}

// New starts a watcher without targets.
func New(o Options) *Watcher {
	w := &Watcher{o: o, began: time.Now(), sets: make(chan []Target), pings: make(chan struct{}), seen: make(chan scanResult),
		fresh: make(chan newPath, 4096),
		found: make(chan []*agent), done: make(chan struct{}),
		stuck: map[string]time.Time{}, agents: map[string]*agent{}, dirs: map[string]*dir{}, guards: map[string][]*agent{},
		soon: map[*agent]bool{}, scanning: map[*agent]time.Time{}}
	w.events, w.failed = fsnotify.NewBufferedWatcher(4096)
	w.wg.Go(w.run)
	go w.findFolders() // not waited for: its disk may never answer
	return w
}

// Set replaces what is watched.
func (w *Watcher) Set(targets []Target) {
	select {
	case w.sets <- targets:
	case <-w.done:
	}
}

// Ping reports whether the watcher's loop answers before the context ends.
func (w *Watcher) Ping(ctx context.Context) bool {
	select {
	case w.pings <- struct{}{}:
		return true
	case <-w.done:
	case <-ctx.Done():
	}
	return false
}

// Stuck returns the agents whose files do not answer, and since when.
func (w *Watcher) Stuck() map[string]time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make(map[string]time.Time, len(w.stuck))
	maps.Copy(out, w.stuck)
	return out
}

// Close stops watching.
func (w *Watcher) Close() error {
	close(w.done)
	w.wg.Wait()
	if w.events != nil {
		return w.events.Close()
	}
	return nil
}

func (w *Watcher) run() {
	var events chan fsnotify.Event
	var errs chan error
	if w.events != nil {
		events, errs = w.events.Events, w.events.Errors
	}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Reset(w.untilNext(time.Now()))
		select {
		case <-w.done:
			return
		case <-w.pings:
		case targets := <-w.sets:
			w.set(targets)
		case agents := <-w.found:
			for _, a := range agents {
				w.rescanSoon(a)
				w.hintGuarded(a, true, time.Now())
			}
		case s := <-w.seen:
			w.applyScan(s)
		case e, ok := <-events:
			if !ok {
				return
			}
			w.handleEvent(e)
			w.handleQueued(events)
		case err, ok := <-errs:
			if !ok {
				return
			}
			if errors.Is(err, fsnotify.ErrEventOverflow) && w.rescanAllAt.IsZero() {
				w.rescanAllAt = time.Now().Add(overflowPause)
			}
		case <-timer.C:
		}
		w.callBack(time.Now())
	}
}

// handleQueued handles events that are already queued, before the callbacks run.
func (w *Watcher) handleQueued(events chan fsnotify.Event) {
	for range 1000 {
		select {
		case e, ok := <-events:
			if !ok {
				return
			}
			w.handleEvent(e)
		default:
			return
		}
	}
}

// overflowPause is the wait after an event overflow before everything is scanned.
const overflowPause = 250 * time.Millisecond

func (w *Watcher) set(targets []Target) {
	old := w.agents
	w.agents, w.guards = make(map[string]*agent, len(targets)), make(map[string][]*agent, 2*len(targets))
	for _, t := range targets {
		a := old[t.Agent]
		if a == nil {
			a = &agent{mem: map[string]time.Time{}}
		}
		delete(old, t.Agent)
		a.Target, a.rewalk, a.scanned = t, true, time.Time{}
		w.agents[t.Agent] = a
		for _, g := range t.Guarded {
			w.guards[g] = append(w.guards[g], a)
		}
	}
	for _, a := range old {
		a.gone = true
		w.pending = slices.DeleteFunc(w.pending, func(x *agent) bool { return x == a })
		w.unsubscribe(a, a.folders)
		delete(w.soon, a)
	}
	w.checkScansAt = time.Now()
}

// subscribe subscribes an agent to folders.
func (w *Watcher) subscribe(a *agent, folders []folder) {
	a.unwatched = 0
	for _, f := range folders {
		d := w.dirs[f.path]
		if d == nil {
			d = &dir{users: map[*agent]bool{}, memory: map[*agent]bool{}}
			w.dirs[f.path] = d
		}
		d.users[a] = true
		if f.path == a.Workspace || a.inWorkspace(f.path) {
			d.memory[a] = true
		}
		d.watched, d.absent = f.err == nil, errors.Is(f.err, errAbsent)
		if !d.watched {
			a.unwatched++
			if !d.absent {
				w.failed = f.err
			}
		}
	}
}

// unsubscribe unsubscribes an agent from folders.
func (w *Watcher) unsubscribe(a *agent, folders []string) {
	for _, path := range folders {
		d := w.dirs[path]
		if d == nil {
			continue
		}
		delete(d.users, a)
		delete(d.memory, a)
		if len(d.users) > 0 {
			continue
		}
		if d.watched && w.events != nil {
			_ = w.events.Remove(path) // the folder may be gone
		}
		delete(w.dirs, path)
	}
}

func (w *Watcher) handleEvent(e fsnotify.Event) {
	if e.Op == fsnotify.Chmod {
		return
	}
	now := time.Now()
	if d := w.dirs[e.Name]; d != nil && e.Op.Has(fsnotify.Remove|fsnotify.Rename) {
		// The folder itself is gone: scans find what replaces it.
		d.watched = false
		for a := range d.users {
			a.unwatched++
			a.rewalk = true
			w.hintGuarded(a, true, now)
			w.hintMemory(a, "", now)
		}
	}
	for _, a := range w.guards[e.Name] {
		w.hintGuarded(a, true, now)
	}
	parent := w.dirs[filepath.Dir(e.Name)]
	if parent == nil {
		return
	}
	var fresh []*agent
	for a := range parent.memory {
		if strings.HasSuffix(e.Name, ".md") {
			w.hintMemory(a, e.Name, now)
		} else if e.Op.Has(fsnotify.Create) {
			fresh = append(fresh, a)
		}
	}
	if len(fresh) > 0 {
		w.queueNewPath(e.Name, fresh) // it may be a folder
	}
}
