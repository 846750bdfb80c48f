//go:build !windows

package kit

import (
	"os"
	"syscall"
	"time"
)

func flushDisk() { syscall.Sync() }

// PeakMiB returns the peak memory of a process that has ended.
func PeakMiB(p *os.ProcessState) float64 {
	if ru, ok := p.SysUsage().(*syscall.Rusage); ok {
		return float64(ru.Maxrss) / 1024
	}
	return 0
}

// CPUTime returns the CPU time this process has used.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
