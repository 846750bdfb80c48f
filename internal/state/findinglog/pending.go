package findinglog

import (
	"slices"
	"time"

	"tend/internal/model/finding"
)

// alertPause is the pause between alerts for a recurring event; the next one covers all that happened in between.
const alertPause, alertPauseMild = time.Minute, time.Hour

// DueAlerts returns the notices to alert now: those of at least a severity, once, and again at intervals until they are
// acknowledged; not those that another agent's finding covers. They are pending on each channel until Delivered confirms
// them.
func (b *Book) DueAlerts(from finding.Severity, remind time.Duration, channels []string, now time.Time) []Notice {
	var out []Notice
	for _, n := range b.List() {
		if n.Severity < from || n.With != "" || n.Ack != nil || !n.dueAt(remind, now) {
			continue
		}
		mine := b.notes[n.ID]
		mine.Alerted, mine.Pending = &now, slices.Clone(channels)
		out = append(out, *mine)
	}
	return out
}

func (n Notice) dueAt(remind time.Duration, now time.Time) bool {
	if n.Alerted == nil || n.Alerted.After(now.Add(alertPause)) { // the clock was set back
		return true
	}
	since, pause := now.Sub(*n.Alerted), alertPause
	if n.Severity < finding.Error {
		pause = alertPauseMild
	}
	return n.Event && n.Last.After(*n.Alerted) && since >= pause || remind > 0 && since >= remind
}

// Pending returns notices whose alert is still pending, including those that are over.
func (b *Book) Pending() []Notice {
	return slices.DeleteFunc(b.sortedNotices(), func(n Notice) bool { return len(n.Pending) == 0 || n.Ack != nil })
}

// PendingOn returns a notice that is still pending on a channel.
func (b *Book) PendingOn(id, channel string) (Notice, bool) {
	n := b.notes[id]
	if n == nil || n.Ack != nil || !slices.Contains(n.Pending, channel) {
		return Notice{}, false
	}
	return *n, true
}

// Delivered records that the alert of a time has arrived through a channel. It reports whether the channel has a
// newer one pending.
func (b *Book) Delivered(id, channel string, alerted time.Time) (more bool) {
	n := b.notes[id]
	switch {
	case n == nil || n.Alerted == nil:
		return false
	case !n.Alerted.Equal(alerted):
		return slices.Contains(n.Pending, channel)
	}
	n.Pending = slices.DeleteFunc(n.Pending, func(w string) bool { return w == channel })
	if n.Over != nil && len(n.Pending) == 0 {
		delete(b.notes, id)
	}
	return false
}

// Announce records events that are about to happen, so that they are reported even if the process is killed before
// Happened confirms them.
func (b *Book) Announce(source string, found []finding.Finding, now time.Time) {
	for _, f := range found {
		changed := false
		n := b.notes[b.putNotice(source, f, now, true, &changed)]
		n.Announced = true
		n.Times--
	}
}

// Withdraw removes announced events that did not happen.
func (b *Book) Withdraw(source string) (changed bool) {
	for id, n := range b.notes {
		if n.Source != source || !n.Announced {
			continue
		}
		changed = true
		if n.Announced = false; n.Times == 0 {
			delete(b.notes, id)
		}
	}
	return changed
}
