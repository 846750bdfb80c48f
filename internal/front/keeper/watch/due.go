package watch

import "time"

// maxGuardDelay bounds how long constant writes can delay the check of a guarded file.
const maxGuardDelay = 600 * time.Millisecond

// maxQuiets is how long constant writes can delay a report, in quiet periods.
const maxQuiets = 10

// maxTracked is how many changed files of an agent are tracked separately.
const maxTracked = 64

// hintGuarded records that a guarded file of an agent may have changed; seen says that something did.
func (w *Watcher) hintGuarded(a *agent, seen bool, now time.Time) {
	a.guardLast, a.guardSeen = now, a.guardSeen || seen
	if a.guardFrom.IsZero() {
		a.guardFrom = now
	}
	w.soon[a] = true
}

// hintMemory records that a memory file changed; "" is any of them. Each has its own quiet period, so a file that is
// written all the time does not delay the others.
func (w *Watcher) hintMemory(a *agent, name string, now time.Time) {
	if a.MemoryQuiet <= 0 {
		return
	}
	if len(a.mem) >= maxTracked {
		name = ""
	}
	if len(a.mem) == 0 {
		a.memFrom = now
		if w.o.Changed != nil {
			w.o.Changed(a.Agent)
		}
	}
	was, had := a.mem[name]
	a.mem[name] = now
	otherIsNext := len(a.mem) > 1
	if had {
		otherIsNext = was.Add(a.MemoryQuiet).After(a.memAt)
	}
	if otherIsNext {
		return // memAt stays
	}
	a.memAt = a.memFrom.Add(maxQuiets * a.MemoryQuiet)
	for _, last := range a.mem {
		if at := last.Add(a.MemoryQuiet); at.Before(a.memAt) {
			a.memAt = at
		}
	}
	w.soon[a] = true
}

// callBack calls back for everything that has been quiet for long enough.
func (w *Watcher) callBack(now time.Time) {
	w.startScans(now)
	for a := range w.soon {
		if at := a.guardDue(); !at.IsZero() && !now.Before(at) {
			w.o.Guarded(a.Agent, a.guardSeen)
			a.guardFrom, a.guardSeen = time.Time{}, false
		}
		if len(a.mem) > 0 && !now.Before(a.memAt) {
			// Quieted takes all files as they are then.
			clear(a.mem)
			w.o.Quieted(a.Agent)
		}
		if a.guardFrom.IsZero() && len(a.mem) == 0 {
			delete(w.soon, a)
		}
	}
	w.reportUnwatched(now)
}

// guardDue returns when the agent's guarded files are to be checked; zero if no change is known.
func (a *agent) guardDue() time.Time {
	if a.guardFrom.IsZero() {
		return time.Time{}
	}
	at := a.guardLast.Add(a.Quiet)
	if latest := a.guardFrom.Add(max(maxGuardDelay, a.Quiet)); at.After(latest) {
		return latest
	}
	return at
}

// reportUnwatched reports how many folders are not watched, when that number changes.
func (w *Watcher) reportUnwatched(now time.Time) {
	if w.o.Degraded == nil || now.Before(w.reportAt) {
		return
	}
	n := 0
	for _, d := range w.dirs {
		if !d.watched && !d.absent {
			n++
		}
	}
	w.reportAt = now.Add(time.Second)
	if n != w.reported {
		w.reported = n
		w.o.Degraded(n, w.failed)
	}
}

// untilNext returns how long to wait for events.
func (w *Watcher) untilNext(now time.Time) time.Duration {
	d := time.Minute
	sooner := func(t time.Time) {
		if !t.IsZero() {
			d = min(d, max(t.Sub(now), time.Millisecond))
		}
	}
	for a := range w.soon {
		sooner(a.guardDue())
		if len(a.mem) > 0 {
			sooner(a.memAt)
		}
	}
	sooner(w.rescanAllAt)
	sooner(w.checkScansAt)
	return d
}
