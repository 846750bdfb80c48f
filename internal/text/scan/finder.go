package scan

import "strings"

// gaps are the bytes between words: white space, and the marks of emphasis and quoting
// that people and attackers put there.
const gaps = "\t\n\f\r *_~>\"'`,"

// A finder reports every occurrence of a fixed set of keys in one pass over the text (an
// Aho-Corasick automaton), so that the expensive rules run only where a key is found.
// It is coarse on purpose: ASCII letters match in either case, and any run of gaps, in a key or in
// the text, counts as one space. All other bytes match exactly.
type finder struct {
	column [256]uint8 // byte to column of next
	width  int
	next   []uint16 // state*width+column to state
	ends   [][]uint16
	length []int // of each key
}

// longestKey limits a key's length, so that its start is still known when its end is reached.
const longestKey = 64

// newFinder expects keys in their coarse form, each once.
func newFinder(keys []string) *finder {
	f := &finder{width: 1, ends: [][]uint16{nil}}
	for _, k := range keys {
		f.length = append(f.length, len(k))
		for _, c := range []byte(k) {
			if f.column[c] == 0 {
				f.column[c] = uint8(f.width)
				f.width++
			}
		}
	}
	for c := byte('A'); c <= 'Z'; c++ {
		f.column[c] = f.column[lower(c)]
	}
	for _, c := range []byte(gaps) {
		f.column[c] = f.column[' ']
	}
	size := 1
	for _, k := range keys {
		size += len(k) / 2 // most keys share a prefix with another
	}
	f.next = make([]uint16, f.width, size*f.width)
	for id, k := range keys {
		f.add(k, uint16(id))
	}
	f.link()
	return f
}

// coarse normalizes a key for the finder.
func coarse(key string) string {
	var out []byte
	for _, c := range []byte(key) {
		if strings.IndexByte(gaps, c) >= 0 {
			c = ' '
		}
		if c != ' ' || len(out) == 0 || out[len(out)-1] != ' ' {
			out = append(out, lower(c))
		}
	}
	return string(out)
}

func (f *finder) add(key string, id uint16) {
	state := 0
	for _, c := range []byte(key) {
		at := state*f.width + int(f.column[c])
		if f.next[at] == 0 {
			f.next[at] = uint16(len(f.ends))
			f.next = append(f.next, make([]uint16, f.width)...)
			f.ends = append(f.ends, nil)
		}
		state = int(f.next[at])
	}
	f.ends[state] = append(f.ends[state], id)
}

// link turns the trie into an automaton: breadth first, it copies every missing edge from the
// longest suffix that is itself in the trie, whose keys end here too.
func (f *finder) link() {
	fail := make([]uint16, len(f.ends))
	var queue []uint16
	for c := range f.width {
		if s := f.next[c]; s != 0 {
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		s := int(queue[0])
		queue = queue[1:]
		f.ends[s] = append(f.ends[s], f.ends[fail[s]]...)
		for c := range f.width {
			t, back := f.next[s*f.width+c], f.next[int(fail[s])*f.width+c]
			if t == 0 {
				f.next[s*f.width+c] = back
				continue
			}
			fail[t] = back
			queue = append(queue, t)
		}
	}
}

// each calls visit with the key's index and its bounds in the text, ordered by last byte.
func (f *finder) each(b []byte, visit func(key, at, end int)) {
	var starts [longestKey]int // offsets of the last bytes and spaces
	blank := f.column[' ']
	state, n, gap := 0, 0, false
	for i, c := range b {
		col := f.column[c]
		if col == blank && col != 0 {
			if gap {
				continue
			}
			gap = true
		} else {
			gap = false
		}
		starts[n%longestKey] = i
		n++
		state = int(f.next[state*f.width+int(col)])
		for _, id := range f.ends[state] {
			visit(int(id), starts[(n-f.length[id])%longestKey], i+1)
		}
	}
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
