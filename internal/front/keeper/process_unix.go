//go:build !windows

package keeper

import (
	"errors"
	"syscall"
)

// running reports whether a process exists.
func running(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
