//go:build !windows

package fsys

import (
	"io"
	"os"
	"syscall"
)

// Inherit returns a lock as a file for a child process: the lock stays taken until the child is gone, even if this
// process dies first. It returns nil for a lock that is not a file. The caller closes it.
func Inherit(lock io.Closer) (*os.File, error) {
	h, ok := lock.(interface{ Fd() uintptr })
	if !ok {
		return nil, nil
	}
	syscall.ForkLock.RLock()
	fd, err := syscall.Dup(int(h.Fd()))
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	return os.NewFile(uintptr(fd), "lock"), nil
}
