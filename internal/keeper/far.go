package keeper

import (
	"context"
	"hash/fnv"
	"sync/atomic"
	"time"

	"tend/internal/config"
	"tend/internal/keeper/clockwork"
	"tend/internal/policy"
)

// far looks at agents on other hosts. Nothing reports changes of their files, so that is done every watch.poll.
type far struct {
	*reporter
	clock   *clockwork.Clockwork
	guards  *guards
	history *historian
	agents  map[string]*farAgent
}

type farAgent struct {
	due   time.Time
	looks int
	busy  atomic.Bool // a look is being taken, or waits for its turn
	trace uint64      // of the files that history has; the look's own
}

// due has agents looked at whose time has come: all of them at once after a start,
// then each at a time of its own, so that a host is not asked for all its agents in
// the same second.
func (x *far) due(now time.Time) {
	agents := x.gen.config().Agents
	for i := range agents { // by its place: there are many, and this is every second
		a := &agents[i]
		if a.Workspace.Kind == config.Local || !a.Enabled {
			continue
		}
		f, poll := x.agents[a.Name], policy.WatchPoll.Of(a.Policy).Std()
		if f == nil {
			f = &farAgent{}
			x.agents[a.Name] = f
		}
		if now.Before(f.due) || !f.busy.CompareAndSwap(false, true) {
			continue
		}
		if f.due = now.Add(poll); f.looks == 0 {
			f.due = now.Add(share(a.Name, poll))
		}
		f.looks++
		x.look(a.Name, f, len(a.Baselines) > 0, f.looks > 1 && policy.HistoryQuiet.Of(a.Policy) > 0)
	}
}

// look has an agent guarded and taken into history, as soon as nothing else is done for it.
func (x *far) look(agent string, f *farAgent, guarded, taken bool) {
	x.clock.Post(clockwork.Work{Agent: agent, Job: "look"}, func(ctx context.Context) {
		if guarded {
			x.guards.look(ctx, agent)
		}
		if taken {
			x.take(ctx, agent, f)
		}
	}, func() { f.busy.Store(false) })
}

// share is a part of a time, always the same for one name.
func share(name string, of time.Duration) time.Duration {
	h := fnv.New32a()
	h.Write([]byte(name))
	return time.Duration(float64(of) * float64(h.Sum32()) / (1 << 32))
}

// take brings what an agent wrote on another host into its history.
func (x *far) take(ctx context.Context, agent string, f *farAgent) {
	fl, done := x.gen.use()
	defer done()
	a, err := fl.Agent(ctx, agent)
	if err != nil {
		return // told by the jobs of this agent
	}
	trace, err := a.Files.Trace(ctx)
	x.failed(agent, "close workspace", a.Close())
	if err != nil || trace == f.trace {
		return
	}
	if x.history.sync(ctx, agent) {
		f.trace = trace
	}
}
