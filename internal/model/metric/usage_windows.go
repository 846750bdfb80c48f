package metric

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time this process has used.
func cpuTime() (time.Duration, bool) {
	var born, gone, kernel, user syscall.Filetime
	self, err := syscall.GetCurrentProcess()
	if err == nil {
		err = syscall.GetProcessTimes(self, &born, &gone, &kernel, &user)
	}
	ticks := func(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(ticks(kernel)+ticks(user)) * 100, err == nil
}

// MaxFiles is not limited here.
func MaxFiles() (uint64, bool) { return 0, false }
