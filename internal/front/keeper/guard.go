package keeper

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/table"
	"tend/internal/engine/runner"
	"tend/internal/front/keeper/watch"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
)

// watchTargets returns what to watch for a configuration, and queues agents without a history for their first commit.
func watchTargets(cfg *config.Config, h *historian) []watch.Target {
	var list []watch.Target
	for _, a := range cfg.Agents {
		if !a.Enabled {
			continue
		}
		t := watch.Target{Agent: a.Name, Quiet: policy.WatchQuiet.Of(a.Policy).Std(), Poll: policy.WatchPoll.Of(a.Policy).Std()}
		local := a.Workspace.Kind == config.Local
		for _, b := range a.Baselines {
			t.Guarded = append(t.Guarded, b.Source)
			if real, err := filepath.EvalSymlinks(b.Source); err == nil && real != b.Source {
				t.Guarded = append(t.Guarded, real)
			}
			if local {
				t.Guarded = append(t.Guarded, filepath.Join(a.Workspace.Path, filepath.FromSlash(b.File)))
			}
		}
		if local {
			t.Workspace, t.MemoryQuiet = a.Workspace.Path, policy.HistoryQuiet.Of(a.Policy).Std()
			t.Taken = stampOf(filepath.Join(cfg.StateDir, "history", a.Name+".git", "refs", "heads", "main")).mod
			if t.Taken.IsZero() && t.MemoryQuiet > 0 {
				h.addLater(a.Name)
			}
		}
		list = append(list, t)
	}
	return list
}

// guards protects the operator's texts: baselines and the zones above the line. Its checks wait neither for the agent's
// jobs nor for other agents.
type guards struct {
	*reporter
	life    context.Context // ends with the keeper's work
	slots   chan struct{}   // one for each check that runs
	routine chan struct{}   // one for each that runs although no change was seen
	fights  fights

	mu      sync.Mutex
	agents  map[string]*guarded
	awaited map[string]bool // agents whose first check jobs wait for
	looked  chan struct{}   // closed when none is awaited
	running sync.WaitGroup
	over    bool // no check is queued any more
}

// guarded is the state of an agent's checks.
type guarded struct {
	queued  bool          // a check is queued that has not begun
	seen    bool          // it follows a change
	running sync.Mutex    // held by the check that runs
	pause   time.Duration // between the last failure and the next try
}

const (
	// checksAtOnce bounds the checks that run, and with them open files. After checkSlow one counts as waiting for a
	// disk or a host, and no longer takes a place from others.
	checksAtOnce = 32
	checkSlow    = 2 * time.Second
	// routineAtOnce bounds the checks without a change: after a start there is one for each agent, and those of a change
	// must not wait for them.
	routineAtOnce = 24
	// A failed check is tried again after retryFirst, then after twice as long, up to retryLast.
	retryFirst, retryLast = time.Second, time.Minute
)

func newGuards(life context.Context, r *reporter) *guards {
	return &guards{reporter: r, life: life, slots: make(chan struct{}, checksAtOnce),
		routine: make(chan struct{}, routineAtOnce), agents: map[string]*guarded{}}
}

// guard returns the state of an agent's checks. The caller holds mu.
func (g *guards) guard(agent string) *guarded {
	if g.agents[agent] == nil {
		g.agents[agent] = &guarded{}
	}
	return g.agents[agent]
}

// schedule queues a check of an agent's guarded files. seen says that one of them changed: such checks go first.
func (g *guards) schedule(agent string, seen bool) {
	if wait, first := g.fights.wait(agent, time.Now()); wait > 0 {
		if first {
			time.AfterFunc(wait, func() { g.schedule(agent, seen) })
		}
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	x := g.guard(agent)
	if g.over || x.queued && (x.seen || !seen) { // a check that has not begun yet covers this change too
		return
	}
	x.queued, x.seen = true, seen
	g.running.Go(func() { g.run(agent, x, seen) })
}

// run makes one check, in its turn.
func (g *guards) run(agent string, x *guarded, seen bool) {
	if !seen {
		leave, ok := g.enter(g.routine)
		if !ok {
			return
		}
		defer leave()
	}
	x.running.Lock()
	defer x.running.Unlock()
	leave, ok := g.enter(g.slots)
	if !ok {
		return
	}
	defer leave()
	g.mu.Lock()
	wanted := x.queued
	x.queued, x.seen = false, false
	g.mu.Unlock()
	if !wanted {
		return // one that was queued later, for a change, went first
	}
	defer func() {
		if p := recover(); p != nil {
			g.reportPanic(agent, "guard", p)
		}
		g.arrived(agent)
	}()
	g.check(g.life, agent)
}

// await returns a channel that is closed once the guarded files of all targets were checked.
func (g *guards) await(targets []watch.Target) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.awaited, g.looked = map[string]bool{}, make(chan struct{})
	for _, t := range targets {
		if len(t.Guarded) > 0 {
			g.awaited[t.Agent] = true
		}
	}
	if len(g.awaited) == 0 {
		close(g.looked)
	}
	return g.looked
}

// arrived records that an agent's files were checked.
func (g *guards) arrived(agent string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.awaited[agent] {
		delete(g.awaited, agent)
		if len(g.awaited) == 0 {
			close(g.looked)
		}
	}
}

// enter takes one of some places, until leave is called or the check counts as slow. It fails when the keeper stops.
func (g *guards) enter(places chan struct{}) (leave func(), ok bool) {
	select {
	case places <- struct{}{}:
	case <-g.life.Done():
		return nil, false
	}
	free := sync.OnceFunc(func() { <-places })
	slow := time.AfterFunc(checkSlow, free)
	return func() { slow.Stop(); free() }, true
}

// wait ends the queue and waits for running checks, which stop as their life has ended.
func (g *guards) wait() {
	g.mu.Lock()
	g.over = true
	g.mu.Unlock()
	g.running.Wait()
}

// checked records whether a check failed, and schedules another one if so, later each time.
func (g *guards) checked(agent string, failed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	x := g.guard(agent)
	if !failed {
		x.pause = 0
		return
	}
	x.pause = min(max(2*x.pause, retryFirst), retryLast)
	time.AfterFunc(x.pause, func() { g.schedule(agent, true) })
}

// check restores changed texts of the operator's, or reports them, as the policy says.
func (g *guards) check(ctx context.Context, agent string) {
	f, done := g.gen.use()
	defer done()
	records, err := f.Records(agent)
	if err != nil {
		return // no longer configured
	}
	may := table.Allows(records.Policy, "guard")
	announced := g.announcer(agent, "guard", true)
	found, err := records.Baselines.Restore(may && policy.GuardBaseline.Of(records.Policy) == policy.GuardRestore, announced.announce)
	var hold, events []finding.Finding
	for _, x := range found {
		if x.Code == finding.BaselineRestored.Code {
			events = append(events, x)
			g.metrics.restored.With("baseline").Inc()
			g.countRestore(agent)
		} else {
			hold = append(hold, x)
		}
	}
	announced.reportDone(events)
	g.report(agent, "guard", hold, false)
	if err == nil { // the approved copy counts, even if the operator's file differs
		err = g.checkZones(ctx, f, agent, may && policy.GuardZone.Of(records.Policy) == policy.GuardRestore)
	}
	if err != nil && ctx.Err() != nil {
		return // the keeper stops: the next one checks again
	}
	g.logError(agent, "guard", err)
	g.reportFailure(agent, "guard", err)
	g.checked(agent, err != nil && records.Workspace.Kind == config.Local) // others are polled
}

// checkZones restores or reports changes of the part of each file above the line.
func (g *guards) checkZones(ctx context.Context, f *fleet.Fleet, agent string, restore bool) error {
	a, err := f.Agent(ctx, agent)
	if err != nil {
		return err
	}
	defer a.Close()
	if err := a.Pin(ctx); err != nil {
		return err
	}
	announced := g.announcer(agent, "zone", false)
	r, err := runner.RestoreZone(ctx, a, who, restore, announced.announce)
	if err != nil || r.Action == "" {
		announced.reportDone(nil)
	}
	switch {
	case errors.Is(err, fsys.ErrLocked), errors.Is(err, vault.ErrChanged):
		// It is being written to: check again.
		time.AfterFunc(time.Second, func() { g.schedule(agent, true) })
		return nil
	case err != nil:
		return err
	}
	if r.Action != "" {
		g.metrics.restored.With("zone").Inc()
		g.countRestore(agent)
		g.log.Warn("restored the approved text", "agent", agent, "action", r.Action, "summary", r.Summary)
		announced.reportDone(r.Findings)
		return nil
	}
	g.report(agent, "zone", r.Findings, false)
	return nil
}

// countRestore counts a restore, and reports an agent that keeps changing the text back.
func (g *guards) countRestore(agent string) {
	var found []finding.Finding
	if rounds, pause := g.fights.restored(agent, time.Now()); pause > 0 {
		found = append(found, finding.ZoneFight.In("", "the approved text was restored %d times within minutes; the next check is in %s",
			rounds, pause))
	}
	g.report(agent, "fight", found, false)
}

// minFree is how many bytes must be free on the disk of the state folder.
const minFree = 1 << 20

// DiskFindings reports that the state folder's disk is full.
func DiskFindings(state string) []finding.Finding {
	space, err := fsys.Space(state)
	if hasRoom := space.Free >= minFree && !space.Full; err != nil || hasRoom {
		return nil
	}
	return []finding.Finding{finding.DiskFull.In("", "no space left on the disk of %s", state)}
}

func watchFindings(folders int, why error) []finding.Finding {
	if folders == 0 {
		return nil
	}
	text := "out of watches"
	if why != nil {
		text = why.Error()
	}
	return []finding.Finding{finding.WatchDegraded.In("", "%d folders cannot be watched (%s); they are checked about every second", folders,
		text)}
}

// fights slows the guard down for an agent that changes the operator's text again as soon as it is restored: each round
// writes to the state folder, and one agent could fill the disk.
type fights struct {
	mu sync.Mutex
	by map[string]*fight
}

type fight struct {
	rounds []time.Time // recent restores
	until  time.Time   // the end of the pause
	asked  bool        // a check is scheduled for the end of the pause
}

const (
	fightSpan  = time.Minute     // in which restores count as recent, besides the pause
	fightFair  = 5               // recent restores without a pause
	fightPause = time.Second     // after one more
	fightLong  = 5 * time.Minute // the longest pause
)

// restored records a restore. It returns the number of recent ones and how long to pause, 0 if they are few.
func (f *fights) restored(agent string, now time.Time) (rounds int, pause time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.by == nil {
		f.by = map[string]*fight{}
	}
	x := f.by[agent]
	if x == nil {
		x = &fight{}
		f.by[agent] = x
	}
	recent := x.rounds[:0]
	for _, t := range x.rounds {
		if now.Sub(t) < fightSpan+pauseAfter(len(x.rounds)) {
			recent = append(recent, t)
		}
	}
	x.rounds = append(recent, now)
	pause = pauseAfter(len(x.rounds))
	x.until = now.Add(pause)
	return len(x.rounds), pause
}

// pauseAfter returns how long to pause after so many recent restores. It doubles with each one beyond fightFair.
func pauseAfter(rounds int) time.Duration {
	if rounds <= fightFair {
		return 0
	}
	return min(fightPause<<min(rounds-fightFair-1, 16), fightLong)
}

// wait returns how long the guard must still pause for an agent. first reports that this is the first question in this pause:
// the caller then schedules the check after it.
func (f *fights) wait(agent string, now time.Time) (left time.Duration, first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := f.by[agent]
	if x == nil {
		return 0, false
	}
	if !now.Before(x.until) {
		x.asked = false
		return 0, false
	}
	first = !x.asked
	x.asked = true
	return x.until.Sub(now), first
}
