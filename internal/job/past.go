package job

import (
	"hash/fnv"
	"time"
)

// Past is what curation and pruning must remember of an agent, however long ago it was.
type Past struct {
	// Promoted are entries that were promoted before, whatever has become of them
	// since: what was pruned, undone or reset away is not promoted again.
	Promoted map[Mark]bool
	// Today counts the promotions of this day, so that running twice does not pass
	// what one night may add.
	Today int
	// Seen is since when an entry is known to stand in a loaded file. It bounds the
	// age of entries that carry no date.
	Seen map[Mark]time.Time
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
