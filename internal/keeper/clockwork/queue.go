package clockwork

import (
	"time"

	"tend/internal/schedule"
)

// queue is the tasks by when to look at them.
type queue []*task

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].next.Before(q[j].next) }
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].at, q[j].at = i, j
}

// Push is for container/heap.
func (q *queue) Push(x any) {
	t := x.(*task)
	t.at = len(*q)
	*q = append(*q, t)
}

// Pop is for container/heap.
func (q *queue) Pop() any {
	old := *q
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*q, t.at = old[:len(old)-1], -1
	return t
}

// State is a job as the clockwork has it.
type State struct {
	Entry schedule.Entry
	Past  schedule.Past
	Next  time.Time
}

// Each goes through all jobs.
func (c *Clockwork) Each(do func(State)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.agents {
		for _, t := range a.tasks {
			do(State{t.entry, t.past, t.next})
		}
	}
}

// Load is how much is being done and how much waits.
func (c *Clockwork) Load() (active, waiting int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.active, len(c.ready) + len(c.urgent)
}

// Hand is work being done.
type Hand struct {
	Work
	Since time.Time
}

// Slow is the work that takes longer than work should.
func (c *Clockwork) Slow() (list []Hand) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, since := range c.hands {
		if time.Since(since) >= slowAfter {
			list = append(list, Hand{i.work, since})
		}
	}
	return list
}
