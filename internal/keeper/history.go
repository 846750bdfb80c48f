package keeper

import (
	"context"
	"errors"
	"sync"
	"time"

	"tend/internal/finding"
	"tend/internal/fsys"
	"tend/internal/history"
	"tend/internal/notice"
)

// historian takes what agents wrote into their git repositories, one after the other:
// git is heavy, and nobody waits for it.
type historian struct {
	*reporter
	wake chan struct{}

	mu    sync.Mutex
	queue []string
	later []string             // agents without a history, to be begun when there is time
	known map[string]bool      // were in later
	since map[string]time.Time // when each agent in the queue became still
	off   bool                 // there is no git
	slow  int                  // being taken in, and nobody waits for it
}

// lag is how late history may be before it is said.
const lag = 2 * time.Minute

func newHistorian(r *reporter) *historian {
	return &historian{reporter: r, wake: make(chan struct{}, 1), since: map[string]time.Time{}, known: map[string]bool{}}
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

// addLater puts an agent in line for the first commit of its history. A fleet that came
// under care at once is taken in little by little.
func (h *historian) addLater(agent string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.known[agent] {
		h.known[agent] = true
		h.later = append(h.later, agent)
	}
}

// laterEvery is how often an agent is taken in for the first time.
const laterEvery = 2 * time.Second

// behind is how many agents wait, and for how long the first has.
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
		agent := h.next(ctx)
		if agent == "" {
			return
		}
		// Git waits for the disk of one agent; after a while the others no longer do.
		done := make(chan struct{})
		go func() { defer close(done); h.sync(ctx, agent) }()
		select {
		case <-done:
		case <-time.After(slowSync):
			if h.hang(done) >= mostSlow {
				<-done
			}
		}
	}
}

// slowSync is how long the others wait for one agent's history, and mostSlow how many
// there may be for which they no longer do.
const slowSync, mostSlow = time.Minute, 8

// hang counts histories that nobody waits for.
func (h *historian) hang(done <-chan struct{}) int {
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

func (h *historian) next(ctx context.Context) string {
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

// sync reports whether history is up to date now.
func (h *historian) sync(ctx context.Context, agent string) bool {
	defer func() {
		if p := recover(); p != nil {
			h.panicked(agent, "history", p)
		}
	}()
	f, done := h.gen.use()
	defer done()
	a, err := f.Agent(ctx, agent)
	if err != nil {
		return false // told by the jobs of this agent
	}
	defer a.Close()
	commits, found, err := a.History.Sync(ctx)
	h.metrics.commits.Add(uint64(commits))
	h.tell(agent, "history", found, true)
	switch {
	case errors.Is(err, history.ErrNoGit):
		h.mu.Lock()
		h.off, h.queue = true, nil
		h.mu.Unlock()
		h.tell(notice.House, "history", []finding.Finding{finding.HistoryBehind.In("", "%v", err)}, false)
	case errors.Is(err, fsys.ErrLocked):
		time.AfterFunc(time.Second, func() { h.add(agent) })
	case ctx.Err() == nil:
		h.failed(agent, "history", err)
	}
	return err == nil
}

func (h *historian) findings() []finding.Finding {
	n, late := h.behind()
	if late < lag {
		return nil
	}
	return []finding.Finding{finding.HistoryLags.In("", "history is %s behind, %d agents wait", late.Round(time.Second), n)}
}
