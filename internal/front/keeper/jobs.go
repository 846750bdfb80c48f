package keeper

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tend/internal/engine/job"
	"tend/internal/engine/job/table"
	"tend/internal/engine/runner"
	"tend/internal/engine/schedule"
	"tend/internal/front/keeper/scheduler"
	"tend/internal/model/finding"
	"tend/internal/state/findinglog"
)

// who is the author recorded for the keeper's actions.
const who = "keeper"

// runJob runs a scheduled job.
func (k *Keeper) runJob(ctx context.Context, w scheduler.Work) schedule.End {
	run := func(ctx context.Context) schedule.End {
		return runner.EndOf(k.doJob(ctx, w.Agent, w.Job, runner.Options{Who: who, Reason: "schedule", Scheduled: true}))
	}
	if k.o.Replica == nil {
		return run(ctx)
	}
	return k.store.serveSlot(ctx, w, run)
}

// doJob runs a job by name and reports its result. A panic counts as a failure: one agent's files must not stop the keeper.
func (k *Keeper) doJob(ctx context.Context, agent, name string, o runner.Options) (r runner.Result) {
	f, done := k.gen.use()
	defer done()
	began := time.Now()
	defer func() {
		if p := recover(); p != nil {
			r = runner.Failed(agent, fmt.Errorf("%s: unexpected: %v", name, p))
		}
		k.reportResult(agent, name, r, time.Since(began))
	}()
	return runner.Do(ctx, f, agent, name, o)
}

// reportResult reports a job's result: metrics, log, findings, alerts. The runner has recorded that it ran.
func (k *Keeper) reportResult(agent, name string, r runner.Result, took time.Duration) {
	k.metrics.runs.With(name, string(r.Outcome)).Inc()
	if row, _ := table.Named(name); !row.Frequent || r.Outcome != job.Unchanged {
		defer k.site.Changed(agent)
	}
	level := k.o.Log.Debug
	if r.Outcome == job.Failed || r.Outcome == job.Refused {
		level = k.o.Log.Warn
	} else if r.Action != "" {
		level = k.o.Log.Info
	}
	level("job", "agent", agent, "job", name, "outcome", string(r.Outcome), "action", r.Action, "summary", r.Summary, "error", r.Error,
		"took", took.Round(time.Millisecond).String())
	k.report(agent, "lock:"+name, lockFindings(name, r), false)
	if r.Outcome == job.Deferred || r.Outcome == job.Locked {
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
	k.reportFailure(agent, name, err)
	if r.Err != nil {
		return // the job did not check for findings
	}
	hold, events := findinglog.Split(r.Findings)
	k.report(agent, name, hold, false)
	k.report(agent, name, events, true)
}

func lockFindings(name string, r runner.Result) []finding.Finding {
	if r.Outcome != job.Locked {
		return nil
	}
	return []finding.Finding{finding.PutOff.In("", "%s: %s", name, r.Error)}
}

// RunJob runs a job now. Unlike a scheduled one it is not deferred while the agent is at work.
func (k *Keeper) RunJob(ctx context.Context, agent, name string) runner.Result {
	return k.Perform(ctx, agent, name, runner.Options{Who: who, Reason: "asked over HTTP"})
}

// Perform runs a job now on a person's behalf. A dry run changes nothing, so it waits for no other work.
func (k *Keeper) Perform(ctx context.Context, agent, name string, o runner.Options) (r runner.Result) {
	o.ByHand = true
	if o.DryRun {
		f, done := k.gen.use()
		defer done()
		return runner.Do(ctx, f, agent, name, o)
	}
	over := make(chan runner.Result, 1)
	taken := k.clock.Post(scheduler.Work{Agent: agent, Job: name}, func(ctx context.Context) {
		over <- k.doJob(ctx, agent, name, o)
	}, nil)
	if !taken {
		return runner.Failed(agent, errors.New("the keeper is stopping"))
	}
	select {
	case r := <-over:
		return r
	case <-ctx.Done():
		return runner.Failed(agent, ctx.Err())
	}
}
