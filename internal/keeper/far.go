package keeper

import (
	"context"
	"hash/fnv"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"tend/internal/config"
	"tend/internal/finding"
	"tend/internal/keeper/clockwork"
	"tend/internal/policy"
)

// far is what is known of agents on other hosts. Nothing reports changes of their files, so they
// are looked at every watch.poll.
type far map[string]*farAgent

type farAgent struct {
	due   time.Time
	looks int
	busy  atomic.Bool // a look is being taken, or waits for its turn
	trace uint64      // of the files that history has; the look's own
}

// lookFar has agents looked at whose time has come: all of them at once after a start,
// then each at a time of its own, so that a host is not asked for all its agents in
// the same second.
func (k *Keeper) lookFar(all far, now time.Time) {
	agents := k.gen.config().Agents
	for i := range agents { // by its place: there are many, and this is every second
		a := &agents[i]
		if a.Workspace.Kind == config.Local || !a.Enabled {
			continue
		}
		f, poll := all[a.Name], policy.WatchPoll.Of(a.Policy).Std()
		if f == nil {
			f = &farAgent{}
			all[a.Name] = f
		}
		if now.Before(f.due) || !f.busy.CompareAndSwap(false, true) {
			continue
		}
		if f.due = now.Add(poll); f.looks == 0 {
			f.due = now.Add(share(a.Name, poll))
		}
		f.looks++
		k.lookAt(a.Name, f, len(a.Baselines) > 0, f.looks > 1 && policy.HistoryQuiet.Of(a.Policy) > 0)
	}
}

// lookAt has an agent guarded and taken into history, as soon as nothing else is done for it.
func (k *Keeper) lookAt(agent string, f *farAgent, guarded, taken bool) {
	k.clock.Post(clockwork.Work{Agent: agent, Job: "look"}, func(ctx context.Context) {
		if guarded {
			k.guard(ctx, agent)
		}
		if taken {
			k.takeFar(ctx, agent, f)
		}
	}, func() { f.busy.Store(false) })
}

// share is a part of a time, always the same for one name.
func share(name string, of time.Duration) time.Duration {
	h := fnv.New32a()
	h.Write([]byte(name))
	return time.Duration(float64(of) * float64(h.Sum32()) / (1 << 32))
}

// takeFar brings what an agent wrote on another host into its history.
func (k *Keeper) takeFar(ctx context.Context, agent string, f *farAgent) {
	fl, done := k.gen.use()
	defer done()
	a, err := fl.Agent(ctx, agent)
	if err != nil {
		return // told by the jobs of this agent
	}
	trace, err := a.Files.Trace(ctx)
	k.failed(agent, "close workspace", a.Close())
	if err != nil || trace == f.trace {
		return
	}
	if k.history.sync(ctx, agent) {
		f.trace = trace
	}
}

// hosts know who speaks for a host that is in trouble: the first of its agents that
// noticed. A host that is away alerts once, and not once for each of a thousand agents.
type hosts struct {
	mu      sync.Mutex
	speaker map[trouble]string
	of      map[string]trouble // by agent
}

// trouble is one kind of failure of one host.
type trouble struct{ host, code string }

func newHosts() *hosts {
	return &hosts{speaker: map[trouble]string{}, of: map[string]trouble{}}
}

// speaks returns which agent speaks for a trouble that this one has too.
func (h *hosts) speaks(t trouble, agent string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leave(agent, t)
	h.of[agent] = t
	if h.speaker[t] == "" {
		h.speaker[t] = agent
	}
	return h.speaker[t]
}

// well notes that an agent's host is in no trouble.
func (h *hosts) well(agent string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leave(agent, trouble{})
}

// leave ends an agent's trouble, unless it is the one of now.
func (h *hosts) leave(agent string, now trouble) {
	was, ok := h.of[agent]
	if !ok || was == now {
		return
	}
	delete(h.of, agent)
	if h.speaker[was] == agent {
		delete(h.speaker, was) // the next that has it speaks
	}
}

func hostOf(w config.Workspace) string { return net.JoinHostPort(w.Host, strconv.Itoa(w.Port)) }

// hostTrouble is a finding that every agent on a host has, and one of them speaks of.
func (k *Keeper) hostTrouble(agent string, f finding.Finding) finding.Finding {
	a, err := k.gen.config().Agent(agent)
	if err != nil || a.Workspace.Kind == config.Local {
		return f
	}
	if by := k.hosts.speaks(trouble{hostOf(a.Workspace), f.Code}, agent); by != agent {
		f.With = by
	}
	return f
}

// recallHosts takes up from the books who spoke for which host before a restart.
func (k *Keeper) recallHosts(cfg *config.Config) {
	for _, a := range cfg.Agents {
		if a.Workspace.Kind == config.Local {
			continue
		}
		for _, n := range k.books.list(a.Name) {
			if n.Source == hostSource && n.With == "" && n.Over == nil {
				k.hosts.speaks(trouble{hostOf(a.Workspace), n.Code}, a.Name)
			}
		}
	}
}
