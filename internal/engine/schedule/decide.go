package schedule

import "time"

// Past is what is remembered of a job of an agent.
type Past struct {
	Slot     time.Time // the last one handled; at first, when Tend began to manage the agent
	Done     time.Time // when that ended
	Deferred time.Time // since when it is deferred, zero if it is not
	Retry    time.Time // when to retry, zero if it need not be
	Tries    int       // how often it failed in its present slot
}

// Verdict is what to do about a job now.
type Verdict struct {
	Due  bool
	Slot time.Time // the one that is due
	Next time.Time // when to check again; zero for never
}

// Decide reports whether a job is due. Of missed slots only the latest counts. before is the past of the job named by
// e.After, with its entry, or nil.
func Decide(e Entry, past Past, before *Before, now time.Time) Verdict {
	past = Heal(e, past, now)
	from, next, slot := past.Slot, e.Next(now), e.Latest(now)
	if slot.IsZero() || !slot.After(from) {
		if now.Before(from) && !next.After(from) {
			next = e.Next(from)
		}
		return Verdict{Next: next}
	}
	// Setting the clock back must not delay a retry.
	if past.Retry.After(now) && past.Retry.Sub(now) <= e.longestRetry() {
		return Verdict{Next: past.Retry}
	}
	if at, ok := before.ready(e, slot, now); !ok {
		return Verdict{Next: at}
	}
	return Verdict{Due: true, Slot: slot, Next: next}
}

// Heal returns a past that fits the time. If the clock was set back over several slots, the record is not the past:
// then the job continues with the next slot. A caller that finds that the clock was set must save the result.
func Heal(e Entry, past Past, now time.Time) Past {
	if next := e.Next(now); !next.IsZero() && past.Slot.After(next) {
		past = Past{Slot: e.Latest(now)}
	}
	if past.Deferred.After(now) {
		past.Deferred = now
	}
	return past
}

// Before is the job that must have run first.
type Before struct {
	Entry Entry
	Past  Past
}

// ready reports whether a job may follow in this slot, and if not when to check again.
func (b *Before) ready(e Entry, slot, now time.Time) (time.Time, bool) {
	if b == nil {
		return time.Time{}, true
	}
	theirs := b.Entry.Latest(slot)
	switch {
	case theirs.After(b.Past.Slot):
		return now.Add(time.Minute), false // it has yet to run
	case b.Past.Slot.After(slot), b.Past.Done.IsZero():
		return time.Time{}, true // it has run since, or never
	}
	if at := b.Past.Done.Add(e.Gap); at.After(now) && at.Sub(now) <= e.Gap {
		return at, false
	}
	return time.Time{}, true
}

// End is how a run ended.
type End int

// The ends of a run.
const (
	Over   End = iota // the slot is handled, successfully or not
	Put               // deferred: the agent is at work, or its lock is held
	Failed            // a retry may succeed
)

// Settle returns the past after a run for a slot.
func Settle(e Entry, past Past, slot time.Time, end End, now time.Time) Past {
	switch end {
	case Put:
		if past.Deferred.IsZero() {
			past.Deferred = now
		}
		past.Retry = now.Add(e.retry)
		return past
	case Failed:
		wait := e.retry << min(past.Tries, 10)
		if past.Tries++; now.Add(wait).Sub(slot) < e.grace {
			past.Retry = now.Add(wait)
			return past
		}
	}
	return Past{Slot: slot, Done: now}
}

func (e Entry) longestRetry() time.Duration { return max(e.retry, e.grace) }

// Overdue returns since when a job should have run, zero if it is on time. A deferred job has its own limit.
func Overdue(e Entry, past Past, now time.Time) time.Time {
	if !past.Deferred.IsZero() {
		if e.maxDefer > 0 && now.Sub(past.Deferred) > e.maxDefer {
			return past.Deferred
		}
		return time.Time{}
	}
	if due := e.Next(past.Slot); !due.IsZero() && now.Sub(due) > e.grace+e.waits() {
		return due
	}
	return time.Time{}
}

// Grace is how late the job may be.
func (e Entry) Grace() time.Duration { return e.grace }

// waits returns how long a job may rightly wait for the one before it.
func (e Entry) waits() time.Duration {
	if e.After == "" {
		return 0
	}
	return 2 * e.Gap
}
