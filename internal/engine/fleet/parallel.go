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

// call is what a worker of gather is doing.
type call struct {
	i         int
	since     time.Time
	abandoned bool // its result does not count
}

// gatherResults returns the results of do for 0 to n-1, on a number of workers. A call that takes longer than wait (0: no limit)
// is abandoned: late returns its result, and another worker takes over. When ctx ends, all calls are abandoned.
func gatherResults[T any](ctx context.Context, n, workers int, wait time.Duration, do func(i int) T, late func(i int, err error) T) []T {
	out := make([]T, n)
	if n == 0 {
		return out
	}
	var mu sync.Mutex // guards out and the variables below
	next, left := 0, n
	running := map[*call]bool{}
	done := make(chan struct{})
	set := func(i int, result T) {
		out[i] = result
		left--
		if left == 0 {
			close(done)
		}
	}
	work := func() {
		mu.Lock()
		c := &call{}
		for next < n && !c.abandoned {
			c.i, c.since = next, time.Now()
			next++
			running[c] = true
			mu.Unlock()
			result := do(c.i)
			mu.Lock()
			if !c.abandoned {
				set(c.i, result)
			}
		}
		delete(running, c)
		mu.Unlock()
	}
	abandon := func(c *call, err error) {
		c.abandoned = true
		delete(running, c)
		set(c.i, late(c.i, err))
	}
	for range min(n, workers) {
		go work()
	}
	var alarm <-chan time.Time
	if wait > 0 {
		t := time.NewTicker(max(wait/10, 1))
		defer t.Stop()
		alarm = t.C
	}
	for {
		select {
		case <-done:
			return out
		case <-ctx.Done():
			mu.Lock()
			for c := range running {
				abandon(c, ctx.Err())
			}
			for ; next < n; next++ {
				set(next, late(next, ctx.Err()))
			}
			mu.Unlock()
		case <-alarm:
			mu.Lock()
			for c := range running {
				if time.Since(c.since) >= wait {
					abandon(c, context.DeadlineExceeded)
					go work()
				}
			}
			mu.Unlock()
		}
	}
}
