//go:build !windows

package fsys_test

import (
	"os/exec"
	"sync"
	"testing"

	"tend/internal/disk/fsys"
)

// TestClosedLockIsFree: a lock that was closed can be taken at once, also while this process starts others. A child has a copy of
// every descriptor until it becomes another program, and with it the lock.
func TestClosedLockIsFree(t *testing.T) {
	dir, err := fsys.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	var children sync.WaitGroup
	defer children.Wait()
	stop := make(chan struct{})
	defer close(stop)
	for range 4 {
		children.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = exec.Command("true").Run()
				}
			}
		})
	}
	for range 400 {
		l, err := dir.Lock("lock", "me")
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
