package recall

import "encoding/binary"

// A posting list is a run of varints, one a file in order of slots: the distance from the slot before, then in the
// low bits a class of how much the file says about the term. It only serves to choose the files worth reading, so
// the class is coarse; exact counts come from the files' streams.

const classBits = 3

// class is the weight of a term in one file, coarsely: its count, or that it is in a title, heading or tag.
type class uint8

const classHead class = 7

// classOf grades a count.
func classOf(count int) class {
	switch {
	case count <= 3:
		return class(max(count, 1) - 1)
	case count <= 5:
		return 3
	case count <= 8:
		return 4
	case count <= 15:
		return 5
	}
	return 6
}

// classCount is the count that each class represents.
var classCount = [1 << classBits]float32{1, 2, 3, 4.5, 6.5, 11, 24, 5}

// postings walks a posting list.
func postings(list []byte, yield func(slot uint32, c class)) {
	slot := uint32(0)
	for len(list) > 0 {
		v, n := uvarint(list)
		list = list[n:]
		slot += v >> classBits
		yield(slot, class(v&(1<<classBits-1)))
	}
}

// addPosting puts a file into a list that does not have it.
func (t *termInfo) addPosting(slot uint32, c class) {
	t.files++
	if t.files == 1 || slot > t.last {
		from := t.last
		if t.files == 1 {
			from = 0
		}
		t.posts = appendTight(t.posts, (slot-from)<<classBits|uint32(c))
		t.last = slot
		return
	}
	t.splice(slot, &c)
}

// dropPosting takes a file out of a list that has it.
func (t *termInfo) dropPosting(slot uint32) {
	t.files--
	t.splice(slot, nil)
}

// splice rewrites the list with slot added (c given) or removed.
func (t *termInfo) splice(slot uint32, c *class) {
	out := make([]byte, 0, len(t.posts)+3)
	prev := uint32(0)
	put := func(s uint32, k class) {
		out = binary.AppendUvarint(out, uint64((s-prev)<<classBits|uint32(k)))
		prev = s
	}
	postings(t.posts, func(s uint32, k class) {
		if c != nil && s > slot {
			put(slot, *c)
			c = nil
		}
		if s != slot {
			put(s, k)
		}
	})
	if c != nil {
		put(slot, *c)
	}
	t.posts, t.last = out, prev
}

// appendTight appends a varint, growing by an eighth: there are as many lists as terms, so slack would add up.
func appendTight(b []byte, v uint32) []byte {
	if cap(b)-len(b) < binary.MaxVarintLen32 {
		grown := make([]byte, len(b), len(b)+len(b)/8+8)
		copy(grown, b)
		b = grown
	}
	return binary.AppendUvarint(b, uint64(v))
}

// uvarint is binary.Uvarint for values that fit 32 bits, small enough to be inlined where it matters.
func uvarint(b []byte) (uint32, int) {
	if b[0] < 0x80 {
		return uint32(b[0]), 1
	}
	v, n := binary.Uvarint(b)
	return uint32(v), n
}
