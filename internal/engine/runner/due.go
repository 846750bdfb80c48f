package runner

import (
	"context"
	"time"

	"tend/internal/engine/fleet"
	"tend/internal/engine/job/table"
	"tend/internal/engine/jobruns"
	"tend/internal/engine/schedule"
	"tend/internal/state/plan"
)

// Due runs an agent's due jobs, in the table's order. It decides like the keeper, from the same rows and records, so
// that a timer that calls it every minute keeps the same schedule. An agent without a record starts now.
func Due(ctx context.Context, f *fleet.Fleet, agent string) []Result {
	a, err := f.Records(agent)
	if err != nil {
		return []Result{Failed(agent, err)}
	}
	var parser schedule.Parser
	entries, err := parser.Entries(agent, table.Scheduled(a.Policy, len(a.Agent.Baselines) > 0), a.Policy, a.Location)
	if err != nil {
		return []Result{Failed(agent, err)}
	}
	runs, err := a.Runs.Last()
	if err != nil {
		return []Result{Failed(agent, err)}
	}
	states := map[string]schedule.RunState{}
	byJob := map[string]schedule.Entry{}
	for _, e := range entries {
		byJob[e.Job], states[e.Job] = e, runs[e.Job].State(a.Now())
	}
	var results []Result
	for _, e := range entries {
		var before *schedule.Before
		if b, ok := byJob[e.After]; ok {
			before = &schedule.Before{Entry: b, State: states[e.After]}
		}
		now := a.Now()
		v := schedule.Decide(e, states[e.Job], before, now)
		next := states[e.Job]
		if v.Due && ctx.Err() == nil {
			r := Do(ctx, f, agent, e.Job, Options{Who: "timer", Reason: "schedule", Scheduled: true})
			next = schedule.AfterRun(e, next, v.Slot, EndOf(r), a.Now())
			r.Summary = e.Job + ": " + r.Summary
			if r.Error != "" {
				r.Error = e.Job + ": " + r.Error
			}
			results = append(results, r)
		} else if runs[e.Job].Slot != nil {
			continue // nothing to record
		}
		states[e.Job] = next
		if err := SaveSlot(a, e, next, v.Next); err != nil {
			results = append(results, Failed(agent, err))
		}
	}
	return results
}

// EndOf maps a result to the end of its schedule slot.
func EndOf(r Result) schedule.End {
	switch r.Outcome {
	case plan.Deferred, plan.Locked:
		return schedule.Deferred
	case plan.Failed:
		return schedule.Failed
	}
	return schedule.Over
}

// SaveSlot records which slot a job last ran for, and when it is due next.
func SaveSlot(a *fleet.Agent, e schedule.Entry, state schedule.RunState, next time.Time) error {
	return a.Runs.Change(e.Job, func(r *jobruns.Run) {
		r.Slot, r.Next, r.Deferred = &state.Slot, &next, nil
		if !state.Deferred.IsZero() {
			r.Deferred = &state.Deferred
		}
	})
}
