// Package collect sets how often the garbage collector runs.
package collect

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// Pace says when the garbage collector runs: once the heap has grown by a percentage, or by a number of bytes if that
// is more.
type Pace struct {
	percent int
	bytes   uint64
}

var (
	// Sparing is for a process that runs beside every session and waits most of the time.
	Sparing = Pace{percent: 15, bytes: 3 << 20}
	// Steady is for the keeper: a night leaves one or two megabytes behind per agent.
	Steady = Pace{percent: 100, bytes: 16 << 20}
	// Brisk is for a short command that reads thousands of agents.
	Brisk = Pace{percent: 100, bytes: 32 << 20}
)

// Keep sets the pace, and again after each collection: a percentage of a small heap is used up by a few calls.
func (p Pace) Keep() {
	// The heap's next goal tells what was live at the last collection. (Package runtime/metrics would add 0.05 ms to
	// every start.)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	live := m.NextGC * 100 / (100 + uint64(cmp.Or(gcPercent.Load(), 100)))
	if percent := max(p.percent, int(p.bytes*100/max(live, 2<<20))); percent != int(gcPercent.Swap(int64(percent))) {
		debug.SetGCPercent(percent)
	}
	type cycle struct{ _ *cycle } // with a pointer, so that it is not packed with other objects
	runtime.AddCleanup(&cycle{}, func(struct{}) { p.Keep() }, struct{}{})
}

// gcPercent is the value that was last set, 0 before.
var gcPercent atomic.Int64
