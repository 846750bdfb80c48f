package search

import (
	"slices"
	"strings"
)

// termInfo is what the index knows of one term over all files.
type termInfo struct {
	text   string    // empty for an id that can be used again
	files  []posting // in no order
	units  int32     // how many units have it in body or tags
	titles int32     // how many units have it as their label
}

// posting is a file that has a term: its slot, and in the low byte how often it has it.
type posting uint32

func newPosting(slot uint32, count int) posting { return posting(slot<<8 | uint32(min(count, 255))) }

func (p posting) slot() uint32   { return uint32(p) >> 8 }
func (p posting) count() float32 { return float32(p & 255) }

// dictionary gives every term a small number. Terms that no file has any more are dropped and their numbers used again.
type dictionary struct {
	ids  map[string]uint32
	info []termInfo // by id
	free []uint32
}

// id finds a term; zero means that no file has it.
func (d *dictionary) id(term string) uint32 { return d.ids[term] }

// number finds or makes the id of an item's term, looking it up only if the analyzer does not remember it.
func (d *dictionary) number(it item) uint32 {
	if k := it.known; k != nil {
		if k.id == 0 || int(k.id) >= len(d.info) || d.info[k.id].text != k.term {
			k.id = d.intern(k.term)
		}
		return k.id
	}
	if id := d.ids[it.term]; id != 0 {
		return id
	}
	return d.intern(strings.Clone(it.term))
}

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
	d.info[id] = termInfo{text: term}
	d.ids[term] = id
	return id
}

// add notes that a file has a term so often. Lists grow by an eighth: there are as many as terms, so slack would add up.
func (t *termInfo) add(p posting) {
	if len(t.files) == cap(t.files) {
		t.files = append(make([]posting, 0, len(t.files)+len(t.files)/8+1), t.files...)
	}
	t.files = append(t.files, p)
}

// drop takes a file out of a term's list, and the term out of the dictionary with its last file.
func (d *dictionary) drop(id, slot uint32) {
	t := &d.info[id]
	last := len(t.files) - 1
	if at := slices.IndexFunc(t.files, func(p posting) bool { return p.slot() == slot }); at >= 0 {
		t.files[at] = t.files[last]
		t.files = t.files[:last]
	}
	if len(t.files) == 0 {
		delete(d.ids, t.text)
		*t = termInfo{}
		d.free = append(d.free, id)
	}
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
