// Package watch notices that files of agents change: by the kernel's events where
// it can, by looking now and then where it cannot.
//
// An event is only a hint to look again. When there are more than the kernel keeps,
// or more folders than it watches, everything concerned is looked at instead:
// slower, never blind. The watcher itself touches no file of an agent: those who look do,
// a few at a time, so that a disk that does not answer holds up nobody else.
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
	// Guarded are the files whose text is the operator's: absolute paths.
	Guarded []string
	// Workspace is the folder whose markdown files are remembered, "" for none.
	Workspace string
	Quiet     time.Duration // how long a guarded file must be still
	Settle    time.Duration // how long a memory file must be still; 0: never told
	// Taken is when the workspace was last taken in: what is newer at the first look
	// counts as changed. Zero: nothing does.
	Taken time.Time
	Poll  time.Duration
}

// Options say who is called on changes.
type Options struct {
	// Guarded is called when a guarded file of an agent may have changed, and
	// Settled when a memory file changed and has been still since. They must not block.
	Guarded func(agent string)
	Settled func(agent string)
	// Changed, if not nil, hears at once that memory files begin to change.
	Changed func(agent string)
	// Degraded is called with how many folders cannot be watched; 0 when all are.
	Degraded func(folders int, why error)
	// MaxWatches bounds the kernel's watches; 0 leaves it to the kernel.
	MaxWatches int

	touch func(agent string) // for tests: called before an agent's files are touched
}

// Watcher watches. Make one with New.
type Watcher struct {
	o      Options
	events *fsnotify.Watcher // nil where there is none
	sets   chan []Target
	pings  chan struct{}
	seen   chan sight
	fresh  chan made     // to find out whether it is a folder
	found  chan []*agent // who has new folders
	done   chan struct{}
	wg     sync.WaitGroup

	mu    sync.Mutex
	stuck map[string]time.Time // agents whose files do not answer, since when

	agents map[string]*agent
	dirs   map[string]*dir
	guards map[string][]*agent // by guarded file
	failed error

	soon     map[*agent]bool // with something pending
	behind   time.Time       // when to look at everything, after an overflow
	tick     time.Time
	line     []*agent             // to be looked at, in order
	out      map[*agent]time.Time // being looked at, since when
	reported int
	reportAt time.Time
}

type agent struct {
	Target
	folders         []string // as of the last look
	guarded, memory uint64   // what the files were when last looked at
	known           bool
	inLine          bool // to be looked at
	rewalk          bool // folders are to be looked for, and watched
	gone            bool // no longer a target
	unwatched       int  // folders the kernel does not watch
	looked          time.Time
	guardFrom       time.Time // first event that was not told yet
	guardLast       time.Time
	mem             map[string]time.Time // memory files that changed, when last
	memFrom, memAt  time.Time            // first of those events, and when they are told
}

// dir is a folder and the agents it concerns.
type dir struct {
	users   map[*agent]bool
	memory  map[*agent]bool // those in whose workspace it is
	watched bool
	absent  bool // there is nothing to watch
}

// New starts to watch nothing yet.
func New(o Options) *Watcher {
	w := &Watcher{o: o, sets: make(chan []Target), pings: make(chan struct{}), seen: make(chan sight), fresh: make(chan made, 4096), found: make(chan []*agent), done: make(chan struct{}),
		stuck: map[string]time.Time{}, agents: map[string]*agent{}, dirs: map[string]*dir{}, guards: map[string][]*agent{},
		soon: map[*agent]bool{}, out: map[*agent]time.Time{}}
	w.events, w.failed = fsnotify.NewBufferedWatcher(4096)
	w.wg.Go(w.run)
	go w.findFolders() // its disk may never answer: nobody waits for it
	return w
}

// Set replaces what is watched.
func (w *Watcher) Set(targets []Target) {
	select {
	case w.sets <- targets:
	case <-w.done:
	}
}

// Ping waits until the watcher has time, and reports whether it did before the context ended.
func (w *Watcher) Ping(ctx context.Context) bool {
	select {
	case w.pings <- struct{}{}:
		return true
	case <-w.done:
	case <-ctx.Done():
	}
	return false
}

// Stuck is the agents whose files do not answer, and since when.
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
		timer.Reset(w.sleep(time.Now()))
		select {
		case <-w.done:
			return
		case <-w.pings:
		case targets := <-w.sets:
			w.set(targets)
		case agents := <-w.found:
			for _, a := range agents {
				w.lookSoon(a)
				w.hintGuarded(a, time.Now())
			}
		case s := <-w.seen:
			w.take(s)
		case e, ok := <-events:
			if !ok {
				return
			}
			w.event(e)
			w.burst(events)
		case err, ok := <-errs:
			if !ok {
				return
			}
			if errors.Is(err, fsnotify.ErrEventOverflow) && w.behind.IsZero() {
				w.behind = time.Now().Add(overflowPause)
			}
		case <-timer.C:
		}
		w.tell(time.Now())
	}
}

// burst takes in what came at the same time, before anybody is told.
func (w *Watcher) burst(events chan fsnotify.Event) {
	for range 1000 {
		select {
		case e, ok := <-events:
			if !ok {
				return
			}
			w.event(e)
		default:
			return
		}
	}
}

// overflowPause lets a flood pass before all is looked at; it may bring another.
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
		a.Target, a.rewalk, a.looked = t, true, time.Time{}
		w.agents[t.Agent] = a
		for _, g := range t.Guarded {
			w.guards[g] = append(w.guards[g], a)
		}
	}
	for _, a := range old {
		a.gone = true
		w.line = slices.DeleteFunc(w.line, func(x *agent) bool { return x == a })
		w.leave(a, a.folders)
		delete(w.soon, a)
	}
	w.tick = time.Now()
}

// enter subscribes an agent to folders.
func (w *Watcher) enter(a *agent, folders []folder) {
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

// leave unsubscribes an agent from folders.
func (w *Watcher) leave(a *agent, folders []string) {
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

func (w *Watcher) event(e fsnotify.Event) {
	if e.Op == fsnotify.Chmod {
		return
	}
	now := time.Now()
	if d := w.dirs[e.Name]; d != nil && e.Op.Has(fsnotify.Remove|fsnotify.Rename) {
		// The folder itself went: what comes in its place is found by looking.
		d.watched = false
		for a := range d.users {
			a.unwatched++
			a.rewalk = true
			w.hintGuarded(a, now)
			w.hintMemory(a, "", now)
		}
	}
	for _, a := range w.guards[e.Name] {
		w.hintGuarded(a, now)
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
		w.create(e.Name, fresh) // it may be a folder
	}
}
