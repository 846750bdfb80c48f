package job

import (
	"hash/fnv"
	"slices"
	"time"
)

// Past is what curation and pruning must remember of an agent, however long ago it was.
type Past struct {
	// Promoted are entries that were promoted before, whatever has become of them
	// since: what was pruned, undone or reset away is not promoted again.
	Promoted Marks
	// Today counts the promotions of this day, so that running twice does not pass
	// what one night may add.
	Today int
	// Lost counts what left memory altogether this day, for the same reason.
	Lost int
	// Seen is since when an entry is known to stand in a loaded file. It bounds the
	// age of entries that carry no date.
	Seen map[Mark]time.Time
	// Hand is what was written by hand in long-term memory when curation last ended.
	Hand []Hand
	// Proposed are the ids of all proposals, waiting or decided.
	Proposed map[string]bool
}

// Mark stands for an entry's words in normal form.
type Mark uint64

// MarkOf is the mark of a normal form.
func MarkOf(normal string) Mark {
	h := fnv.New64a()
	_, _ = h.Write([]byte(normal))
	return Mark(h.Sum64())
}

// Marks is a set, in order.
type Marks []Mark

// Has reports whether the mark is in the set.
func (m Marks) Has(x Mark) bool {
	_, found := slices.BinarySearch(m, x)
	return found
}

// Add puts a mark into the set.
func (m *Marks) Add(x Mark) {
	if i, found := slices.BinarySearch(*m, x); !found {
		*m = slices.Insert(*m, i, x)
	}
}
