package recall

import "hash/maphash"

// table finds terms by their text. It holds only their ids, which is a fifth of what a map would take; the texts are
// with the rest of what is known of a term.
type table struct {
	seed  maphash.Seed
	slots []uint32 // ids; 0 is free
	used  int
}

func newTable() table { return table{seed: maphash.MakeSeed(), slots: make([]uint32, 64)} }

func (t *table) home(term string) int {
	return int(maphash.String(t.seed, term) & uint64(len(t.slots)-1))
}

// find gives the id of a term, or 0.
func (t *table) find(info []termInfo, term string) uint32 {
	for i := t.home(term); ; i = (i + 1) & (len(t.slots) - 1) {
		id := t.slots[i]
		if id == 0 || info[id].text == term {
			return id
		}
	}
}

// insert adds an id whose term is not there yet.
func (t *table) insert(info []termInfo, id uint32) {
	if 4*(t.used+1) > 3*len(t.slots) {
		old := t.slots
		t.slots, t.used = make([]uint32, 2*len(old)), 0
		for _, o := range old {
			if o != 0 {
				t.place(info, o)
			}
		}
	}
	t.place(info, id)
}

func (t *table) place(info []termInfo, id uint32) {
	i := t.home(info[id].text)
	for t.slots[i] != 0 {
		i = (i + 1) & (len(t.slots) - 1)
	}
	t.slots[i] = id
	t.used++
}

// remove takes an id out, and moves those behind it up so that no search stops at the gap.
func (t *table) remove(info []termInfo, id uint32) {
	mask := len(t.slots) - 1
	i := t.home(info[id].text)
	for t.slots[i] != id {
		i = (i + 1) & mask
	}
	t.used--
	for j := (i + 1) & mask; t.slots[j] != 0; j = (j + 1) & mask {
		// The id at j may fill the gap at i unless its home lies between them.
		if home := t.home(info[t.slots[j]].text); (j-home)&mask >= (j-i)&mask {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = 0
}
