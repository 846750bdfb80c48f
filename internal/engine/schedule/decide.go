package schedule

import "time"

// RunState is what is remembered of a job of an agent.
type RunState struct {
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

// Decide reports whether a job is due. Of missed slots only the latest counts. before is the state of the job named by
// e.After, with its entry, or nil.
func Decide(e Entry, state RunState, before *Before, now time.Time) Verdict {
	state = Heal(e, state, now)
	from, next, slot := state.Slot, e.Next(now), e.Latest(now)
	if slot.IsZero() || !slot.After(from) {
		if now.Before(from) && !next.After(from) {
			next = e.Next(from)
		}
		return Verdict{Next: next}
	}
	// Setting the clock back must not delay a retry.
	if state.Retry.After(now) && state.Retry.Sub(now) <= e.longestRetry() {
		return Verdict{Next: state.Retry}
	}
	if at, ok := before.readyFor(e, slot, now); !ok {
		return Verdict{Next: at}
	}
	return Verdict{Due: true, Slot: slot, Next: next}
}

// Heal returns a state that fits the time. If the clock was set back over several slots, the record is of the future:
// then the job continues with the next slot. A caller that finds that the clock was set must save the result.
func Heal(e Entry, state RunState, now time.Time) RunState {
	if next := e.Next(now); !next.IsZero() && state.Slot.After(next) {
		state = RunState{Slot: e.Latest(now)}
	}
	if state.Deferred.After(now) {
		state.Deferred = now
	}
	return state
}

// Before is the job that must have run first.
type Before struct {
	Entry Entry
	State RunState
}

// readyFor reports whether a job may follow in this slot, and if not when to check again.
func (b *Before) readyFor(e Entry, slot, now time.Time) (time.Time, bool) {
	if b == nil {
		return time.Time{}, true
	}
	theirs := b.Entry.Latest(slot)
	switch {
	case theirs.After(b.State.Slot):
		return now.Add(time.Minute), false // it has yet to run
	case b.State.Slot.After(slot), b.State.Done.IsZero():
		return time.Time{}, true // it has run since, or never
	}
	if at := b.State.Done.Add(e.Gap); at.After(now) && at.Sub(now) <= e.Gap {
		return at, false
	}
	return time.Time{}, true
}

// End is how a run ended.
type End int

// The ends of a run.
const (
	Over     End = iota // the slot is handled, successfully or not
	Deferred            // deferred: the agent is at work, or its lock is held
	Failed              // a retry may succeed
)

// AfterRun returns the state after a run for a slot.
func AfterRun(e Entry, state RunState, slot time.Time, end End, now time.Time) RunState {
	switch end {
	case Deferred:
		if state.Deferred.IsZero() {
			state.Deferred = now
		}
		state.Retry = now.Add(e.retry)
		return state
	case Failed:
		wait := e.retry << min(state.Tries, 10)
		if state.Tries++; now.Add(wait).Sub(slot) < e.grace {
			state.Retry = now.Add(wait)
			return state
		}
	}
	return RunState{Slot: slot, Done: now}
}

func (e Entry) longestRetry() time.Duration { return max(e.retry, e.grace) }

// Overdue returns since when a job should have run, zero if it is on time. A deferred job has its own limit.
func Overdue(e Entry, state RunState, now time.Time) time.Time {
	if !state.Deferred.IsZero() {
		if e.maxDefer > 0 && now.Sub(state.Deferred) > e.maxDefer {
			return state.Deferred
		}
		return time.Time{}
	}
	if due := e.Next(state.Slot); !due.IsZero() && now.Sub(due) > e.grace+e.maxWait() {
		return due
	}
	return time.Time{}
}

// Grace is how late the job may be.
func (e Entry) Grace() time.Duration { return e.grace }

// maxWait returns how long a job may rightly wait for the one before it.
func (e Entry) maxWait() time.Duration {
	if e.After == "" {
		return 0
	}
	return 2 * e.Gap
}
