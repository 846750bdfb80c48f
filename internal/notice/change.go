package notice

import (
	"strings"
	"time"

	"tend/internal/finding"
)

// mostDiff bounds what is kept of a diff, and sent with an alert.
const mostDiff = 8 << 10

// Holds replaces what a source says holds now: what it no longer says is over. It
// reports whether anything but times changed.
func (b *Book) Holds(source string, found []finding.Finding, now time.Time) bool {
	changed := false
	seen := map[string]bool{}
	for _, f := range found {
		id := b.put(source, f, now, false, &changed)
		seen[id] = true
	}
	for id, n := range b.notes {
		if n.Source == source && !n.Event && !seen[id] {
			delete(b.notes, id)
			changed = true
		}
	}
	return changed
}

// Happened adds events.
func (b *Book) Happened(source string, found []finding.Finding, now time.Time) bool {
	changed := false
	for _, f := range found {
		b.put(source, f, now, true, &changed)
	}
	return changed
}

func (b *Book) put(source string, f finding.Finding, now time.Time, event bool, changed *bool) string {
	if f.Agent == "" && b.Agent != House {
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
	switch {
	case event:
		// It happened again: what was acknowledged is the one before.
		*changed = true
		n.Ack, n.Told = nil, nil
		if n.Times == 0 {
			n.First = now
		}
	case n.Text != f.Text:
		*changed = true
	}
	n.Finding, n.Last = f, now
	n.Times++
	return id
}

// Tidy drops what is over.
func (b *Book) Tidy(now time.Time) bool {
	changed := false
	for id, n := range b.notes {
		if n.Event && (now.Sub(n.Last) > kept || n.Ack != nil && now.Sub(n.Ack.At) > keptAcked) {
			delete(b.notes, id)
			changed = true
		}
	}
	return changed
}

// ToTell is what somebody should hear of now: from a severity on, once, and again
// every so often while nobody has acknowledged it. Those are marked as told.
func (b *Book) ToTell(from finding.Severity, remind time.Duration, now time.Time) []Notice {
	var out []Notice
	for _, n := range b.List() {
		mine := b.notes[n.ID]
		switch {
		case n.Severity < from, n.Ack != nil:
		case n.Told == nil, remind > 0 && now.Sub(*n.Told) >= remind:
			out = append(out, n)
			mine.Told = &now
		}
	}
	return out
}

// Len is how many notices there are.
func (b *Book) Len() int { return len(b.notes) }
