package notice

import (
	"slices"
	"time"

	"tend/internal/model/finding"
)

// again is the pause between alerts for a recurring event; the next one covers all that happened in between.
const again, againMild = time.Minute, time.Hour

// ToTell returns the notices to alert now: those of at least a severity, once, and again at intervals until they are
// acknowledged; not those that another agent's finding covers. They are pending on each channel until Delivered confirms
// them.
func (b *Book) ToTell(from finding.Severity, remind time.Duration, channels []string, now time.Time) []Notice {
	var out []Notice
	for _, n := range b.List() {
		if n.Severity < from || n.With != "" || n.Ack != nil || !n.dueAt(remind, now) {
			continue
		}
		mine := b.notes[n.ID]
		mine.Told, mine.Owed = &now, slices.Clone(channels)
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

// Owed returns notices whose alert is still pending, including those that are over.
func (b *Book) Owed() []Notice {
	return slices.DeleteFunc(b.sorted(), func(n Notice) bool { return len(n.Owed) == 0 || n.Ack != nil })
}

// OwedBy returns a notice that is still pending on a channel.
func (b *Book) OwedBy(id, channel string) (Notice, bool) {
	n := b.notes[id]
	if n == nil || n.Ack != nil || !slices.Contains(n.Owed, channel) {
		return Notice{}, false
	}
	return *n, true
}

// Delivered records that the alert of a time has arrived through a channel. It reports whether the channel has a
// newer one pending.
func (b *Book) Delivered(id, channel string, told time.Time) (more bool) {
	n := b.notes[id]
	switch {
	case n == nil || n.Told == nil:
		return false
	case !n.Told.Equal(told):
		return slices.Contains(n.Owed, channel)
	}
	n.Owed = slices.DeleteFunc(n.Owed, func(w string) bool { return w == channel })
	if n.Over != nil && len(n.Owed) == 0 {
		delete(b.notes, id)
	}
	return false
}

// Foresee records events that are about to happen, so that they are reported even if the process is killed before
// Happened confirms them.
func (b *Book) Foresee(source string, found []finding.Finding, now time.Time) {
	for _, f := range found {
		changed := false
		n := b.notes[b.put(source, f, now, true, &changed)]
		n.Foreseen = true
		n.Times--
	}
}

// Withdraw removes foreseen events that did not happen.
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
