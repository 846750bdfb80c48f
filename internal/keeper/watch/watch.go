// Package watch notices that files of agents change: by the kernel's events where
// it can, by looking now and then where it cannot.
//
// An event is only a hint to look again. When there are more than the kernel keeps,
// or more folders than it watches, everything concerned is looked at instead:
// slower, never blind.
package watch

import (
	"context"
	"errors"
	"os"
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
	Settle    time.Duration // how long the workspace must be still; 0: never told
	// Taken is when the workspace was last taken in: what is newer at the first look
	// counts as changed. Zero: nothing does.
	Taken time.Time
	Poll  time.Duration
}

// Options say who hears of changes.
type Options struct {
	// Guarded is called when a guarded file of an agent may have changed, and
	// Settled when its workspace changed and has been still since. They must not block.
	Guarded func(agent string)
	Settled func(agent string)
	// Degraded is called with how many folders cannot be watched; 0 when all are.
	Degraded func(folders int, why error)
	// MaxWatches bounds the kernel's watches; 0 leaves it to the kernel.
	MaxWatches int
}

// latest is how long a guarded file that is written to all the time may put off
// being looked at.
const latest = 600 * time.Millisecond

// Watcher watches. Make one with New.
type Watcher struct {
	o      Options
	events *fsnotify.Watcher // nil where there is none
	sets   chan []Target
	pings  chan struct{}
	done   chan struct{}
	wg     sync.WaitGroup

	agents map[string]*agent
	dirs   map[string]*dir
	guards map[string][]*agent // by guarded file
	failed error

	soon   map[*agent]bool // with something pending
	behind time.Time       // when to look at everything, after an overflow
	tick   time.Time
}

type agent struct {
	Target
	guarded, memory uint64 // what the files were when last looked at
	known           bool
	unwatched       int // folders the kernel does not watch
	looked          time.Time
	guardFrom       time.Time // first event that was not told yet
	guardLast       time.Time
	memLast         time.Time
}

// dir is a folder and who wants to know of it.
type dir struct {
	users   map[*agent]bool
	memory  []*agent // those in whose workspace it is
	watched bool
}

// New starts to watch nothing yet.
func New(o Options) *Watcher {
	w := &Watcher{o: o, sets: make(chan []Target), pings: make(chan struct{}), done: make(chan struct{}),
		agents: map[string]*agent{}, dirs: map[string]*dir{}, guards: map[string][]*agent{}, soon: map[*agent]bool{}}
	w.events, w.failed = fsnotify.NewBufferedWatcher(4096)
	w.wg.Go(w.run)
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
		case e, ok := <-events:
			if !ok {
				return
			}
			w.event(e)
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

// overflowPause lets a flood pass before all is looked at; it may bring another.
const overflowPause = 250 * time.Millisecond

func (w *Watcher) set(targets []Target) {
	old := w.agents
	w.agents, w.guards = make(map[string]*agent, len(targets)), make(map[string][]*agent, 2*len(targets))
	users := map[string]map[*agent]bool{}
	for _, t := range targets {
		a := old[t.Agent]
		if a == nil {
			a = &agent{}
		}
		a.Target, a.unwatched = t, 0
		w.agents[t.Agent] = a
		for _, g := range t.Guarded {
			w.guards[g] = append(w.guards[g], a)
		}
		for _, d := range foldersOf(t) {
			if users[d] == nil {
				users[d] = map[*agent]bool{}
			}
			users[d][a] = true
		}
	}
	for path, d := range w.dirs {
		d.memory = nil
		if d.users = users[path]; d.users == nil {
			w.forget(path, d)
		}
	}
	for a := range w.soon {
		if w.agents[a.Agent] != a {
			delete(w.soon, a)
		}
	}
	for path, who := range users {
		w.add(path, who)
	}
	w.report()
}

func (w *Watcher) add(path string, who map[*agent]bool) {
	d := w.dirs[path]
	if d == nil {
		d = &dir{users: map[*agent]bool{}}
		w.dirs[path] = d
	}
	for a := range who {
		d.users[a] = true
		if (path == a.Workspace || a.inWorkspace(path)) && !slices.Contains(d.memory, a) {
			d.memory = append(d.memory, a)
		}
	}
	if !d.watched && w.events != nil && (w.o.MaxWatches == 0 || w.watches() < w.o.MaxWatches) {
		err := w.events.Add(path)
		d.watched = err == nil
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			w.failed = err
		}
	}
	for a := range who {
		if !d.watched {
			a.unwatched++
		}
	}
}

func (w *Watcher) watches() int { return len(w.events.WatchList()) }

func (w *Watcher) forget(path string, d *dir) {
	if d.watched && w.events != nil {
		_ = w.events.Remove(path) // the folder may be gone
	}
	delete(w.dirs, path)
}

func (w *Watcher) report() {
	n := 0
	for _, d := range w.dirs {
		if !d.watched {
			n++
		}
	}
	if w.o.Degraded != nil {
		w.o.Degraded(n, w.failed)
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
			w.hint(a, now, true, true)
		}
	}
	for _, a := range w.guards[e.Name] {
		w.hint(a, now, true, false)
	}
	parent := w.dirs[filepath.Dir(e.Name)]
	if parent == nil {
		return
	}
	for _, a := range parent.memory {
		w.hint(a, now, false, strings.HasSuffix(e.Name, ".md"))
		if e.Op.Has(fsnotify.Create) && isFolder(e.Name) {
			if a.Settle > 0 {
				w.add(e.Name, map[*agent]bool{a: true})
			}
			w.hint(a, now, true, true)
		}
	}
}

func (w *Watcher) hint(a *agent, now time.Time, guarded, memory bool) {
	if guarded {
		a.guardLast = now
		if a.guardFrom.IsZero() {
			a.guardFrom = now
		}
	}
	if memory && a.Settle > 0 {
		a.memLast = now
	}
	if !a.guardFrom.IsZero() || !a.memLast.IsZero() {
		w.soon[a] = true
	}
}
