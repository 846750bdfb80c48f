package recall

import (
	"slices"
	"strings"
	"sync"
)

// Ids below firstTerm are marks in a file's stream, see stream.go.
const (
	markSame     = iota // the next term stands at the place of the one before it
	markSentence        // a sentence ended
	markQuestion        // a sentence ended, and it was a question
	markSection         // a section begins with its headings
	markUnit            // a unit begins with its title
	markTags            // the unit's tags follow
	markBody            // the unit's body follows
	firstTerm
)

// termInfo is what the index knows of one term over all files.
type termInfo struct {
	text   string // empty for an id that waits to be used again
	posts  []byte // the files that hold it, see posting.go
	last   uint32 // slot of the last of them
	files  uint32 // how many they are
	units  uint32 // how many units have it in body or tags
	titles uint32 // how many units have it in their title
	traits trait
}

// dictionary gives every term a small number. Terms that no file holds any more are dropped and their numbers used again.
type dictionary struct {
	lang  *language
	table table
	info  []termInfo // by id
	free  []uint32

	sortMu sync.Mutex
	sorted []uint32 // ids by text, for prefixes
	fresh  []uint32 // ids not yet in sorted
	stale  bool     // too much is fresh: sort all anew
	gaps   bool     // sorted holds ids that were freed
}

// maxFresh bounds what is merged; past it, sorting everything when asked is as cheap and needs no memory until then.
const maxFresh = 4096

func newDictionary(l *language) *dictionary {
	return &dictionary{lang: l, table: newTable(), info: make([]termInfo, firstTerm)}
}

// id finds a term; zero means that no file holds it.
func (d *dictionary) id(term string) uint32 { return d.table.find(d.info, term) }

// size is the number of terms.
func (d *dictionary) size() int { return d.table.used }

// intern finds a term or makes it. The caller holds the index's write lock.
func (d *dictionary) intern(term, word string) uint32 {
	id := d.id(term)
	if id != 0 {
		return id
	}
	if n := len(d.free); n > 0 {
		id, d.free = d.free[n-1], d.free[:n-1]
	} else {
		id = uint32(len(d.info))
		d.info = append(d.info, termInfo{})
	}
	d.info[id] = termInfo{text: term, traits: d.lang.traits(term, word)}
	d.table.insert(d.info, id)
	if d.fresh = append(d.fresh, id); len(d.fresh) > maxFresh {
		d.sorted, d.fresh, d.stale = nil, nil, true
	}
	return id
}

// number gives an item's term its id, looking it up only if the analyzer does not remember it.
func (d *dictionary) number(it item) uint32 {
	if it.known == nil {
		return d.intern(strings.Clone(it.term), it.word)
	}
	k := it.known
	if k.id == 0 || int(k.id) >= len(d.info) || d.info[k.id].text != k.term {
		k.id = d.intern(k.term, it.word)
	}
	return k.id
}

// release forgets a term that no file holds.
func (d *dictionary) release(id uint32) {
	d.table.remove(d.info, id)
	d.info[id] = termInfo{}
	d.free = append(d.free, id)
	d.gaps = true
}

// withPrefix yields the ids of terms that begin with prefix, in order of their text. The caller holds a read lock.
func (d *dictionary) withPrefix(prefix string, yield func(id uint32) bool) {
	ids := d.order()
	i, _ := slices.BinarySearchFunc(ids, prefix, func(id uint32, p string) int { return strings.Compare(d.info[id].text, p) })
	for ; i < len(ids) && strings.HasPrefix(d.info[ids[i]].text, prefix); i++ {
		if !yield(ids[i]) {
			return
		}
	}
}

// order brings the sorted list up to date. New terms are merged in, so that a query after a small change stays cheap.
func (d *dictionary) order() []uint32 {
	d.sortMu.Lock()
	defer d.sortMu.Unlock()
	if d.stale {
		d.sorted = nil
		for id := firstTerm; id < len(d.info); id++ {
			d.fresh = append(d.fresh, uint32(id))
		}
	}
	if len(d.fresh) == 0 && !d.gaps {
		return d.sorted
	}
	byText := func(a, b uint32) int { return strings.Compare(d.info[a].text, d.info[b].text) }
	fresh := slices.DeleteFunc(d.fresh, func(id uint32) bool { return d.info[id].text == "" })
	slices.SortFunc(fresh, byText)
	isFresh := make(map[uint32]bool, len(fresh))
	for _, id := range fresh {
		isFresh[id] = true
	}
	merged := make([]uint32, 0, d.size())
	for _, id := range d.sorted {
		// A freed id has no text; one that was freed and used again has another text and is among the fresh.
		if d.info[id].text == "" || isFresh[id] {
			continue
		}
		for len(fresh) > 0 && byText(fresh[0], id) < 0 {
			merged, fresh = append(merged, fresh[0]), fresh[1:]
		}
		merged = append(merged, id)
	}
	d.sorted = slices.Compact(append(merged, fresh...))
	d.fresh, d.stale, d.gaps = nil, false, false
	return d.sorted
}
