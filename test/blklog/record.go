//go:build linux

package blklog

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// record runs the workload on the disk of the helper and returns the log of
// that disk up to and including a clean unmount.
func record(ctx context.Context, dir *runDir, cfg Config, helper *client, run func(string, func(string)) error) ([]event, error) {
	mnt, err := dir.mkdir("mnt")
	if err != nil {
		return nil, err
	}
	if err := mountDisk(dir, mnt, cfg.MountOpts); err != nil {
		return nil, err
	}
	// A workload that never gets done is at least not kept waiting by its disk.
	stop := context.AfterFunc(ctx, func() { _ = cutOff(dir.path) })
	err = runWorkload(mnt, cfg, helper, run)
	err = errors.Join(err, unmount(mnt))
	stop()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("record workload: %w", context.Cause(ctx))
	}
	if err != nil {
		return nil, err
	}
	return helper.finish()
}

func mountDisk(dir *runDir, mnt string, opts []string) error {
	path := dir.join(fuseName + "/" + diskName)
	// Not by os.Open, whose poller would send requests of its own.
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open disk: %w", err)
	}
	defer unix.Close(fd)
	return mountImage(fd, mnt, dir.path, opts)
}

func runWorkload(mnt string, cfg Config, helper *client, run func(string, func(string)) error) error {
	root, err := unix.Open(mnt, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open mounted root: %w", err)
	}
	defer unix.Close(root)
	// What mounting wrote is no part of any crash state.
	if err := unix.Syncfs(root); err != nil {
		return fmt.Errorf("sync before workload: %w", err)
	}
	if err := helper.record(event{Kind: beginEvent}); err != nil {
		return err
	}
	if cfg.SyncEvery > 0 {
		defer syncAlways(root, cfg.SyncEvery)()
	}
	var acks ackErrors
	err = guard(func() error {
		return run(mnt, func(label string) { acks.add(helper.record(event{Kind: ackEvent, Label: label})) })
	})
	if err != nil {
		err = fmt.Errorf("run workload: %w", err)
	}
	return errors.Join(err, acks.first())
}

// ackErrors keeps the first error of acks, whose callers have no use for it.
type ackErrors struct {
	mu  sync.Mutex
	err error
}

func (a *ackErrors) add(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = err
	}
}

func (a *ackErrors) first() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

// syncAlways syncs the file system of root again and again until the function it
// returns is called.
func syncAlways(root int, pause time.Duration) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			// The workload gets the same errors and is in a place to report them.
			_ = unix.Syncfs(root)
			select {
			case <-quit:
				return
			case <-time.After(pause):
			}
		}
	}()
	return func() { close(quit); <-done }
}
