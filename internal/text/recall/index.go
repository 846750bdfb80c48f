package recall

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Index is an in-memory search index over documents. It is derived: it can always be built again from the files.
// All methods may be called from several goroutines.
type Index struct {
	lang      *language
	analyzers sync.Pool

	mu       sync.RWMutex
	dict     *dictionary
	files    []*file  // by slot; nil where one was removed
	lengths  []uint32 // by slot: the files' lengths, together because picking candidates looks at many
	spare    []uint32
	slots    map[string]uint32
	problems map[string]string
	stats    stats
	census   census // under the write lock

	benches sync.Pool // of *workbench
}

// stats counts the contents of an index.
type stats struct {
	files, units int
	words        uint64 // sum of the files' lengths
}

// New makes an empty index.
func New() *Index {
	ix := &Index{lang: english(), slots: map[string]uint32{}, problems: map[string]string{}}
	ix.dict = newDictionary(ix.lang)
	ix.analyzers.New = func() any { return newAnalyzer(ix.lang) }
	ix.benches.New = func() any { return new(workbench) }
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
	f := &file{path: path, title: strings.Clone(doc.Title), tier: doc.Tier, day: dayOf(doc.Date), headings: joinHeadings(d.headings), talk: d.isTalk()}
	f.stream, f.units = d.encode(ix.dict)
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

// count adds a file to the dictionary's counts and posting lists.
func (ix *Index) count(f *file, slot uint32) {
	ix.stats.files++
	ix.stats.units += len(f.units)
	ix.stats.words += uint64(f.length)
	info := ix.dict.info
	ix.census.take(f.stream, len(info), func(id uint32, title bool) {
		if title {
			info[id].titles++
		} else {
			info[id].units++
		}
	}, func(id uint32, c class) { info[id].addPosting(slot, c) })
}

// take undoes count, and frees terms that no file has any more.
func (ix *Index) take(slot uint32) {
	f := ix.files[slot]
	ix.files[slot] = nil
	ix.stats.files--
	ix.stats.units -= len(f.units)
	ix.stats.words -= uint64(f.length)
	info := ix.dict.info
	ix.census.take(f.stream, len(info), func(id uint32, title bool) {
		if title {
			info[id].titles--
		} else {
			info[id].units--
		}
	}, func(id uint32, _ class) {
		info[id].dropPosting(slot)
		if info[id].files == 0 {
			ix.dict.release(id)
		}
	})
}

// averages returns the mean length of units and of files.
func (ix *Index) averages() (unit, file float64) {
	if ix.stats.words == 0 {
		return 1, 1
	}
	return float64(ix.stats.words) / float64(ix.stats.units), float64(ix.stats.words) / float64(ix.stats.files)
}
