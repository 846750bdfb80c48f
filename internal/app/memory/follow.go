package memory

import (
	"context"
	"sync"

	"tend/internal/app/memory/scope"
)

// Follow reports every change to the files until the context ends or the service is closed. Its first report is
// empty: from then on no change is missed.
func (r *Reader) Follow(ctx context.Context, tell func([]scope.Change)) error {
	ctx, end, ok := r.follows.begin(ctx)
	if !ok {
		return nil
	}
	defer end()
	return r.files.Follow(ctx, tell)
}

// follows tracks the calls of Follow, which read the agent's files until they end.
type follows struct {
	mu      sync.Mutex
	stops   map[int]func()
	next    int
	closed  bool
	running sync.WaitGroup
}

// begin returns a context for a call that ends with the service; ok is false if the service is closed.
func (f *follows) begin(ctx context.Context) (_ context.Context, end func(), ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ctx, nil, false
	}
	ctx, stop := context.WithCancel(ctx)
	n := f.next
	if f.next++; f.stops == nil {
		f.stops = map[int]func(){}
	}
	f.stops[n] = stop
	f.running.Add(1)
	return ctx, func() {
		stop()
		f.mu.Lock()
		delete(f.stops, n)
		f.mu.Unlock()
		f.running.Done()
	}, true
}

// close ends all calls and waits for them.
func (f *follows) close() {
	f.mu.Lock()
	f.closed = true
	for _, stop := range f.stops {
		stop()
	}
	f.mu.Unlock()
	f.running.Wait()
}
