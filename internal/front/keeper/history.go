package keeper

import (
	"context"
	"errors"
	"sync"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/model/finding"
	"tend/internal/state/findinglog"
	"tend/internal/state/history"
)

// historian commits what agents wrote to their git repositories in the background, one agent at a time, as git is
// expensive.
type historian struct {
	*reporter
	wake chan struct{}

	mu    sync.Mutex
	queue []string
	later []string             // agents without a history, started one by one when the queue is empty
	known map[string]bool      // agents that were in later
	since map[string]time.Time // when each agent was queued
	full  map[string]time.Time // when agents that are over their quota may be recorded again
	asked map[string]time.Time // the times in full for which a timer runs
	off   bool                 // git is not installed
	slow  int                  // commits that run beside the queue
}

// maxLag is how late history may be before it is reported.
const maxLag = 2 * time.Minute

func newHistorian(r *reporter) *historian {
	return &historian{reporter: r, wake: make(chan struct{}, 1), since: map[string]time.Time{}, known: map[string]bool{},
		full: map[string]time.Time{}, asked: map[string]time.Time{}}
}

// add puts an agent in the queue.
func (h *historian) add(agent string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.since[agent]; ok || h.off {
		return
	}
	h.since[agent] = time.Now()
	h.queue = append(h.queue, agent)
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// addLater queues an agent for its first commit, at low priority: a new fleet is committed little by little.
func (h *historian) addLater(agent string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.known[agent] {
		h.known[agent] = true
		h.later = append(h.later, agent)
	}
}

// laterEvery is the pause between first commits.
const laterEvery = 2 * time.Second

// behind returns how many agents wait, and how long the first has waited.
func (h *historian) behind() (int, time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.queue) == 0 {
		return 0, 0
	}
	return len(h.queue), time.Since(h.since[h.queue[0]])
}

func (h *historian) run(ctx context.Context) {
	for {
		agent := h.nextAgent(ctx)
		if agent == "" {
			return
		}
		// If one agent's disk is slow, go on with the others after a while.
		done := make(chan struct{})
		go func() { defer close(done); h.sync(ctx, agent) }()
		select {
		case <-done:
		case <-time.After(slowSync):
			if h.countSlow(done) >= maxSlow {
				<-done
			}
		}
	}
}

// slowSync is how long the queue waits for one agent's commit, maxSlow how many slow ones may run beside it.
const slowSync, maxSlow = time.Minute, 8

// countSlow counts a slow commit until it is done, and returns the number.
func (h *historian) countSlow(done <-chan struct{}) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.slow++
	go func() {
		<-done
		h.mu.Lock()
		h.slow--
		h.mu.Unlock()
	}()
	return h.slow
}

func (h *historian) nextAgent(ctx context.Context) string {
	for ctx.Err() == nil {
		h.mu.Lock()
		if len(h.queue) > 0 {
			agent := h.queue[0]
			h.queue = h.queue[1:]
			delete(h.since, agent)
			h.mu.Unlock()
			return agent
		}
		var tick <-chan time.Time
		if len(h.later) > 0 && !h.off {
			tick = time.After(laterEvery)
		}
		h.mu.Unlock()
		select {
		case <-ctx.Done():
			return ""
		case <-h.wake:
		case <-tick:
			h.mu.Lock()
			agent := h.later[0]
			h.later = h.later[1:]
			h.mu.Unlock()
			return agent
		}
	}
	return ""
}

// sync commits an agent's changes and reports whether its history is up to date.
func (h *historian) sync(ctx context.Context, agent string) bool {
	defer func() {
		if p := recover(); p != nil {
			h.reportPanic(agent, "history", p)
		}
	}()
	f, done := h.gen.use()
	defer done()
	a, err := f.Agent(ctx, agent)
	if err != nil {
		return false // the agent's jobs report it
	}
	defer a.Close()
	full := a.Room()
	if wait, first := h.quotaPause(agent, errors.Is(full, vault.ErrFull), time.Now()); wait > 0 {
		if first {
			time.AfterFunc(wait, func() { h.add(agent) })
		}
		h.report(agent, "quota", []finding.Finding{finding.StateFull.In("", "%v; what its files become is recorded once an hour", full)}, false)
		return false
	}
	if full == nil {
		h.report(agent, "quota", nil, false)
	}
	commits, found, err := a.History.Sync(ctx)
	h.report(agent, "history", found, true)
	if err == nil && commits > 0 {
		h.logError(agent, "rewrites", errors.Join(h.guardRewrites(ctx, a), h.reportLosses(ctx, a)))
	}
	switch {
	case errors.Is(err, history.ErrNoGit):
		h.mu.Lock()
		h.off, h.queue = true, nil
		h.mu.Unlock()
		h.report(findinglog.NoAgent, "history", []finding.Finding{finding.HistoryBehind.In("", "%v", err)}, false)
	case errors.Is(err, fsys.ErrLocked):
		time.AfterFunc(time.Second, func() { h.add(agent) })
	case ctx.Err() == nil:
		h.logError(agent, "history", err)
	}
	return err == nil
}

// fullEvery is how often what an agent writes is recorded while it is far over its quota: it could fill the disk.
const fullEvery = time.Hour

// quotaPause returns how long an agent over its quota has to wait until it is recorded again. first reports that this is the first
// question since it was recorded: the caller then queues it for that time.
func (h *historian) quotaPause(agent string, full bool, now time.Time) (wait time.Duration, first bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !full {
		delete(h.full, agent)
		return 0, false
	}
	next, known := h.full[agent]
	if !known || !now.Before(next) {
		h.full[agent] = now.Add(fullEvery)
		return 0, false
	}
	first = h.asked[agent] != next
	h.asked[agent] = next
	return next.Sub(now), first
}

// guardRewrites undoes a rewrite that lost text, if the policy says so. An agent that is busy is looked at again after its next
// change, which the history records too.
func (h *historian) guardRewrites(ctx context.Context, a *fleet.Agent) error {
	r, err := runner.GuardRewrites(ctx, a, who)
	switch {
	case errors.Is(err, fsys.ErrLocked), errors.Is(err, vault.ErrChanged):
		time.AfterFunc(time.Second, func() { h.add(a.Name) })
		return nil
	case err != nil:
		return err
	}
	if r.Action != "" {
		h.metrics.restored.With("rewrite").Inc()
		h.log.Warn("undid a rewrite that lost text", "agent", a.Name, "action", r.Action, "summary", r.Summary)
		h.add(a.Name) // the restored text is recorded too
	}
	h.report(a.Name, "rewrite-guard", r.Findings, true)
	return nil
}

// reportLosses reports rewrites of memory that lost text, as long as no file has it again.
func (h *historian) reportLosses(ctx context.Context, a *fleet.Agent) error {
	lost, err := a.Judge(ctx)
	if err == nil {
		h.report(a.Name, "rewrites", lost, false)
	}
	return err
}

func (h *historian) findings() []finding.Finding {
	n, late := h.behind()
	if late < maxLag {
		return nil
	}
	return []finding.Finding{finding.HistoryLags.In("", "history is %s behind, %d agents wait", late.Round(time.Second), n)}
}
