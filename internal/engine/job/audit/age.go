package audit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/policy"
	"tend/internal/text/layout"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

func hasDaily(l *inspection) bool    { return l.Sole(layout.Daily) != "" }
func hasBuffer(l *inspection) bool   { return l.Sole(layout.Buffer) != "" }
func hasHot(l *inspection) bool      { return l.Sole(layout.Hot) != "" }
func hasBaseline(l *inspection) bool { return len(l.Baselines) > 0 }

// follows reports whether the agent keeps its memory by one of these protocols. What only a protocol asks for is not wrong
// elsewhere.
func (l *inspection) follows(protocols ...policy.ProtocolName) bool {
	return slices.Contains(protocols, policy.Protocol.Of(l.Policy))
}

func agesSession(l *inspection) bool {
	return l.Sole(layout.Session) != "" && policy.SessionMaxAge.Of(l.Policy) > 0
}

func countsObservations(l *inspection) bool {
	return l.Sole(layout.Observations) != "" && policy.ObservationsMaxLines.Of(l.Policy) > 0
}

func keepsLogs(l *inspection) bool { return hasDaily(l) && l.follows(policy.ProtocolLayered) }

func emptiesBuffer(l *inspection) bool {
	return hasBuffer(l) && l.follows(policy.ProtocolLayered, policy.ProtocolV4) && policy.BufferExpect.Of(l.Policy) == policy.BufferEmpty
}

func writesAhead(l *inspection) bool {
	return hasBuffer(l) && l.follows(policy.ProtocolLayered, policy.ProtocolV4) && policy.BufferExpect.Of(l.Policy) == policy.BufferWAL
}

func countsBuffer(l *inspection) bool {
	return hasBuffer(l) && l.follows(policy.ProtocolLayered, policy.ProtocolV4)
}

// moment returns the latest time a header's value can mean: a date alone means its whole day.
func (l *inspection) moment(value string) (time.Time, bool) {
	value = strings.TrimSpace(value)
	for _, n := range []int{len(value), 25, 19, 16, 10} {
		if n > len(value) {
			continue
		}
		t, ok := note.ParseTime(value[:n], l.Now.Location())
		if !ok {
			continue
		}
		if day, err := note.ParseDay(value[:n]); err == nil {
			end := day.AddDays(1).Start(l.Now.Location()).Add(-time.Second)
			if day == l.Today() && end.After(l.Now) {
				end = l.Now
			}
			return end, true
		}
		return t, true
	}
	return time.Time{}, false
}

// skew is how far a clock may be ahead of ours before a time counts as in the future.
const skew = time.Minute

func sessionAge(l *inspection) {
	p := l.Sole(layout.Session)
	d := l.File(p)
	if d.Version == vault.Absent {
		// Only an agent that once kept a session state can have forgotten it.
		if _, kept := l.Facts.Audit.Left[p]; kept && l.logged(l.Today()) {
			l.flag(p, "missing, though the agent worked today")
		}
		return
	}
	h, ok := l.Parse(d).Header("last_updated")
	if !ok {
		l.flag(p, "it has no \"Last updated\" line")
		return
	}
	t, ok := l.moment(h.Value)
	switch limit := policy.SessionMaxAge.Of(l.Policy).Std(); {
	case !ok:
		l.flagAt(p, h.Line, "%q is not a time", h.Value)
	case t.After(l.Now.Add(skew)):
		l.flagAt(p, h.Line, "last updated %s, in the future", h.Value)
	case l.Now.Sub(t) > limit && l.workedAfter(t):
		l.flagAt(p, h.Line, "last updated %s ago, the limit is %s, and the log continues", age(l.Now.Sub(t)), policy.SessionMaxAge.Of(l.Policy))
	}
}

// logged reports whether the day has a log with entries.
func (l *inspection) logged(day note.Day) bool {
	return slices.ContainsFunc(l.Logs(), func(log job.Log) bool { return log.Day == day && len(l.Parse(log.Doc).Entries(day)) > 0 })
}

// workedAfter reports whether a log has an entry written after t: without one the agent was
// idle, and an old state is still its state.
func (l *inspection) workedAfter(t time.Time) bool {
	from := note.DayOf(t, l.Now.Location())
	for _, log := range l.Logs() {
		if log.Day < from || log.Day > l.Today() {
			continue
		}
		for _, e := range l.Parse(log.Doc).Entries(log.Day) {
			timed := e.Day == log.Day && e.Minute >= 0
			if log.Day > from && !timed || timed && e.Latest(l.Now.Location()).After(t.Add(skew)) {
				return true
			}
		}
	}
	return false
}

func dailyLog(l *inspection) {
	p, today := l.Sole(layout.Daily), l.Today()
	for _, log := range l.Logs() {
		if log.Day == today {
			return
		}
	}
	for _, r := range []struct {
		role   layout.Role
		header string
	}{{layout.Session, "last_updated"}, {layout.Buffer, "last_active"}} {
		d := l.File(l.Sole(r.role))
		if d.Version == vault.Absent || r.role == layout.Buffer && note.ParseBuffer(d.Data, l.Now.Location()).Empty() {
			continue
		}
		h, ok := l.Parse(d).Header(r.header)
		if t, read := l.moment(h.Value); ok && read && note.DayOf(t, l.Now.Location()) == today {
			l.flag(p, "missing, though %s is of today", d.Path)
			return
		}
	}
}

func observationsSize(l *inspection) {
	d := l.File(l.Sole(layout.Observations))
	most := policy.ObservationsMaxLines.Of(l.Policy)
	if n := note.Lines(d.Data); n > most {
		l.flag(d.Path, "%d lines, the limit is %d", n, most)
	}
}

// agesFiles: if the layout has last_verified dates, those say how old a file is, and without
// daily logs an idle agent looks the same as a forgotten file.
func agesFiles(l *inspection) bool {
	_, verified := l.Layout.Header(layout.Semantic)
	return hasDaily(l) && !verified && policy.MemoryStaleAfter.Of(l.Policy) > 0
}

func fileAge(l *inspection) {
	limit := policy.MemoryStaleAfter.Of(l.Policy)
	if !l.workedAfter(l.Now.Add(-limit.Std())) {
		return
	}
	for _, d := range l.WithRoles(layout.Semantic, layout.Procedural, layout.Decisions, layout.Lessons, layout.Observations) {
		if last := l.lastTouch(d); !last.IsZero() && l.Now.Sub(last) >= limit.Std() {
			l.flag(d.Path, "untouched for %s", age(l.Now.Sub(last)))
		}
	}
}

// lastTouch returns the latest sign of use of a file: a date in its text, or its modification
// time. A copied file looks young, which is the harmless error.
func (l *inspection) lastTouch(d vault.Doc) time.Time {
	last := d.ModTime
	doc := l.Parse(d)
	for _, name := range []string{"last_verified", "last_updated"} {
		if h, ok := doc.Header(name); ok {
			if t, ok := l.moment(h.Value); ok && t.After(last) {
				last = t
			}
		}
	}
	for _, e := range doc.Entries(0) {
		if e.Day > 0 && e.Day <= l.Today() && e.DayFrom != note.Mentioned {
			if t := e.Day.Start(l.Now.Location()); t.After(last) {
				last = t
			}
		}
	}
	return last
}

// agesMemory: a file that is reset to a baseline keeps no dated entries.
func agesMemory(l *inspection) bool {
	_, guarded := l.Baselines[l.Sole(layout.Hot)]
	return hasHot(l) && hasDaily(l) && !guarded && policy.MemoryNewestWithin.Of(l.Policy) > 0
}

func memoryAge(l *inspection) {
	hot := l.File(l.Sole(layout.Hot))
	within := policy.MemoryNewestWithin.Of(l.Policy)
	limit := l.Today().AddDays(-within.Days())
	newest := note.Day(0)
	for _, e := range l.Parse(hot).Entries(0) {
		switch {
		case e.DayFrom == note.Mentioned:
		case e.Day > l.Today().AddDays(1) && e.DayFrom != note.FromText: // a heading; after an entry it may be the day of an event
			l.flagAt(hot.Path, e.Line, "an entry is dated %s, in the future: %s", e.Day, scan.Quote(e.Text(), 80))
			return
		case e.Day > l.Today():
		default:
			newest = max(newest, e.Day)
		}
	}
	if newest >= limit {
		return
	}
	for _, log := range l.Logs() {
		if log.Day <= newest || log.Day >= limit {
			continue // promoted since, or still to be
		}
		if slices.ContainsFunc(l.Parse(log.Doc).Entries(log.Day), func(e note.Entry) bool { return len(e.Tags) > 0 }) {
			since := "holds no dated entry"
			if newest > 0 {
				since = "has nothing newer than " + newest.String()
			}
			l.flag(hot.Path, "it %s, though %s has tagged entries", since, log.Path)
			return
		}
	}
}

func bufferLeft(l *inspection) {
	d := l.File(l.Sole(layout.Buffer))
	b := note.ParseBuffer(d.Data, l.Now.Location())
	last := b.LastActive
	if last.IsZero() {
		last = d.ModTime
	}
	if !b.Empty() && abandoned(b.Notes()) > 0 && l.Now.Sub(last) >= 24*time.Hour { // until then the next night takes it in
		l.flag(d.Path, "%d lines, it should be empty", note.Lines(b.Notes()))
	}
}

// age formats a duration for people.
func age(d time.Duration) string {
	switch {
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}
