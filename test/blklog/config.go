//go:build linux

package blklog

import (
	"cmp"
	"time"
)

// Config says which file system to use and how many crash states to try. The
// zero value is ext4 with its default mount options on 16 MiB.
type Config struct {
	// Size of the disk in bytes, a multiple of 4096; 16 MiB if zero.
	Size int64
	// MkfsArgs are added to those of mkfs.ext4, which by default gets the block
	// size of 4096 that larger disks have.
	MkfsArgs []string
	// MountOpts are options of ext4, as after mount -o, one each; none if empty.
	MountOpts []string
	// SyncEvery has another thread call syncfs with this pause in between while
	// the workload runs, as busy hosts do: it makes the kernel write back what
	// the workload has not asked for yet. Off if zero.
	SyncEvery time.Duration
	// Subsets is how many states with some of the unflushed writes missing or
	// torn to try at each moment, next to the one with all of them. 4 if zero,
	// none if negative.
	Subsets int
	// MaxStates bounds the states that are mounted and checked; 1000 if zero.
	// States with all writes up to a moment are preferred to the others.
	MaxStates int
	// Seed of the choice of subsets. The log itself depends on the timing of the
	// kernel, so the seed alone does not repeat a run.
	Seed uint64
	// Log gets one line for each stage; may be nil.
	Log func(format string, args ...any)
}

// Workload is what runs on the disk and what must hold after any crash.
type Workload struct {
	// Setup prepares the tree that all states start from; it is on disk before
	// the recording begins. May be nil.
	Setup func(dir string) error
	// Run works in dir, itself or by child processes, and calls ack with a label
	// of its choice as soon as an operation has been reported as done. What
	// reached the disk before ack was called comes before it in the log. It must
	// leave no file open in dir. Ack may be called from any goroutine.
	Run func(dir string, ack func(label string)) error
	// Check looks at a disk after a crash. Acked are the labels that had been
	// acknowledged by then, in order. It may write to dir, so a recovery can be
	// part of it; it must leave no file open there. It is called by several
	// goroutines at once and must report by its error, not by t.Fatal.
	Check func(dir string, acked []string) error
}

func (c Config) withDefaults() Config {
	c.Size = cmp.Or(c.Size, 16<<20)
	c.Subsets = cmp.Or(c.Subsets, 4)
	c.MaxStates = cmp.Or(c.MaxStates, 1000)
	if c.Log == nil {
		c.Log = func(string, ...any) {}
	}
	return c
}
