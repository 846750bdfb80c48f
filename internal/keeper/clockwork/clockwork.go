// Package clockwork runs what a schedule asks for: when it is due, one thing at a
// time for an agent, a bounded number of agents at once.
//
// It knows nothing of what a job is. Handed the entries and what was remembered of
// them it calls Run, and tells Save what is to be remembered. It uses the time
// package alone, so a test can let a year pass in a bubble.
package clockwork

import (
	"container/heap"
	"context"
	"slices"
	"sync"
	"time"

	"tend/internal/schedule"
)

// Work is one thing to do for an agent.
type Work struct {
	Agent string
	Job   string
	Slot  time.Time // zero when nobody's schedule asked for it
}

// Options say what a clockwork drives.
type Options struct {
	// Run does the work and says how it ended. Its context outlives a stop by Grace.
	Run func(context.Context, Work) schedule.End
	// Save remembers a job's past and when it is due next. It may be called at once
	// for several agents, never for one.
	Save func(e schedule.Entry, past schedule.Past, next time.Time)
	// Panicked hears of posted work that panicked: one agent's strange file costs that agent alone. What Run does is
	// for Run to recover.
	Panicked func(w Work, value any)
	// Mine reports whether the work of an agent is this process's; nil says it always is.
	Mine    func(agent string) bool
	Workers int
	Grace   time.Duration // how long work in hand may take after a stop
	Now     func() time.Time
}

// longest is how long the clockwork sleeps at most: a clock that was set, or a
// machine that slept, is noticed after this.
const longest = 20 * time.Second

// Clockwork runs jobs. Make one with New.
type Clockwork struct {
	o    Options
	wake chan struct{}

	mu     sync.Mutex
	agents map[string]*agent
	due    queue
	ready  []*agent            // agents with work that nobody does yet, in order
	urgent []*agent            // the same, for what was posted
	active int                 // work being done
	rushed int                 // of it, what was posted
	hands  map[*item]time.Time // work being done, since when
	closed bool
	idle   *sync.Cond
}

type agent struct {
	name    string
	tasks   map[string]*task
	waiting []*item
	busy    bool // in ready, or at work
	gone    bool // no longer configured
}

type task struct {
	agent *agent
	entry schedule.Entry
	past  schedule.Past
	next  time.Time
	at    int // in the queue, -1 if not
}

// item is work that was asked for.
type item struct {
	work Work
	task *task // nil if no schedule asked for it
	do   func(context.Context)
	done func()
}

// New makes a clockwork that does not run yet.
func New(o Options) *Clockwork {
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Clockwork{o: o, wake: make(chan struct{}, 1), agents: map[string]*agent{}, hands: map[*item]time.Time{}}
	c.idle = sync.NewCond(&c.mu)
	return c
}

// Set replaces the timetable. past gives what is remembered of a job that was not
// in the old one.
func (c *Clockwork) Set(entries []schedule.Entry, past func(agent, job string) schedule.Past) {
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
			t.past = was.past
		} else {
			t.past = past(e.Agent, e.Job)
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
			c.plan(t, now)
		}
	}
	heap.Init(&c.due)
	c.kick()
}

// plan finds out when to look at a task, without ordering the queue.
func (c *Clockwork) plan(t *task, now time.Time) {
	t.past = schedule.Heal(t.entry, t.past, now)
	v := t.decide(now)
	t.next = v.Next
	if v.Due {
		t.next = now
	}
	if !t.next.IsZero() {
		t.at = len(c.due)
		c.due = append(c.due, t)
	}
}

func (t *task) decide(now time.Time) schedule.Verdict {
	var before *schedule.Before
	if b := t.agent.tasks[t.entry.After]; b != nil {
		before = &schedule.Before{Entry: b.entry, Past: b.past}
	}
	return schedule.Decide(t.entry, t.past, before, now)
}

func (c *Clockwork) kick() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Do has something done for an agent, before what its schedule has waiting. It
// returns when that is done, or not to be done any more.
func (c *Clockwork) Do(ctx context.Context, w Work, do func(context.Context)) {
	over := make(chan struct{})
	if !c.Post(w, do, func() { close(over) }) {
		return
	}
	select {
	case <-over:
	case <-ctx.Done():
	}
}

// Post is Do for those who do not wait; done may be nil. It reports whether the
// work was taken.
func (c *Clockwork) Post(w Work, do func(context.Context), done func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	a := c.agents[w.Agent]
	if a == nil { // has no schedule
		a = &agent{name: w.Agent}
		c.agents[w.Agent] = a
	}
	c.enqueue(a, &item{work: w, do: do, done: done})
	c.kick()
	return true
}

func (c *Clockwork) enqueue(a *agent, i *item) {
	if i.task == nil { // somebody waits for it, or a file is not what it should be
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
		c.queue(a)
	case i.task == nil:
		if at := slices.Index(c.ready, a); at >= 0 {
			c.ready = slices.Delete(c.ready, at, at+1)
			c.queue(a)
		}
	}
}

func (c *Clockwork) queue(a *agent) {
	if a.waiting[0].task == nil {
		c.urgent = append(c.urgent, a)
	} else {
		c.ready = append(c.ready, a)
	}
}

// Run drives the clockwork until the context ends, then lets work in hand finish
// within Grace. Work that waits is left for the next start. It returns how much work did
// not end.
func (c *Clockwork) Run(ctx context.Context) (left int) {
	inHand, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	timer := time.NewTimer(0)
	defer timer.Stop()
	wall, mono := c.o.Now().Round(0), time.Now()
	for ctx.Err() == nil {
		now := c.o.Now()
		// The wall clock against the one that cannot be set.
		jumped := now.Round(0).Sub(wall) - time.Since(mono)
		wall, mono = now.Round(0), time.Now()
		timer.Reset(c.turn(inHand, now, jumped < -time.Second))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-c.wake:
		}
	}
	return c.stop(cancel)
}

// turn starts what is due and returns how long to sleep.
func (c *Clockwork) turn(ctx context.Context, now time.Time, setBack bool) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if setBack {
		c.due = c.due[:0]
		for _, a := range c.agents {
			for _, t := range a.tasks {
				if t.at >= 0 {
					t.at = -1
					c.plan(t, now)
				}
			}
		}
		heap.Init(&c.due)
	}
	for len(c.due) > 0 && !c.due[0].next.After(now) {
		t := c.due[0]
		v := t.decide(now)
		if v.Due && c.o.Mine != nil && !c.o.Mine(t.entry.Agent) {
			c.again(t, now.Add(notMine)) // it may become ours before it is done
			continue
		}
		if v.Due {
			heap.Pop(&c.due)
			c.enqueue(t.agent, &item{work: Work{t.entry.Agent, t.entry.Job, v.Slot}, task: t})
			continue
		}
		c.again(t, v.Next)
	}
	// Each has workers of its own: a burst of scheduled work does not keep what is
	// urgent waiting, nor a flood of what is urgent the schedule.
	rushed, calm := c.slow(time.Now())
	for c.rushed-rushed < c.o.Workers/2+spare && len(c.urgent) > 0 {
		c.start(ctx, &c.urgent)
	}
	for c.active-c.rushed-calm < c.o.Workers && len(c.ready) > 0 {
		c.start(ctx, &c.ready)
	}
	if len(c.due) == 0 {
		return longest
	}
	return min(longest, max(c.due[0].next.Sub(now), 0))
}

// notMine is when work that another process should do is looked at again.
const notMine = 2 * time.Second

// spare is how many workers there are for urgent work besides half as many as for the rest.
const spare = 4

// slowAfter is when work counts as waiting for a disk or a host, and spareSlow how much of
// that does not take a worker's place: who waits must not keep the others waiting.
const slowAfter, spareSlow = 15 * time.Second, 64

func (c *Clockwork) slow(now time.Time) (rushed, calm int) {
	for i, since := range c.hands {
		if now.Sub(since) < slowAfter || rushed+calm == spareSlow {
			continue
		}
		if i.do != nil {
			rushed++
		} else {
			calm++
		}
	}
	return rushed, calm
}

func (c *Clockwork) start(ctx context.Context, list *[]*agent) {
	a := (*list)[0]
	*list = (*list)[1:]
	if len(a.waiting) == 0 {
		a.busy = false
		return
	}
	i := a.waiting[0]
	a.waiting = a.waiting[1:]
	c.active++
	c.hands[i] = time.Now()
	if i.do != nil {
		c.rushed++
	}
	go c.work(ctx, a, i)
}

// again puts a task, which may be in the queue, at the place of its next time.
func (c *Clockwork) again(t *task, next time.Time) {
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

func (c *Clockwork) work(ctx context.Context, a *agent, i *item) {
	switch {
	case i.do != nil:
		c.posted(ctx, i)
	case c.stillDue(a, i):
		c.settle(a, i, c.o.Run(ctx, i.work))
	}
	if i.done != nil {
		i.done()
	}
	c.mu.Lock()
	c.active--
	delete(c.hands, i)
	if i.do != nil {
		c.rushed--
	}
	if len(a.waiting) > 0 {
		c.queue(a)
	} else {
		a.busy = false
	}
	c.idle.Broadcast()
	c.mu.Unlock()
	c.kick()
}

// posted does work that somebody posted, and survives it.
func (c *Clockwork) posted(ctx context.Context, i *item) {
	if c.o.Panicked != nil {
		defer func() {
			if p := recover(); p != nil {
				c.o.Panicked(i.work, p)
			}
		}()
	}
	i.do(ctx)
}

// stillDue looks once more before work begins: it may have been asked for twice, by
// the timetable of before and by the one of now.
func (c *Clockwork) stillDue(a *agent, i *item) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := a.tasks[i.work.Job]; t != nil {
		i.task = t
	}
	v := i.task.decide(c.o.Now())
	if !v.Due && a.tasks[i.work.Job] == i.task {
		c.again(i.task, v.Next)
	}
	i.work.Slot = v.Slot
	return v.Due && !a.gone
}

func (c *Clockwork) settle(a *agent, i *item, end schedule.End) {
	c.mu.Lock()
	now, t := c.o.Now(), i.task
	if cur := a.tasks[i.work.Job]; cur != nil {
		t = cur // the timetable may have been replaced meanwhile
	}
	t.past = schedule.Settle(t.entry, t.past, i.work.Slot, end, now)
	v := t.decide(now)
	next := v.Next
	if v.Due {
		next = now
	}
	if !a.gone && a.tasks[i.work.Job] == t {
		c.again(t, next)
	}
	e, past := t.entry, t.past
	c.mu.Unlock()
	// The agent is still busy, so this is the only call for it.
	c.o.Save(e, past, next)
}

// letGo is how long work may take to notice that its context was taken away.
const letGo = 5 * time.Second

// stop waits for work in hand, then takes its context away and waits for that. What does
// not end even then, because a disk does not answer, is left; it returns how much.
func (c *Clockwork) stop(cancel context.CancelFunc) (left int) {
	over := false
	timers := []*time.Timer{
		time.AfterFunc(c.o.Grace, cancel),
		time.AfterFunc(c.o.Grace+letGo, func() {
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
