//go:build windows

package kit

import (
	"os"
	"time"
)

func flushDisk() {}

// PeakMiB is not measured here.
func PeakMiB(*os.ProcessState) float64 { return 0 }

// CPUTime is not measured here.
func CPUTime() time.Duration { return 0 }
