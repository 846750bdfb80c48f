//go:build !windows

package fsys

import (
	"io"
	"os"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// Inherit returns a lock as a file for a child process: the lock stays taken until the child is gone, even if this
// process dies first. It returns nil for a lock that is not a file. The caller closes it.
func Inherit(lock io.Closer) (*os.File, error) {
	h, ok := lock.(*ownLock)
	if !ok {
		return nil, nil
	}
	h.inherited.Store(true)
	fd, err := unix.FcntlInt(h.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	return os.NewFile(uintptr(fd), "lock"), nil
}

// ownLock is the file of a lock that this process holds.
type ownLock struct {
	*os.File
	inherited atomic.Bool // a child keeps the lock
}

func holding(f *os.File) io.Closer { return &ownLock{File: f} }

// Close releases the lock. Closing the file is not enough: every child that this process is starting has a copy of its
// descriptors for a moment.
func (l *ownLock) Close() error {
	if !l.inherited.Load() {
		_ = syscall.Flock(int(l.Fd()), syscall.LOCK_UN) // the file is closed anyway
	}
	return l.File.Close()
}
