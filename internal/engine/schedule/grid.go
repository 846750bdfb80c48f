package schedule

import (
	"sync"
	"time"

	"github.com/netresearch/go-cron"
)

// grid is the sequence of slots. A slot is identified by the time it is due, including the agent's own shift.
type grid struct {
	every time.Duration // 0 for cron
	hours *hours
	shift time.Duration
}

// Next returns the first slot after t.
func (g grid) Next(t time.Time) time.Time {
	if g.every > 0 {
		return g.Latest(t).Add(g.every)
	}
	return g.addShift(g.hours.stretchAround(t.Add(-g.shift)).next)
}

// Latest returns the last slot not after t, zero if there was none in five years.
func (g grid) Latest(t time.Time) time.Time {
	if g.every > 0 {
		// The grid starts at a fixed moment, so that a restart does not move it.
		state := t.Add(-g.shift).Unix()
		every := int64(g.every / time.Second)
		n := state / every
		if state%every < 0 {
			n--
		}
		return time.Unix(n*every, 0).Add(g.shift).In(t.Location())
	}
	return g.addShift(g.hours.stretchAround(t.Add(-g.shift)).last)
}

func (g grid) addShift(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(g.shift)
}

// Count returns how many slots there are after from, up to and including to.
func (g grid) Count(from, to time.Time) int {
	n := 0
	for s := g.Next(from); !s.IsZero() && !s.After(to); s = g.Next(s) {
		n++
	}
	return n
}

// hours is a cron spec in a time zone, shared by all agents that have it. Most calls are about the same interval
// between two slots as the one before, so the last answers are cached: the parser's search costs a hundred times
// more.
type hours struct {
	cron cron.Schedule
	zone *time.Location

	mu    sync.Mutex
	known [4]stretch
	turn  int
}

// stretch is the time from one slot to the next.
type stretch struct{ last, next time.Time }

func (s stretch) contains(t time.Time) bool {
	return !s.next.IsZero() && !s.last.IsZero() && !t.Before(s.last) && t.Before(s.next)
}

// stretchAround finds the stretch that contains t.
func (h *hours) stretchAround(t time.Time) stretch {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.known {
		if s.contains(t) {
			return s
		}
	}
	s := stretch{h.latestSlot(t), h.nextSlot(t)}
	h.known[h.turn] = s
	h.turn = (h.turn + 1) % len(h.known)
	return s
}

func (h *hours) nextSlot(t time.Time) time.Time {
	for t = t.In(h.zone); ; {
		next := h.cron.Next(t)
		if next.IsZero() || !isRepeated(next) || !h.isOncePerDay() {
			return next
		}
		t = next
	}
}

// latestSlot looks back further and further: cron only computes later times.
func (h *hours) latestSlot(t time.Time) time.Time {
	const day = 24 * time.Hour
	for _, back := range []time.Duration{time.Hour, 26 * time.Hour, 8 * day, 33 * day, 367 * day, 5 * 366 * day} {
		var last time.Time
		for s := h.nextSlot(t.Add(-back)); !s.IsZero() && !s.After(t); s = h.nextSlot(s) {
			last = s
		}
		if !last.IsZero() {
			return last
		}
	}
	return time.Time{}
}

// isRepeated reports whether the clocks were set back over this moment, so that the same time of day occurred before.
func isRepeated(t time.Time) bool {
	for _, back := range []time.Duration{time.Hour, 30 * time.Minute} {
		e := t.Add(-back)
		if e.Hour() == t.Hour() && e.Minute() == t.Minute() && e.Day() == t.Day() {
			return true
		}
	}
	return false
}

// isOncePerDay distinguishes "at two" from "every hour": the first happens once in the night in which two o'clock occurs
// twice, the second continues.
func (h *hours) isOncePerDay() bool {
	s, ok := h.cron.(*cron.SpecSchedule)
	const all = 1<<24 - 1
	return ok && s.Hour&all != all
}
