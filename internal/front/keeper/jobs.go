package keeper

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tend/internal/app/replica"
	"tend/internal/engine/act"
	"tend/internal/engine/fleet"
	"tend/internal/engine/hint"
	"tend/internal/engine/job"
	"tend/internal/engine/job/table"
	"tend/internal/engine/schedule"
	"tend/internal/front/keeper/clockwork"
	"tend/internal/model/finding"
	"tend/internal/state/notice"
)

// who is the author recorded for the keeper's actions.
const who = "keeper"

// runJob runs a scheduled job.
func (k *Keeper) runJob(ctx context.Context, w clockwork.Work) schedule.End {
	run := func(ctx context.Context) schedule.End {
		return act.EndOf(k.do(ctx, w.Agent, w.Job, act.Options{Who: who, Reason: "schedule", Scheduled: true}))
	}
	if k.o.Replica == nil {
		return run(ctx)
	}
	return k.store.serve(ctx, w, run)
}

// do runs a job by name and records its result. A panic counts as a failure: one agent's files must not stop the keeper.
func (k *Keeper) do(ctx context.Context, agent, name string, o act.Options) (r act.Result) {
	f, done := k.gen.use()
	defer done()
	began, looked := time.Now(), true
	row, _ := table.Named(name)
	recorded := !row.Unrecorded
	defer func() {
		if p := recover(); p != nil {
			r = act.Failed(agent, fmt.Errorf("%s: unexpected: %v", name, p))
		}
		k.after(f, agent, name, r, time.Since(began), recorded, looked)
	}()
	if name == "rotate" { // most buffers are empty most of the time
		if empty, saw := act.BufferEmpty(ctx, f, agent); empty {
			recorded, looked = false, saw
			return act.Result{Agent: agent, Outcome: job.Unchanged, Summary: "the buffer is empty"}
		}
	}
	r = act.Do(ctx, f, agent, name, o)
	if errors.Is(r.Err, replica.ErrServed) {
		return act.Result{Agent: agent, Outcome: job.Unchanged, Summary: r.Err.Error()}
	}
	return r
}

// after records a job's result. recorded means that the job itself records its runs, looked that it read the workspace:
// only then does a success show that the host is reachable again.
func (k *Keeper) after(f *fleet.Fleet, agent, name string, r act.Result, took time.Duration, recorded, looked bool) {
	k.metrics.ran(name, r.Outcome, took)
	if name != "rotate" || r.Outcome != job.Unchanged { // rotate runs often and mostly changes nothing
		defer k.site.Changed(agent)
	}
	level := k.o.Log.Debug
	if r.Outcome == job.Failed || r.Outcome == job.Refused {
		level = k.o.Log.Warn
	} else if r.Action != "" {
		level = k.o.Log.Info
	}
	level("job", "agent", agent, "job", name, "outcome", string(r.Outcome), "action", r.Action, "summary", r.Summary, "error", r.Error, "took", took.Round(time.Millisecond).String())
	k.tell(agent, "lock:"+name, lockFindings(name, r), false)
	if r.Outcome == job.Deferred || r.Outcome == job.Locked {
		return
	}
	if !recorded {
		if a, err := f.Records(agent); err == nil {
			k.failed(agent, "record the run of "+name, a.Hints.Ran([]string{name}, a.Now(), hint.Run{Outcome: r.Outcome, Took: took.Round(time.Millisecond).String(), Error: r.Error, Action: r.Action}))
		}
	}
	if !looked {
		return
	}
	var err error
	// A refusal with findings is reported by them; any other must be reported here.
	if r.Outcome == job.Failed || r.Outcome == job.Refused && r.Err != nil {
		if err = r.Err; err == nil {
			err = errors.New(r.Error)
		}
		k.stale.Store(true) // the open handles may be the cause
	}
	k.failure(agent, name, err)
	if r.Err != nil {
		return // the job did not check for findings
	}
	hold, events := notice.Split(r.Findings)
	k.tell(agent, name, hold, false)
	k.tell(agent, name, events, true)
}

func lockFindings(name string, r act.Result) []finding.Finding {
	if r.Outcome != job.Locked {
		return nil
	}
	return []finding.Finding{finding.PutOff.In("", "%s: %s", name, r.Error)}
}

// RunJob runs a job now. Unlike a scheduled one it is not deferred while the agent is at work.
func (k *Keeper) RunJob(ctx context.Context, agent, name string) act.Result {
	return k.Perform(ctx, agent, name, act.Options{Who: who, Reason: "asked over HTTP"})
}

// Perform runs a job now on a person's behalf. A dry run changes nothing, so it waits for no other work.
func (k *Keeper) Perform(ctx context.Context, agent, name string, o act.Options) (r act.Result) {
	o.ByHand = true
	if o.DryRun {
		f, done := k.gen.use()
		defer done()
		return act.Do(ctx, f, agent, name, o)
	}
	over := make(chan act.Result, 1)
	taken := k.clock.Post(clockwork.Work{Agent: agent, Job: name}, func(ctx context.Context) {
		over <- k.do(ctx, agent, name, o)
	}, nil)
	if !taken {
		return act.Failed(agent, errors.New("the keeper is stopping"))
	}
	select {
	case r := <-over:
		return r
	case <-ctx.Done():
		return act.Failed(agent, ctx.Err())
	}
}
