package watch

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// lookers is how many agents are looked at at once, and spareLookers how many more
	// while some of them wait for a disk that does not answer.
	lookers, spareLookers = 8, 64
	// slowAfter is when a look counts as waiting for such a disk.
	slowAfter = 2 * time.Second
	// unwatchedEvery is how often an agent is looked at whose folders the kernel does not watch.
	unwatchedEvery = time.Second
)

// takeTurns has agents looked at whose time has come, a few at a time.
func (w *Watcher) takeTurns(now time.Time) {
	if !w.behind.IsZero() && !now.Before(w.behind) {
		w.behind, w.tick = time.Time{}, now
		for _, a := range w.agents {
			a.looked = time.Time{}
		}
	}
	if !now.Before(w.tick) {
		w.tick = now.Add(unwatchedEvery)
		for _, a := range w.agents {
			if _, busy := w.out[a]; !busy && !a.inLine && !now.Before(a.lookDue()) {
				a.inLine = true
				w.line = append(w.line, a)
			}
		}
	}
	free := lookers - len(w.out)
	if len(w.line) > 0 && free <= 0 || len(w.out) > 0 {
		free += min(w.slow(now), spareLookers)
	}
	for ; free > 0 && len(w.line) > 0; free-- {
		w.send(w.line[0], now)
		w.line = w.line[1:]
	}
}

// send has somebody look at an agent's files.
func (w *Watcher) send(a *agent, now time.Time) {
	walked := a.rewalk || a.unwatched > 0
	a.inLine, a.rewalk, a.looked = false, false, now
	w.out[a] = now
	go func(t Target) {
		s := w.look(a, t, walked)
		select {
		case w.seen <- s:
		case <-w.done:
		}
	}(a.Target)
}

// slow counts looks that wait for a disk, and notes whose they are.
func (w *Watcher) slow(now time.Time) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for a, since := range w.out {
		if now.Sub(since) >= slowAfter {
			n++
			w.stuck[a.Agent] = since
		}
	}
	return n
}

// take compares what was seen with what was there before.
func (w *Watcher) take(s sight) {
	a, now := s.a, time.Now()
	delete(w.out, a)
	w.mu.Lock()
	delete(w.stuck, a.Agent)
	w.mu.Unlock()
	if s.walked && !a.gone {
		w.enter(a, s.folders)
		now := make(map[string]bool, len(s.folders))
		for _, f := range s.folders {
			now[f.path] = true
		}
		var left []string
		for _, path := range a.folders {
			if !now[path] {
				left = append(left, path)
			}
		}
		w.leave(a, left)
		a.folders = a.folders[:0]
		for _, f := range s.folders {
			a.folders = append(a.folders, f.path)
		}
	}
	if a.gone {
		for _, f := range s.folders {
			if w.dirs[f.path] == nil && f.err == nil {
				_ = w.events.Remove(f.path)
			}
		}
		return
	}
	// What was never looked at may have changed while nobody watched.
	if !a.known || s.guarded != a.guarded {
		w.hintGuarded(a, now)
	}
	changed := a.known && s.memory != a.memory
	if !a.known && !a.Taken.IsZero() {
		// A commit follows a quiet moment: what is not that much older came in between.
		changed = s.newest.After(a.Taken.Add(-a.Settle / 2))
	}
	if changed {
		w.hintMemory(a, "", now)
	}
	a.guarded, a.memory, a.known = s.guarded, s.memory, true
}

// lookSoon has an agent's folders looked for, but not more than once a second.
func (w *Watcher) lookSoon(a *agent) {
	a.rewalk = true
	if at := a.lookDue(); at.Before(w.tick) {
		w.tick = at
	}
}

// made is something new in a folder of agents.
type made struct {
	name   string
	agents []*agent
}

// findFolders tells new folders from new files. It touches the disk, so the watcher does not.
func (w *Watcher) findFolders() {
	for {
		select {
		case <-w.done:
			return
		case m := <-w.fresh:
			if i, err := os.Lstat(m.name); err == nil && i.IsDir() && !strings.HasPrefix(filepath.Base(m.name), ".") {
				select {
				case w.found <- m.agents:
				case <-w.done:
					return
				}
			}
		}
	}
}

// create queues something new for findFolders.
func (w *Watcher) create(name string, agents []*agent) {
	select {
	case w.fresh <- made{name, agents}:
	default:
		if w.behind.IsZero() {
			w.behind = time.Now().Add(overflowPause)
		}
	}
}

func (a *agent) lookDue() time.Time {
	if a.unwatched > 0 || a.rewalk {
		return a.looked.Add(unwatchedEvery)
	}
	return a.looked.Add(a.Poll)
}
