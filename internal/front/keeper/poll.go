package keeper

import (
	"context"
	"hash/fnv"
	"sync/atomic"
	"time"

	"tend/internal/engine/config"
	"tend/internal/front/keeper/scheduler"
	"tend/internal/model/policy"
)

// remotePoller checks agents on other hosts every watch.poll, as changes of their files cannot be watched.
type remotePoller struct {
	*reporter
	clock   *scheduler.Scheduler
	guards  *guards
	history *historian
	agents  map[string]*remoteAgent
}

type remoteAgent struct {
	due   time.Time   // when the next check is due; zero before the first
	busy  atomic.Bool // a check runs or is queued
	trace uint64      // identifies the state of the files that history has; only the running check uses it
}

// checkDue checks the agents that are due: all of them after a start, later each at a time of its own, so that a host is not
// asked for all its agents in the same second.
func (x *remotePoller) checkDue(now time.Time) {
	agents := x.gen.config().Agents
	for i := range agents { // no copies: there are many, and this runs every second
		a := &agents[i]
		if a.Workspace.Kind == config.Local || !a.Enabled {
			continue
		}
		f, poll := x.agents[a.Name], policy.WatchPoll.Of(a.Policy).Std()
		if f == nil {
			f = &remoteAgent{}
			x.agents[a.Name] = f
		}
		if now.Before(f.due) || !f.busy.CompareAndSwap(false, true) {
			continue
		}
		isFirst := f.due.IsZero()
		f.due = now.Add(poll)
		if isFirst {
			f.due = now.Add(spread(a.Name, poll))
		}
		x.check(a.Name, f, len(a.Baselines) > 0, !isFirst && policy.HistoryQuiet.Of(a.Policy) > 0)
	}
}

// check queues a check of an agent's guarded files, if it has any, and a commit of its changes, if they go to history.
func (x *remotePoller) check(agent string, f *remoteAgent, hasGuarded, commit bool) {
	if hasGuarded {
		x.guards.schedule(agent, false)
	}
	if !commit {
		f.busy.Store(false)
		return
	}
	x.clock.Post(scheduler.Work{Agent: agent, Job: "look"}, func(ctx context.Context) { x.commit(ctx, agent, f) },
		func() { f.busy.Store(false) })
}

// spread returns a fraction of a duration that is constant for each name.
func spread(name string, of time.Duration) time.Duration {
	h := fnv.New32a()
	h.Write([]byte(name))
	return time.Duration(float64(of) * float64(h.Sum32()) / (1 << 32))
}

// commit commits what an agent wrote on another host to its history.
func (x *remotePoller) commit(ctx context.Context, agent string, f *remoteAgent) {
	fl, done := x.gen.use()
	defer done()
	a, err := fl.Agent(ctx, agent)
	if err != nil {
		return // the agent's jobs report it
	}
	trace, err := a.Files.Trace(ctx)
	x.logError(agent, "close workspace", a.Close())
	if err != nil || trace == f.trace {
		return
	}
	if x.history.sync(ctx, agent) {
		f.trace = trace
	}
}
