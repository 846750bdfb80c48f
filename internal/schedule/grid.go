package schedule

import (
	"time"

	"github.com/netresearch/go-cron"
)

// grid is when slots are. A slot is named by the moment it is due, the agent's own
// shift included.
type grid struct {
	every time.Duration // 0 for cron
	cron  cron.Schedule
	zone  *time.Location
	shift time.Duration
}

// Next is the first slot after t.
func (g grid) Next(t time.Time) time.Time {
	if g.every > 0 {
		return g.Latest(t).Add(g.every)
	}
	t = t.Add(-g.shift).In(g.zone)
	for {
		next := g.cron.Next(t)
		if next.IsZero() {
			return time.Time{}
		}
		if !repeated(next) || !g.fixedHours() {
			return next.Add(g.shift)
		}
		t = next
	}
}

// Latest is the last slot not after t, zero if there was none in five years.
func (g grid) Latest(t time.Time) time.Time {
	if g.every > 0 {
		// The grid starts at a fixed moment, so that no restart moves it.
		past := t.Add(-g.shift).Unix()
		every := int64(g.every / time.Second)
		n := past / every
		if past%every < 0 {
			n--
		}
		return time.Unix(n*every, 0).Add(g.shift).In(g.zone)
	}
	const day = 24 * time.Hour
	for _, back := range []time.Duration{time.Hour, 26 * time.Hour, 8 * day, 33 * day, 367 * day, 5 * 366 * day} {
		var last time.Time
		for s := g.Next(t.Add(-back)); !s.IsZero() && !s.After(t); s = g.Next(s) {
			last = s
		}
		if !last.IsZero() {
			return last
		}
	}
	return time.Time{}
}

// Count is how many slots there are after from, up to and with to.
func (g grid) Count(from, to time.Time) int {
	n := 0
	for s := g.Next(from); !s.IsZero() && !s.After(to); s = g.Next(s) {
		n++
	}
	return n
}

// repeated reports whether the clocks were set back over this moment, so that the
// same time of day was there an hour before.
func repeated(t time.Time) bool {
	for _, back := range []time.Duration{time.Hour, 30 * time.Minute} {
		e := t.Add(-back)
		if e.Hour() == t.Hour() && e.Minute() == t.Minute() && e.Day() == t.Day() {
			return true
		}
	}
	return false
}

// fixedHours tells "at two" from "every hour": the first happens once in the night
// in which two o'clock comes twice, the second goes on.
func (g grid) fixedHours() bool {
	s, ok := g.cron.(*cron.SpecSchedule)
	const all = 1<<24 - 1
	return ok && s.Hour&all != all
}
