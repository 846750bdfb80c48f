package ledger

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"tend/internal/state/ledger/actid"
)

// maxSkew is how far the clock of another machine may be ahead of ours.
const maxSkew = 48 * time.Hour

// CheckFile checks a month of a ledger from another machine: every complete line must be a sound record, and none may be
// dated in the future, since new ids must sort after it.
func CheckFile(data []byte, now time.Time) error {
	if isGzipped(data) {
		return fmt.Errorf("%w: a ledger is gzipped only in the state that keeps it", ErrDamaged)
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if !whole(line) {
			continue
		}
		r, err := decode(line)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if r.isAhead(now) {
			return fmt.Errorf("line %d: %w", n, &damage{r.ID, "it is dated in the future"})
		}
	}
	return nil
}

// isAhead reports whether a record is dated in the future.
func (r Record) isAhead(now time.Time) bool {
	limit := now.Add(maxSkew)
	return actid.TimeOf(r.ID).After(limit) || r.At.After(limit) || r.Undoes != "" && actid.TimeOf(r.Undoes).After(limit)
}

// Foreign returns the months of another machine without the actions that must not come here, and how many those are: damaged
// ones, ones dated in the future, and ones that did not end. To recover an action is for the machine that began it: another one
// would carry it out. What is in our months, too, stays.
func Foreign(theirs, ours map[string][]byte, now time.Time) (rest map[string][]byte, left int) {
	known := map[string]bool{}
	for _, file := range ours {
		for line := range bytes.Lines(file) {
			known[withoutChain(line)] = true
		}
	}
	type record struct{ month, id, line string }
	var all []record
	open, bad := map[string]bool{}, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		for line := range bytes.Lines(theirs[name]) {
			if !whole(line) {
				continue
			}
			r, err := decode(line)
			id, begins := cmp.Or(r.ID, idOf(line)), r.State == Intent
			all = append(all, record{name, id, string(line)})
			bad[id] = bad[id] || err != nil || r.isAhead(now) || begins && open[id]
			open[id] = begins
		}
	}
	rest = map[string][]byte{}
	dropped := map[string]bool{}
	for _, r := range all {
		if open[r.id] || bad[r.id] {
			if !known[withoutChain([]byte(r.line))] {
				dropped[r.id] = true
				continue
			}
		}
		rest[r.month] = append(rest[r.month], r.line...)
	}
	return rest, len(dropped)
}

// withoutChain is a line without the digest of the one before it, which differs between machines.
func withoutChain(line []byte) string {
	return string(line[:max(0, bytes.LastIndex(line, []byte(prevMark)))])
}
