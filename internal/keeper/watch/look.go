package watch

import (
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// fingerprint is enough of a file to tell that it was changed.
type fingerprint struct {
	size, mod, change int64
	ino               uint64
}

// maxFolders bounds the folders watched for one agent, maxDepth how deep they are.
const maxFolders, maxDepth = 64, 4

// foldersOf are the folders in which an agent's files are.
func foldersOf(t Target) []string {
	seen := map[string]bool{}
	var out []string
	add := func(d string) {
		if !seen[d] && len(out) < maxFolders {
			seen[d] = true
			out = append(out, d)
		}
	}
	for _, g := range t.Guarded {
		add(filepath.Dir(g))
	}
	if t.Workspace != "" && t.Settle > 0 {
		walk(t.Workspace, 0, func(dir string, _ []fs.DirEntry) { add(dir) })
	}
	return out
}

// walk calls do for a folder and those below it that may hold memory files.
func walk(dir string, depth int, do func(string, []fs.DirEntry)) {
	entries, err := os.ReadDir(dir)
	if err != nil && depth > 0 {
		return
	}
	do(dir, entries)
	if depth >= maxDepth {
		return
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() && (!strings.HasPrefix(name, ".") || name == ".learnings") && name != "node_modules" {
			walk(filepath.Join(dir, name), depth+1, do)
		}
	}
}

func isFolder(name string) bool {
	i, err := os.Lstat(name)
	return err == nil && i.IsDir() && !strings.HasPrefix(filepath.Base(name), ".")
}

func (a *agent) inWorkspace(name string) bool {
	return a.Workspace != "" && strings.HasPrefix(name, a.Workspace+string(filepath.Separator))
}

// look compares an agent's files with what they were when last looked at.
func (a *agent) look() (guarded, memory bool) {
	g := hashOf(func(add func(string, os.FileInfo)) {
		for _, name := range a.Guarded {
			i, _ := os.Stat(name)
			add(name, i)
		}
	})
	m, newest := a.memory, time.Time{}
	if a.Workspace != "" && a.Settle > 0 {
		m = hashOf(func(add func(string, os.FileInfo)) {
			walk(a.Workspace, 0, func(dir string, entries []fs.DirEntry) {
				for _, e := range entries {
					if strings.HasSuffix(e.Name(), ".md") {
						i, _ := e.Info()
						if i != nil && i.ModTime().After(newest) {
							newest = i.ModTime()
						}
						add(filepath.Join(dir, e.Name()), i)
					}
				}
			})
		})
	}
	// What was never looked at may have changed while nobody watched.
	guarded, memory = !a.known || g != a.guarded, a.known && m != a.memory
	if !a.known && !a.Taken.IsZero() {
		memory = newest.After(a.Taken)
	}
	a.guarded, a.memory, a.known = g, m, true
	return guarded, memory
}

func hashOf(each func(add func(string, os.FileInfo))) uint64 {
	h := fnv.New64a()
	each(func(name string, i os.FileInfo) {
		h.Write([]byte(name))
		if i == nil {
			h.Write([]byte{0})
			return
		}
		f := mark(i)
		for _, x := range []uint64{uint64(f.size), uint64(f.mod), uint64(f.change), f.ino} {
			var b [8]byte
			for k := range b {
				b[k] = byte(x >> (8 * k))
			}
			h.Write(b[:])
		}
	})
	return h.Sum64()
}

// tell calls those who want to know, for all that has been still for long enough.
func (w *Watcher) tell(now time.Time) {
	w.takeTurns(now)
	for a := range w.soon {
		if at := a.guardDue(); !at.IsZero() && !now.Before(at) {
			a.guardFrom = time.Time{}
			w.o.Guarded(a.Agent)
		}
		if at := a.memDue(); !at.IsZero() && !now.Before(at) {
			a.memLast = time.Time{}
			w.o.Settled(a.Agent)
		}
		if a.guardFrom.IsZero() && a.memLast.IsZero() {
			delete(w.soon, a)
		}
	}
}

func (a *agent) guardDue() time.Time {
	if a.guardFrom.IsZero() {
		return time.Time{}
	}
	at := a.guardLast.Add(a.Quiet)
	if most := a.guardFrom.Add(max(latest, a.Quiet)); at.After(most) {
		return most
	}
	return at
}

func (a *agent) memDue() time.Time {
	if a.memLast.IsZero() {
		return time.Time{}
	}
	return a.memLast.Add(a.Settle)
}

// atOnce is how many agents are looked at before events are taken in again.
const atOnce = 500

// unwatchedEvery is how often an agent is looked at whose folders the kernel does not watch.
const unwatchedEvery = time.Second

// takeTurns looks at agents whose time has come, a few at a time.
func (w *Watcher) takeTurns(now time.Time) {
	if !w.behind.IsZero() && !now.Before(w.behind) {
		w.behind, w.tick = time.Time{}, now
		for _, a := range w.agents {
			a.looked = time.Time{}
		}
	}
	if now.Before(w.tick) {
		return
	}
	w.tick = now.Add(unwatchedEvery)
	n := 0
	for _, a := range w.agents {
		if now.Before(a.lookDue()) {
			continue
		}
		a.looked = now
		guarded, memory := a.look()
		w.hint(a, now, guarded, memory)
		if a.unwatched > 0 {
			w.rewatch(a)
		}
		if n++; n == atOnce {
			w.tick = now.Add(10 * time.Millisecond) // there are more
			return
		}
	}
}

// rewatch tries again to watch folders that could not be watched, or were made anew.
func (w *Watcher) rewatch(a *agent) {
	before := a.unwatched
	a.unwatched = 0
	for _, path := range foldersOf(a.Target) {
		w.add(path, map[*agent]bool{a: true})
	}
	if (before == 0) != (a.unwatched == 0) {
		w.report()
	}
}

func (a *agent) lookDue() time.Time {
	if a.unwatched > 0 {
		return a.looked.Add(unwatchedEvery)
	}
	return a.looked.Add(a.Poll)
}

// sleep is how long there is nothing to do but to wait for events.
func (w *Watcher) sleep(now time.Time) time.Duration {
	d := time.Minute
	sooner := func(t time.Time) {
		if !t.IsZero() {
			d = min(d, max(t.Sub(now), time.Millisecond))
		}
	}
	for a := range w.soon {
		sooner(a.guardDue())
		sooner(a.memDue())
	}
	sooner(w.behind)
	sooner(w.tick)
	return d
}
