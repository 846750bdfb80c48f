//go:build !windows

package metric

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time this process has used.
func cpuTime() (time.Duration, bool) {
	var used syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), err == nil
}

// MaxFiles returns how many files this process may have open.
func MaxFiles() (uint64, bool) {
	var files syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files)
	return files.Cur, err == nil
}
