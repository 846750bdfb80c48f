package scheduler

import (
	"time"

	"tend/internal/engine/schedule"
)

// queue is a heap of tasks by their next time.
type queue []*task

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].next.Before(q[j].next) }
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].at, q[j].at = i, j
}

// Push implements heap.Interface.
func (q *queue) Push(x any) {
	t := x.(*task)
	t.at = len(*q)
	*q = append(*q, t)
}

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	old := *q
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*q, t.at = old[:len(old)-1], -1
	return t
}

// Job is a job of an agent and the state of its runs.
type Job struct {
	Entry schedule.Entry
	State schedule.RunState
	Next  time.Time
}

// Each calls do for every job.
func (c *Scheduler) Each(do func(Job)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.agents {
		for _, t := range a.tasks {
			do(Job{t.entry, t.state, t.next})
		}
	}
}

// Load returns how much work runs and how many agents wait.
func (c *Scheduler) Load() (active, waiting int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.active, len(c.ready) + len(c.urgent)
}

// Running is work that runs.
type Running struct {
	Work
	Since time.Time
}

// Slow returns the work that has been running for long.
func (c *Scheduler) Slow() (list []Running) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, since := range c.running {
		if time.Since(since) >= slowAfter {
			list = append(list, Running{i.work, since})
		}
	}
	return list
}
