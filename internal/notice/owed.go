package notice

import (
	"slices"
	"time"

	"tend/internal/finding"
)

// again is how long an event that happens again and again is not told again: then once
// for all that came in between.
const again, againMild = time.Minute, time.Hour

// ToTell is what somebody should hear of now: from a severity on, once, and again
// every so often while nobody has acknowledged it; not what the finding of another agent
// tells too. Those are marked as told, and as owed by each way until Delivered says that
// it arrived there.
func (b *Book) ToTell(from finding.Severity, remind time.Duration, ways []string, now time.Time) []Notice {
	var out []Notice
	for _, n := range b.List() {
		if n.Severity < from || n.With != "" || n.Ack != nil || !n.dueAt(remind, now) {
			continue
		}
		mine := b.notes[n.ID]
		mine.Told, mine.Owed = &now, slices.Clone(ways)
		out = append(out, *mine)
	}
	return out
}

func (n Notice) dueAt(remind time.Duration, now time.Time) bool {
	if n.Told == nil || n.Told.After(now.Add(again)) { // the clock was set back
		return true
	}
	since, pause := now.Sub(*n.Told), again
	if n.Severity < finding.Error {
		pause = againMild
	}
	return n.Event && n.Last.After(*n.Told) && since >= pause || remind > 0 && since >= remind
}

// Owed is what somebody should have heard of and has not, what is over included.
func (b *Book) Owed() []Notice {
	return slices.DeleteFunc(b.sorted(), func(n Notice) bool { return len(n.Owed) == 0 || n.Ack != nil })
}

// OwedBy returns a notice that is still owed by a way.
func (b *Book) OwedBy(id, way string) (Notice, bool) {
	n := b.notes[id]
	if n == nil || n.Ack != nil || !slices.Contains(n.Owed, way) {
		return Notice{}, false
	}
	return *n, true
}

// Delivered notes that what was told at a moment has arrived by a way. It reports
// whether that way owes something newer.
func (b *Book) Delivered(id, way string, told time.Time) (more bool) {
	n := b.notes[id]
	switch {
	case n == nil || n.Told == nil:
		return false
	case !n.Told.Equal(told):
		return slices.Contains(n.Owed, way)
	}
	n.Owed = slices.DeleteFunc(n.Owed, func(w string) bool { return w == way })
	if n.Over != nil && len(n.Owed) == 0 {
		delete(b.notes, id)
	}
	return false
}

// Foresee notes events that are about to happen, so that they are reported even if the
// process is killed before Happened confirms them.
func (b *Book) Foresee(source string, found []finding.Finding, now time.Time) {
	for _, f := range found {
		changed := false
		n := b.notes[b.put(source, f, now, true, &changed)]
		n.Foreseen = true
		n.Times--
	}
}

// Withdraw takes back what was foreseen and did not come about.
func (b *Book) Withdraw(source string) (changed bool) {
	for id, n := range b.notes {
		if n.Source != source || !n.Foreseen {
			continue
		}
		changed = true
		if n.Foreseen = false; n.Times == 0 {
			delete(b.notes, id)
		}
	}
	return changed
}
