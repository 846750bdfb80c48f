package job

import (
	"hash/fnv"
	"slices"
	"time"

	"tend/internal/state/plan"
)

// Remembered is what curation and pruning must remember of an agent, however long ago it was.
type Remembered struct {
	// Promoted are entries that were promoted before, whatever happened to them since:
	// an entry that was pruned, undone or reset away is not promoted again.
	Promoted Marks
	// Today counts the promotions of this day, so that running twice does not exceed the
	// limit of one night.
	Today int
	// Lost counts entries that left memory for good this day, for the same reason.
	Lost int
	// Seen is since when an entry is known to be in a loaded file. It limits the age of
	// undated entries.
	Seen map[Mark]time.Time
	// LastSeen are the entries of long-term memory when Tend last looked, and Deleted those that their owner has removed
	// or rejected.
	LastSeen []LastSeen
	LastKey  string // of the files that LastSeen was read from
	Deleted  []Deleted
	// Proposed are the ids of all proposals, waiting or decided.
	Proposed map[string]bool
	// Waiting counts the proposals of jobs that a person has not decided yet.
	Waiting int
}

// PromotesTonight reports whether what a job promotes counts against the limit of a night. A review has its own limit.
func PromotesTonight(name string) bool { return name == "curate" || name == "replay" }

// CountsTonight is the same for proposals.
func CountsTonight(name string) bool { return name != "review" && name != ByAgent }

// Mark is a hash of an entry's words in normal form.
type Mark uint64

// MarkOf returns the mark of a normal form.
func MarkOf(normal string) Mark {
	h := fnv.New64a()
	_, _ = h.Write([]byte(normal))
	return Mark(h.Sum64())
}

// WroteMark is the mark of an entry that Tend wrote itself, as opposed to one that it only read.
func WroteMark(normal string) Mark { return MarkOf("wrote\x00" + normal) }

// Marks is a sorted set.
type Marks []Mark

// Has reports whether the mark is in the set.
func (m Marks) Has(x Mark) bool {
	_, found := slices.BinarySearch(m, x)
	return found
}

// Add adds a mark to the set.
func (m *Marks) Add(x Mark) {
	if i, found := slices.BinarySearch(*m, x); !found {
		*m = slices.Insert(*m, i, x)
	}
}

// AddSource adds the marks of an entry that a job promoted. One that only moved is whose it was.
func (m *Marks) AddSource(s plan.Source) {
	if s.Moved {
		return
	}
	m.Add(MarkOf(s.Entry))
	m.Add(WroteMark(s.Entry))
	if s.Was != "" {
		m.Add(MarkOf(s.Was))
	}
}
