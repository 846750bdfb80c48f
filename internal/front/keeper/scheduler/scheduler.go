// Package scheduler runs scheduled work when it is due: one job at a time per agent, for a bounded number of agents at
// once.
//
// It does not know what a job is: it calls Run for entries that are due and Save with what to record. It takes the time
// only from package time, so a test can simulate a year in a synctest bubble.
package scheduler

import (
	"container/heap"
	"context"
	"slices"
	"sync"
	"time"

	"tend/internal/engine/schedule"
)

// Work is a piece of work for an agent.
type Work struct {
	Agent string
	Job   string
	Slot  time.Time // zero if it was not scheduled
}

// Options configures a scheduler.
type Options struct {
	// Run does scheduled work and returns how it ended. Its context outlives a stop by Grace.
	Run func(context.Context, Work) schedule.End
	// Save stores the state of a job's runs and when it is due next. It is called concurrently for several agents, never for one.
	Save func(e schedule.Entry, state schedule.RunState, next time.Time)
	// Panicked is called if posted work panics. Run must recover from its own panics.
	Panicked func(w Work, value any)
	// Mine reports whether this process runs the work of an agent; nil means always.
	Mine    func(agent string) bool
	Workers int
	Grace   time.Duration // how long running work may take after a stop
	Now     func() time.Time
}

// maxSleep bounds how long the scheduler sleeps: a changed clock or a suspended machine is noticed after this time.
const maxSleep = 20 * time.Second

// Scheduler runs jobs. Create one with New.
type Scheduler struct {
	o    Options
	wake chan struct{}

	mu           sync.Mutex
	agents       map[string]*agent
	due          queue
	ready        []*agent            // agents with queued scheduled work, in order
	urgent       []*agent            // agents with queued posted work, in order
	active       int                 // running work
	activeUrgent int                 // running posted work
	running      map[*item]time.Time // running work, since when
	closed       bool
	idle         *sync.Cond
}

type agent struct {
	name    string
	tasks   map[string]*task
	waiting []*item
	busy    bool // queued or running
	gone    bool // no longer configured
}

type task struct {
	agent *agent
	entry schedule.Entry
	state schedule.RunState
	next  time.Time
	at    int // in the queue, -1 if not
}

// item is queued work.
type item struct {
	work Work
	task *task // nil if it was posted
	do   func(context.Context)
	done func()
}

// New returns a scheduler that does not run yet.
func New(o Options) *Scheduler {
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Scheduler{o: o, wake: make(chan struct{}, 1), agents: map[string]*agent{}, running: map[*item]time.Time{}}
	c.idle = sync.NewCond(&c.mu)
	return c
}

// Set replaces the timetable. state returns the recorded state of a job that was not in the old one.
func (c *Scheduler) Set(entries []schedule.Entry, state func(agent, job string) schedule.RunState) {
	now := c.o.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.agents
	c.agents = make(map[string]*agent, len(old))
	c.due = make(queue, 0, len(entries))
	for _, e := range entries {
		a := c.agents[e.Agent]
		if a == nil {
			if a = old[e.Agent]; a == nil {
				a = &agent{name: e.Agent}
			}
			c.agents[e.Agent] = a
			a.tasks, old[e.Agent] = map[string]*task{}, &agent{tasks: a.tasks}
		}
		t := &task{agent: a, entry: e, at: -1}
		if was := old[e.Agent].tasks[e.Job]; was != nil {
			t.state = was.state
		} else {
			t.state = state(e.Agent, e.Job)
		}
		a.tasks[e.Job] = t
	}
	for name, a := range old {
		if _, kept := c.agents[name]; !kept {
			a.gone = true
			a.waiting = slices.DeleteFunc(a.waiting, func(i *item) bool { return i.task != nil })
		}
	}
	for _, a := range c.agents {
		for _, t := range a.tasks {
			c.addTask(t, now)
		}
	}
	heap.Init(&c.due)
	c.wakeUp()
}

// addTask appends a task with its next time to the queue, without ordering it.
func (c *Scheduler) addTask(t *task, now time.Time) {
	t.state = schedule.Heal(t.entry, t.state, now)
	t.next = t.decideNext(now)
	if !t.next.IsZero() {
		t.at = len(c.due)
		c.due = append(c.due, t)
	}
}

// decideNext returns when a task runs next: now if it is due, zero if never.
func (t *task) decideNext(now time.Time) time.Time {
	if v := t.decideNow(now); !v.Due {
		return v.Next
	}
	return now
}

func (t *task) decideNow(now time.Time) schedule.Verdict {
	var before *schedule.Before
	if b := t.agent.tasks[t.entry.After]; b != nil {
		before = &schedule.Before{Entry: b.entry, State: b.state}
	}
	return schedule.Decide(t.entry, t.state, before, now)
}

func (c *Scheduler) wakeUp() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Post queues work for an agent, ahead of its scheduled work. done, if not nil, is called when the work is done or dropped. Post
// reports whether the work was accepted.
func (c *Scheduler) Post(w Work, do func(context.Context), done func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	a := c.agents[w.Agent]
	if a == nil { // no schedule
		a = &agent{name: w.Agent}
		c.agents[w.Agent] = a
	}
	c.enqueue(a, &item{work: w, do: do, done: done})
	c.wakeUp()
	return true
}

func (c *Scheduler) enqueue(a *agent, i *item) {
	if i.task == nil { // posted work is urgent
		at := slices.IndexFunc(a.waiting, func(x *item) bool { return x.task != nil })
		if at < 0 {
			at = len(a.waiting)
		}
		a.waiting = slices.Insert(a.waiting, at, i)
	} else {
		a.waiting = append(a.waiting, i)
	}
	switch {
	case !a.busy:
		a.busy = true
		c.queueAgent(a)
	case i.task == nil:
		if at := slices.Index(c.ready, a); at >= 0 {
			c.ready = slices.Delete(c.ready, at, at+1)
			c.queueAgent(a)
		}
	}
}

// queueAgent queues an agent for a worker, by its first waiting work.
func (c *Scheduler) queueAgent(a *agent) {
	if a.waiting[0].task == nil {
		c.urgent = append(c.urgent, a)
	} else {
		c.ready = append(c.ready, a)
	}
}

// Run runs the scheduler until the context ends, then lets running work finish within Grace. Queued work is dropped. It
// returns how many pieces of work did not end.
func (c *Scheduler) Run(ctx context.Context) (left int) {
	inHand, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	timer := time.NewTimer(0)
	defer timer.Stop()
	wall, mono := c.o.Now().Round(0), time.Now()
	for ctx.Err() == nil {
		now := c.o.Now()
		// Compare the wall clock with the monotonic one.
		jumped := now.Round(0).Sub(wall) - time.Since(mono)
		wall, mono = now.Round(0), time.Now()
		timer.Reset(c.startDue(inHand, now, jumped < -time.Second))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-c.wake:
		}
	}
	return c.stop(cancel)
}

// startDue starts what is due and returns how long to sleep.
func (c *Scheduler) startDue(ctx context.Context, now time.Time, setBack bool) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if setBack {
		c.replan(now)
	}
	c.enqueueDue(now)
	// Urgent and scheduled work have separate workers, so that a burst of one does not delay the other.
	slowUrgent, slowScheduled := c.countSlow(time.Now())
	for c.activeUrgent-slowUrgent < c.o.Workers/2+extraUrgent && len(c.urgent) > 0 {
		c.start(ctx, &c.urgent)
	}
	for c.active-c.activeUrgent-slowScheduled < c.o.Workers && len(c.ready) > 0 {
		c.start(ctx, &c.ready)
	}
	if len(c.due) == 0 {
		return maxSleep
	}
	return min(maxSleep, max(c.due[0].next.Sub(now), 0))
}

// replan decides again when all tasks in the queue are due, after the clock was set back.
func (c *Scheduler) replan(now time.Time) {
	c.due = c.due[:0]
	for _, a := range c.agents {
		for _, t := range a.tasks {
			if t.at >= 0 {
				t.at = -1
				c.addTask(t, now)
			}
		}
	}
	heap.Init(&c.due)
}

// enqueueDue moves the tasks that are due from the timetable to their agents.
func (c *Scheduler) enqueueDue(now time.Time) {
	for len(c.due) > 0 && !c.due[0].next.After(now) {
		t := c.due[0]
		v := t.decideNow(now)
		switch {
		case !v.Due:
			c.reschedule(t, v.Next)
		case c.o.Mine != nil && !c.o.Mine(t.entry.Agent):
			c.reschedule(t, now.Add(recheckOthers)) // the agent may become ours
		default:
			heap.Pop(&c.due)
			c.enqueue(t.agent, &item{work: Work{t.entry.Agent, t.entry.Job, v.Slot}, task: t})
		}
	}
}

// recheckOthers is when due work of another process is checked again.
const recheckOthers = 2 * time.Second

// extraUrgent is the number of workers for urgent work beyond half of Workers.
const extraUrgent = 4

// After slowAfter, work counts as waiting for a disk or a host. Up to spareSlow such pieces do not occupy a worker, so
// that they do not delay others.
const slowAfter, spareSlow = 15 * time.Second, 64

// countSlow counts the pieces of posted and of scheduled work that do not occupy a worker.
func (c *Scheduler) countSlow(now time.Time) (urgent, scheduled int) {
	for i, since := range c.running {
		if now.Sub(since) < slowAfter || urgent+scheduled == spareSlow {
			continue
		}
		if i.do != nil {
			urgent++
		} else {
			scheduled++
		}
	}
	return urgent, scheduled
}

func (c *Scheduler) start(ctx context.Context, list *[]*agent) {
	a := (*list)[0]
	*list = (*list)[1:]
	if len(a.waiting) == 0 {
		a.busy = false
		return
	}
	i := a.waiting[0]
	a.waiting = a.waiting[1:]
	c.active++
	c.running[i] = time.Now()
	if i.do != nil {
		c.activeUrgent++
	}
	go c.runItem(ctx, a, i)
}

// reschedule puts a task, which may be in the queue, at the place of its next time.
func (c *Scheduler) reschedule(t *task, next time.Time) {
	t.next = next
	switch {
	case next.IsZero() && t.at >= 0:
		heap.Remove(&c.due, t.at)
	case next.IsZero():
	case t.at >= 0:
		heap.Fix(&c.due, t.at)
	default:
		heap.Push(&c.due, t)
	}
}

func (c *Scheduler) runItem(ctx context.Context, a *agent, i *item) {
	switch {
	case i.do != nil:
		c.runPosted(ctx, i)
	case c.recheck(a, i):
		c.finishItem(a, i, c.o.Run(ctx, i.work))
	}
	if i.done != nil {
		i.done()
	}
	c.mu.Lock()
	c.active--
	delete(c.running, i)
	if i.do != nil {
		c.activeUrgent--
	}
	if len(a.waiting) > 0 {
		c.queueAgent(a)
	} else {
		a.busy = false
	}
	c.idle.Broadcast()
	c.mu.Unlock()
	c.wakeUp()
}

// runPosted runs posted work and recovers from a panic.
func (c *Scheduler) runPosted(ctx context.Context, i *item) {
	if c.o.Panicked != nil {
		defer func() {
			if p := recover(); p != nil {
				c.o.Panicked(i.work, p)
			}
		}()
	}
	i.do(ctx)
}

// recheck decides again before work begins, as it may be queued twice, by the previous and the current timetable. It updates the
// work's task and slot, and reports whether the work is still due.
func (c *Scheduler) recheck(a *agent, i *item) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := a.tasks[i.work.Job]; t != nil {
		i.task = t
	}
	v := i.task.decideNow(c.o.Now())
	if !v.Due && a.tasks[i.work.Job] == i.task {
		c.reschedule(i.task, v.Next)
	}
	i.work.Slot = v.Slot
	return v.Due && !a.gone
}

func (c *Scheduler) finishItem(a *agent, i *item, end schedule.End) {
	c.mu.Lock()
	now, t := c.o.Now(), i.task
	if cur := a.tasks[i.work.Job]; cur != nil {
		t = cur // the timetable was replaced meanwhile
	}
	t.state = schedule.AfterRun(t.entry, t.state, i.work.Slot, end, now)
	next := t.decideNext(now)
	if !a.gone && a.tasks[i.work.Job] == t {
		c.reschedule(t, next)
	}
	e, state := t.entry, t.state
	c.mu.Unlock()
	// The agent is still busy, so there is no other call for it.
	c.o.Save(e, state, next)
}

// cancelTimeout is how long work may take to notice that its context was cancelled.
const cancelTimeout = 5 * time.Second

// stop waits for running work, then cancels its context and waits again. It returns how many pieces did not end even
// then, because a disk does not answer.
func (c *Scheduler) stop(cancel context.CancelFunc) (left int) {
	over := false
	timers := []*time.Timer{
		time.AfterFunc(c.o.Grace, cancel),
		time.AfterFunc(c.o.Grace+cancelTimeout, func() {
			c.mu.Lock()
			over = true
			c.mu.Unlock()
			c.idle.Broadcast()
		}),
	}
	defer func() {
		for _, t := range timers {
			t.Stop()
		}
	}()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for c.active > 0 && !over {
		c.idle.Wait()
	}
	for _, a := range c.agents {
		for _, i := range a.waiting {
			if i.done != nil {
				i.done()
			}
		}
		a.waiting = nil
	}
	return c.active
}
