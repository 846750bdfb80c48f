package fleet

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Parallel calls do for 0 to n-1 on a number of workers.
func Parallel(n, workers int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, workers) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}

// call is what a worker of gatherResults is doing.
type call struct {
	i         int
	since     time.Time
	abandoned bool // its result does not count
}

// gatherResults returns the results of do for 0 to n-1, on a number of workers. A call that takes longer than wait (0: no limit)
// is abandoned: late returns its result, and another worker takes over. When ctx ends, all calls are abandoned.
func gatherResults[T any](ctx context.Context, n, workers int, wait time.Duration, do func(i int) T, late func(i int, err error) T) []T {
	g := gathering[T]{do: do, late: late, out: make([]T, n), left: n, running: map[*call]bool{}, done: make(chan struct{})}
	if n == 0 {
		return g.out
	}
	for range min(n, workers) {
		go g.work()
	}
	var alarm <-chan time.Time
	if wait > 0 {
		t := time.NewTicker(max(wait/10, 1))
		defer t.Stop()
		alarm = t.C
	}
	for {
		select {
		case <-g.done:
			return g.out
		case <-ctx.Done():
			g.abandonAll(ctx.Err())
		case <-alarm:
			for range g.abandonOlder(wait) {
				go g.work()
			}
		}
	}
}

// gathering are the results that are being gathered.
type gathering[T any] struct {
	do   func(i int) T
	late func(i int, err error) T
	done chan struct{} // closed when all results are there

	mu      sync.Mutex
	out     []T
	next    int // the first that no worker has taken
	left    int // results that are missing
	running map[*call]bool
}

// work computes results until none is left or a call of it was abandoned.
func (g *gathering[T]) work() {
	g.mu.Lock() // without defer: a panic in do would be hidden by one about the lock
	c := &call{}
	for g.next < len(g.out) && !c.abandoned {
		c.i, c.since = g.next, time.Now()
		g.next++
		g.running[c] = true
		g.mu.Unlock()
		result := g.do(c.i)
		g.mu.Lock()
		if !c.abandoned {
			g.setResult(c.i, result)
		}
	}
	delete(g.running, c)
	g.mu.Unlock()
}

// setResult sets one result. The caller holds mu.
func (g *gathering[T]) setResult(i int, result T) {
	g.out[i] = result
	g.left--
	if g.left == 0 {
		close(g.done)
	}
}

// abandonCall replaces the result of a running call. The caller holds mu.
func (g *gathering[T]) abandonCall(c *call, err error) {
	c.abandoned = true
	delete(g.running, c)
	g.setResult(c.i, g.late(c.i, err))
}

// abandonOlder abandons the calls that have run for that long, and returns their number.
func (g *gathering[T]) abandonOlder(age time.Duration) (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.running {
		if time.Since(c.since) >= age {
			g.abandonCall(c, context.DeadlineExceeded)
			n++
		}
	}
	return n
}

// abandonAll abandons every call that runs or has not begun.
func (g *gathering[T]) abandonAll(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.running {
		g.abandonCall(c, err)
	}
	for ; g.next < len(g.out); g.next++ {
		g.setResult(g.next, g.late(g.next, err))
	}
}
