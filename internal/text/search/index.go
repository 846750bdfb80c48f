package search

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Index is an in-memory search index over documents. It is derived: it can always be built again from the files.
// All methods may be called from several goroutines.
type Index struct {
	words     *vocabulary
	analyzers sync.Pool
	readers   sync.Pool

	mu       sync.RWMutex
	dict     *dictionary
	files    []*file  // by slot; nil where one was removed
	lengths  []uint32 // by slot: the files' lengths, together because picking candidates looks at many
	spare    []uint32
	slots    map[string]uint32
	problems map[string]string
	stats    stats
	langs    [langCount]int // how many files are in each
}

// stats counts the contents of an index.
type stats struct {
	files, units int
	words        int // sum of the files' lengths
}

// New makes an empty index.
func New() *Index {
	ix := &Index{words: theVocabulary(), slots: map[string]uint32{}, problems: map[string]string{}}
	ix.dict = &dictionary{ids: map[string]uint32{}, info: make([]termInfo, firstTerm)}
	ix.analyzers.New = func() any { return &analyzer{words: ix.words} }
	ix.readers.New = func() any { return new(reader) }
	return ix
}

// Put adds a document or replaces the one with the same path, and clears any problem noted for the path.
func (ix *Index) Put(doc Doc) {
	a := ix.analyzers.Get().(*analyzer)
	defer ix.analyzers.Put(a)
	d := &a.draft
	d.fill(a, doc)

	ix.mu.Lock()
	defer ix.mu.Unlock()
	delete(ix.problems, doc.Path)
	path := strings.Clone(doc.Path)
	slot, known := ix.slots[path]
	if known {
		path = ix.files[slot].path
		ix.take(slot)
	} else {
		slot = ix.slot()
		ix.slots[path] = slot
	}
	f := &file{
		path: path, title: strings.Clone(doc.Title), tier: doc.Tier, day: dayOf(doc.Date), headings: slices.Clip(d.headings),
		lang: d.lang, talk: d.isTalk(),
	}
	f.stream, f.units = d.encode(ix.dict, ix.words)
	f.measure()
	ix.files[slot], ix.lengths[slot] = f, f.length
	ix.count(f, slot)
}

// Remove forgets a document and any problem noted for its path. It reports whether the path was known.
func (ix *Index) Remove(path string) bool {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	_, failed := ix.problems[path]
	delete(ix.problems, path)
	return ix.forget(path) || failed
}

// Fail notes that a file could not be read. Its old content is no longer searched; every answer names it until it is Put or removed.
func (ix *Index) Fail(path, reason string) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.forget(path)
	ix.problems[path] = reason
}

// listProblems lists the files that cannot be searched, by path.
func (ix *Index) listProblems() []Problem {
	var out []Problem
	for p, r := range ix.problems {
		out = append(out, Problem{Path: p, Reason: r})
	}
	slices.SortFunc(out, func(a, b Problem) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

func (ix *Index) slot() uint32 {
	if n := len(ix.spare); n > 0 {
		s := ix.spare[n-1]
		ix.spare = ix.spare[:n-1]
		return s
	}
	ix.files, ix.lengths = append(ix.files, nil), append(ix.lengths, 0)
	return uint32(len(ix.files) - 1)
}

func (ix *Index) forget(path string) bool {
	slot, ok := ix.slots[path]
	if !ok {
		return false
	}
	ix.take(slot)
	delete(ix.slots, path)
	ix.spare = append(ix.spare, slot)
	return true
}

// count adds a file to the dictionary's counts.
func (ix *Index) count(f *file, slot uint32) {
	for id, n := range ix.tally(f, 1) {
		ix.dict.info[id].add(newPosting(slot, n))
	}
}

// take undoes count.
func (ix *Index) take(slot uint32) {
	f := ix.files[slot]
	ix.files[slot] = nil
	for id := range ix.tally(f, -1) {
		ix.dict.drop(id, slot)
	}
}

// tally adds a file's sums, or takes them away, and returns how often it has each term.
func (ix *Index) tally(f *file, sign int) map[uint32]int {
	ix.stats.files += sign
	ix.stats.units += sign * len(f.units)
	ix.stats.words += sign * int(f.length)
	ix.langs[f.lang] += sign
	return f.census(func(id uint32, label bool) {
		if info := &ix.dict.info[id]; label {
			info.titles += int32(sign)
		} else {
			info.units += int32(sign)
		}
	})
}

// avgUnit and avgFile are the mean lengths of units and of files.
func (ix *Index) avgUnit() float64 {
	return float64(max(ix.stats.words, 1)) / float64(max(ix.stats.units, 1))
}
func (ix *Index) avgFile() float64 {
	return float64(max(ix.stats.words, 1)) / float64(max(ix.stats.files, 1))
}
