package cli

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// pace says when the garbage collector runs: once the heap has grown by a percentage, or by a number of bytes if that
// is more.
type pace struct {
	percent int
	bytes   uint64
}

var (
	// sparing is for a process that runs beside every session and waits most of the time.
	sparing = pace{percent: 15, bytes: 3 << 20}
	// brisk is for a short command that reads thousands of agents.
	brisk = pace{percent: 100, bytes: 32 << 20}
)

// keep sets the pace, and again after each collection: a percentage of a small heap is used up by a few calls.
func (p pace) keep() {
	// The heap's next goal tells what was live at the last collection. (Package runtime/metrics would add 0.05 ms to
	// every start.)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	live := m.NextGC * 100 / (100 + uint64(cmp.Or(gcPercent.Load(), 100)))
	if percent := max(p.percent, int(p.bytes*100/max(live, 2<<20))); percent != int(gcPercent.Swap(int64(percent))) {
		debug.SetGCPercent(percent)
	}
	type cycle struct{ _ *cycle } // with a pointer, so that it is not packed with other objects
	runtime.AddCleanup(&cycle{}, func(struct{}) { p.keep() }, struct{}{})
}

// gcPercent is the value that was last set, 0 before.
var gcPercent atomic.Int64
