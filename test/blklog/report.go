//go:build linux

package blklog

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Failure is a crash state whose check found something wrong.
type Failure struct {
	State State
	Acked []string
	Err   error
}

func (f Failure) String() string {
	return fmt.Sprintf("%s, %d acknowledged: %v", f.State, len(f.Acked), f.Err)
}

// Report is the outcome of a run.
type Report struct {
	// Writes, Flushes and Acks in the log while the workload ran and until the
	// clean unmount after it.
	Writes, Flushes, Acks int
	// States that were mounted and checked.
	States int
	// Duplicates are states left out because an equal one was checked, Dropped
	// those left out because of MaxStates.
	Duplicates, Dropped int
	// Recording and Checking are how long the stages took.
	Recording, Checking time.Duration
	// Failures in the order of the log.
	Failures []Failure
}

// Count is the number of failures with target in their error's chain.
func (r Report) Count(target error) int {
	n := 0
	for _, f := range r.Failures {
		if errors.Is(f.Err, target) {
			n++
		}
	}
	return n
}

func (r Report) String() string {
	rate := float64(r.States) / r.Checking.Seconds()
	return fmt.Sprintf("%d writes, %d flushes, %d acks in %v; %d states in %v (%.0f/s), %d duplicates, %d dropped, %d failures",
		r.Writes, r.Flushes, r.Acks, r.Recording.Round(time.Millisecond),
		r.States, r.Checking.Round(time.Millisecond), rate, r.Duplicates, r.Dropped, len(r.Failures))
}

// describe is for the test log: the first failures are enough to see the kind.
func (r Report) describe() string {
	const shown = 5
	var b strings.Builder
	fmt.Fprintln(&b, r)
	for i, f := range r.Failures {
		if i == shown {
			fmt.Fprintf(&b, "  and %d more\n", len(r.Failures)-shown)
			break
		}
		fmt.Fprintf(&b, "  %s\n", f)
	}
	return b.String()
}
