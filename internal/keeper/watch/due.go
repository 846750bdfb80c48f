package watch

import "time"

// latest is how long a guarded file that is written to all the time may put off
// being looked at.
const latest = 600 * time.Millisecond

// patience is how many times Settle a memory file may put off being taken in by being
// written to all the time.
const patience = 10

// most is how many changed files of an agent are told apart.
const most = 64

func (w *Watcher) hintGuarded(a *agent, now time.Time) {
	a.guardLast = now
	if a.guardFrom.IsZero() {
		a.guardFrom = now
	}
	w.soon[a] = true
}

// hintMemory notes that a memory file changed; "" is any of them. Each has its own quiet
// moment: one that is never still does not keep the others from theirs.
func (w *Watcher) hintMemory(a *agent, name string, now time.Time) {
	if a.Settle <= 0 {
		return
	}
	if len(a.mem) >= most {
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
	if !had && len(a.mem) > 1 || had && was.Add(a.Settle).After(a.memAt) {
		return // another one is due before
	}
	a.memAt = a.memFrom.Add(patience * a.Settle)
	for _, last := range a.mem {
		if at := last.Add(a.Settle); at.Before(a.memAt) {
			a.memAt = at
		}
	}
	w.soon[a] = true
}

// tell makes the calls for all that has been still for long enough.
func (w *Watcher) tell(now time.Time) {
	w.takeTurns(now)
	for a := range w.soon {
		if at := a.guardDue(); !at.IsZero() && !now.Before(at) {
			a.guardFrom = time.Time{}
			w.o.Guarded(a.Agent)
		}
		if len(a.mem) > 0 && !now.Before(a.memAt) {
			// All files are taken in then, as they are.
			clear(a.mem)
			w.o.Settled(a.Agent)
		}
		if a.guardFrom.IsZero() && len(a.mem) == 0 {
			delete(w.soon, a)
		}
	}
	w.report(now)
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

// report says how many folders are not watched, when that changed.
func (w *Watcher) report(now time.Time) {
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
		if len(a.mem) > 0 {
			sooner(a.memAt)
		}
	}
	sooner(w.behind)
	sooner(w.tick)
	return d
}
