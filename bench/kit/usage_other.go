//go:build windows

package kit

import (
	"os"
	"time"
)

func settleDisk() {}

// peakMiB is not measured here.
func peakMiB(*os.ProcessState) float64 { return 0 }

// CPUTime is not measured here.
func CPUTime() time.Duration { return 0 }
