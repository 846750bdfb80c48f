//go:build linux

package blklog

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// crashed is a state on its way to a worker.
type crashed struct {
	state State
	image *image
	acked []string
}

// checkAll mounts and checks all points and returns the failures in the order
// of the log. An error is one of the machinery, not of a check.
func checkAll(ctx context.Context, dir *runDir, cfg Config, base *image, events []event, points []crashPoint,
	check func(string, []string) error) ([]Failure, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan crashed)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failures []Failure
	for i := range 2 * runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			w, err := newWorker(dir, cfg, fmt.Sprintf("state%d", i))
			if err != nil {
				cancel(err)
				return
			}
			for c := range work {
				bad, err := w.check(c, check)
				if err != nil {
					cancel(fmt.Errorf("%s: %w", c.state, err))
					return
				}
				if bad == nil {
					continue
				}
				mu.Lock()
				failures = append(failures, Failure{State: c.state, Acked: c.acked, Err: bad})
				mu.Unlock()
			}
		})
	}
	produce(ctx, work, newReplay(base, events, cfg.Seed), points)
	close(work)
	wg.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("check states: %w", context.Cause(ctx))
	}
	slices.SortFunc(failures, func(a, b Failure) int {
		if a.State.Moment != b.State.Moment {
			return a.State.Moment - b.State.Moment
		}
		return a.State.Choice - b.State.Choice
	})
	return failures, nil
}

// produce makes the images of points, which are in the order of the log.
func produce(ctx context.Context, work chan<- crashed, r *replay, points []crashPoint) {
	for _, point := range points {
		for r.next < point.moment {
			r.step()
		}
		im, state := r.crash(point.choice)
		select {
		case work <- crashed{state, im, slices.Clone(r.labels)}:
		case <-ctx.Done():
			return
		}
	}
}

// worker mounts one state after the other on a mount point of its own.
type worker struct {
	scratch, mnt string
	opts         []string
}

func newWorker(dir *runDir, cfg Config, name string) (*worker, error) {
	mnt, err := dir.mkdir(name)
	if err != nil {
		return nil, err
	}
	return &worker{scratch: dir.path, mnt: mnt, opts: cfg.MountOpts}, nil
}

// check returns what is wrong with the state, or an error if it cannot tell.
func (w *worker) check(c crashed, check func(string, []string) error) (bad, err error) {
	// A new disk each time, as a used one would have to be compared block by block.
	file, err := newMemFile("state", c.image.size())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := c.image.writeTo(file); err != nil {
		return nil, err
	}
	switch err := mountImage(int(file.Fd()), w.mnt, w.scratch, w.opts); {
	case errors.Is(err, ErrMount):
		return err, nil
	case err != nil:
		return nil, err
	}
	bad = guard(func() error { return check(w.mnt, slices.Clone(c.acked)) })
	return bad, unmount(w.mnt)
}
