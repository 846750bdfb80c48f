package recall

import (
	"slices"
	"strings"
)

// Ids below firstTerm are marks in a file's stream, see stream.go.
const (
	markSame     = iota // the next term has the position of the one before it
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
	text   string // empty for an id that can be used again
	posts  []byte // the files that hold it, see posting.go
	last   uint32 // slot of the last of them
	files  uint32 // how many they are
	units  uint32 // how many units have it in body or tags
	titles uint32 // how many units have it in their title
	traits trait
}

// dictionary gives every term a small number. Terms that no file holds any more are dropped and their numbers used again.
type dictionary struct {
	lang *language
	ids  map[string]uint32
	info []termInfo // by id
	free []uint32
}

func newDictionary(l *language) *dictionary {
	return &dictionary{lang: l, ids: map[string]uint32{}, info: make([]termInfo, firstTerm)}
}

// id finds a term; zero means that no file holds it.
func (d *dictionary) id(term string) uint32 { return d.ids[term] }

// intern finds a term or makes it. The caller holds the index's write lock.
func (d *dictionary) intern(term string) uint32 {
	id := d.ids[term]
	if id != 0 {
		return id
	}
	if n := len(d.free); n > 0 {
		id, d.free = d.free[n-1], d.free[:n-1]
	} else {
		id = uint32(len(d.info))
		d.info = append(d.info, termInfo{})
	}
	d.info[id] = termInfo{text: term, traits: d.lang.traits(term)}
	d.ids[term] = id
	return id
}

// number gives an item's term its id, looking it up only if the analyzer does not remember it.
func (d *dictionary) number(it item) uint32 {
	if it.known == nil {
		return d.intern(strings.Clone(it.term))
	}
	k := it.known
	if k.id == 0 || int(k.id) >= len(d.info) || d.info[k.id].text != k.term {
		k.id = d.intern(k.term)
	}
	return k.id
}

// release drops a term that no file has.
func (d *dictionary) release(id uint32) {
	delete(d.ids, d.info[id].text)
	d.info[id] = termInfo{}
	d.free = append(d.free, id)
}

// withPrefix returns the ids of terms that begin with prefix, in order of their text. It checks every term: that takes
// less than a millisecond for the words of ten thousand files, and few queries need it.
func (d *dictionary) withPrefix(prefix string) []uint32 {
	var ids []uint32
	for id := firstTerm; id < len(d.info); id++ {
		if text := d.info[id].text; text != "" && strings.HasPrefix(text, prefix) {
			ids = append(ids, uint32(id))
		}
	}
	slices.SortFunc(ids, func(a, b uint32) int { return strings.Compare(d.info[a].text, d.info[b].text) })
	return ids
}
