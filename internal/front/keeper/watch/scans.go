package watch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// maxScans is how many agents are scanned at once, spareScans how many more while some scans wait for a disk that
	// does not answer.
	maxScans, spareScans = 8, 64
	// slowAfter is when a scan counts as waiting for such a disk.
	slowAfter = 2 * time.Second
	// unwatchedEvery is how often an agent with unwatched folders is scanned.
	unwatchedEvery = time.Second
)

// startScans scans the agents that are due, a few at a time.
func (w *Watcher) startScans(now time.Time) {
	if !w.rescanAllAt.IsZero() && !now.Before(w.rescanAllAt) {
		w.rescanAllAt, w.checkScansAt = time.Time{}, now
		for _, a := range w.agents {
			a.scanned = time.Time{}
		}
	}
	if !now.Before(w.checkScansAt) {
		w.checkScansAt = now.Add(unwatchedEvery)
		for _, a := range w.agents {
			if _, busy := w.scanning[a]; !busy && !a.queued && !now.Before(a.scanDue()) {
				a.queued = true
				w.pending = append(w.pending, a)
			}
		}
	}
	free := maxScans - len(w.scanning) + min(w.recordStuck(now), spareScans)
	for ; free > 0 && len(w.pending) > 0; free-- {
		w.startScan(w.pending[0], now)
		w.pending = w.pending[1:]
	}
}

// startScan scans an agent's files in the background.
func (w *Watcher) startScan(a *agent, now time.Time) {
	walked := a.rewalk || a.unwatched > 0
	a.queued, a.rewalk, a.scanned = false, false, now
	w.scanning[a] = now
	go func(t Target) {
		s := w.scanFiles(a, t, walked)
		select {
		case w.seen <- s:
		case <-w.done:
		}
	}(a.Target)
}

// recordStuck records the agents whose scans wait for a disk, and returns their number.
func (w *Watcher) recordStuck(now time.Time) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for a, since := range w.scanning {
		if now.Sub(since) >= slowAfter {
			n++
			w.stuck[a.Agent] = since
		}
	}
	return n
}

// applyScan compares a scan with the previous one.
func (w *Watcher) applyScan(s scanResult) {
	a, now := s.a, time.Now()
	delete(w.scanning, a)
	w.mu.Lock()
	delete(w.stuck, a.Agent)
	w.mu.Unlock()
	if a.gone {
		for _, f := range s.folders {
			if w.dirs[f.path] == nil && f.err == nil {
				_ = w.events.Remove(f.path)
			}
		}
		return
	}
	if s.walked {
		w.resubscribe(a, s.folders)
	}
	// On the first scan, files may have changed while nothing watched.
	if !a.known || s.guarded != a.guarded {
		w.hintGuarded(a, a.known || s.touched > w.began.UnixNano(), now)
	}
	changed := a.known && s.memory != a.memory
	if !a.known && !a.Taken.IsZero() {
		// A commit follows a quiet period of MemoryQuiet: files not that much older than it changed during the commit.
		changed = s.newest.After(a.Taken.Add(-a.MemoryQuiet / 2))
	}
	if changed {
		w.hintMemory(a, "", now)
	}
	a.guarded, a.memory, a.known = s.guarded, s.memory, true
}

// resubscribe subscribes an agent to the folders that a scan found, and only to them.
func (w *Watcher) resubscribe(a *agent, folders []folder) {
	w.subscribe(a, folders)
	var paths, left []string
	for _, f := range folders {
		paths = append(paths, f.path)
	}
	for _, path := range a.folders {
		if !slices.Contains(paths, path) { // there are at most maxFolders
			left = append(left, path)
		}
	}
	w.unsubscribe(a, left)
	a.folders = paths
}

// rescanSoon rescans an agent's folders, at most once a second.
func (w *Watcher) rescanSoon(a *agent) {
	a.rewalk = true
	if at := a.scanDue(); at.Before(w.checkScansAt) {
		w.checkScansAt = at
	}
}

// newPath is a new file or folder in a folder of agents.
type newPath struct {
	name   string
	agents []*agent
}

// findFolders finds the folders among new paths. It reads the disk, so it runs beside the watcher.
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

// queueNewPath queues a new path for findFolders.
func (w *Watcher) queueNewPath(name string, agents []*agent) {
	select {
	case w.fresh <- newPath{name, agents}:
	default:
		if w.rescanAllAt.IsZero() {
			w.rescanAllAt = time.Now().Add(overflowPause)
		}
	}
}

// scanDue returns when to scan an agent's files next.
func (a *agent) scanDue() time.Time {
	if a.unwatched > 0 || a.rewalk {
		return a.scanned.Add(unwatchedEvery)
	}
	return a.scanned.Add(a.Poll)
}
