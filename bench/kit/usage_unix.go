//go:build !windows

package kit

import (
	"os"
	"syscall"
	"time"
)

func settleDisk() { syscall.Sync() }

// peakMiB is the most memory a process that ended had in use.
func peakMiB(p *os.ProcessState) float64 {
	if ru, ok := p.SysUsage().(*syscall.Rusage); ok {
		return float64(ru.Maxrss) / 1024
	}
	return 0
}

// CPUTime is what this process has used of the processors.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
