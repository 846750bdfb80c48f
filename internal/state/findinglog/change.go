package findinglog

import (
	"strings"
	"time"

	"tend/internal/model/finding"
)

// mostDiff bounds the size of a diff that is kept and sent with an alert.
const mostDiff = 8 << 10

// Holds replaces the conditions that a source reports; those it no longer reports are over. It reports whether
// anything but times changed.
func (b *Book) Holds(source string, found []finding.Finding, now time.Time) bool {
	changed := false
	seen := map[string]bool{}
	for _, f := range found {
		id := b.putNotice(source, f, now, false, &changed)
		seen[id] = true
	}
	for id, n := range b.notes {
		if n.Source != source || n.Event || seen[id] || n.Over != nil {
			continue
		}
		changed = true
		if len(n.Pending) > 0 && n.Ack == nil {
			n.Over = &now // its alert is still to be delivered
		} else {
			delete(b.notes, id)
		}
	}
	return changed
}

// Split separates conditions, which hold until they are fixed, from events.
func Split(found []finding.Finding) (hold, events []finding.Finding) {
	for _, f := range found {
		switch f.Code {
		case finding.Drift.Code, finding.LateWrite.Code, finding.Recovered.Code:
			events = append(events, f)
		default:
			hold = append(hold, f)
		}
	}
	return hold, events
}

// Happened adds events.
func (b *Book) Happened(source string, found []finding.Finding, now time.Time) bool {
	changed := false
	for _, f := range found {
		b.putNotice(source, f, now, true, &changed)
	}
	return changed
}

func (b *Book) putNotice(source string, f finding.Finding, now time.Time, event bool, changed *bool) string {
	if f.Agent == "" && b.Agent != NoAgent {
		f.Agent = b.Agent
	}
	if len(f.Diff) > mostDiff {
		f.Diff = strings.ToValidUTF8(f.Diff[:mostDiff], "") + "\n… (more)\n"
	}
	id := idOf(source, f)
	n := b.notes[id]
	if n == nil {
		n = &Notice{ID: id, Source: source, First: now, Event: event}
		b.notes[id] = n
		*changed = true
	}
	if event || n.Ack != nil && n.Ack.Undone {
		n.Ack, *changed = nil, true // the acknowledgement was for the one before
	}
	if event || n.Text != f.Text || n.With != f.With || n.Over != nil {
		*changed = true
	}
	n.Finding, n.Last, n.Over, n.Announced = f, now, nil, false
	n.Times++
	return id
}

// Tidy drops what is over.
func (b *Book) Tidy(now time.Time) bool {
	changed := false
	for id, n := range b.notes {
		if n.Event && (now.Sub(n.Last) > eventShown || n.Ack != nil && now.Sub(n.Ack.At) > ackedShown) {
			delete(b.notes, id)
			changed = true
		}
	}
	return changed
}

// Len returns the number of notices.
func (b *Book) Len() int { return len(b.notes) }
