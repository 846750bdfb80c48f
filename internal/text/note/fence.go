package note

import "slices"

// maxFence limits how many fence marks are counted; longer runs count as this many.
const maxFence = 63

// fence is a line of at least three backticks or tildes.
type fence struct {
	mark byte
	size int
	deep bool // indented by four columns or more, as inside a nested list
	bare bool // nothing follows the marks, so it can close
}

func fenceAt(line []byte) (fence, bool) {
	col, i := indent(line)
	if i+2 >= len(line) || line[i] != '`' && line[i] != '~' {
		return fence{}, false
	}
	mark, n := line[i], 0
	for i+n < len(line) && line[i+n] == mark {
		n++
	}
	if n < 3 {
		return fence{}, false
	}
	rest := line[i+n:]
	if mark == '`' {
		if slices.Contains(rest, '`') {
			return fence{}, false
		}
	}
	return fence{mark: mark, size: min(n, maxFence), deep: col > 3, bare: isBlank(rest)}, true
}

func (f fence) closedBy(c fence) bool {
	return c.bare && c.mark == f.mark && c.size >= f.size && (f.deep || !c.deep)
}

// fences finds out whether a fence is ever closed. One that is not closed is ordinary text: otherwise a single stray
// line of backticks would hide the rest of the file, separators and entries included.
type fences struct {
	ready bool
	// last[deep][mark][n] is the end of the last line that closes a fence of n marks.
	last [2][2][maxFence + 1]int
}

// end returns the offset after the closing line of the fence f whose opening line ends at pos, or -1.
func (s *fences) end(text []byte, pos int, f fence) int {
	if !s.ready {
		s.index(text, pos)
	}
	if s.last[b2i(f.deep)][markIndex(f.mark)][f.size] <= pos {
		return -1
	}
	for pos < len(text) {
		e := lineEnd(text, pos)
		if c, ok := fenceAt(text[pos:e]); ok && f.closedBy(c) {
			return e
		}
		pos = e
	}
	return -1
}

// index makes end linear over the whole file, however many fences are never closed.
func (s *fences) index(text []byte, pos int) {
	s.ready = true
	for pos < len(text) {
		e := lineEnd(text, pos)
		if c, ok := fenceAt(text[pos:e]); ok && c.bare {
			m := markIndex(c.mark)
			s.last[1][m][c.size] = e
			if !c.deep {
				s.last[0][m][c.size] = e
			}
		}
		pos = e
	}
	for d := range s.last {
		for m := range s.last[d] {
			row := &s.last[d][m]
			for n := maxFence - 1; n >= 0; n-- {
				row[n] = max(row[n], row[n+1])
			}
		}
	}
}

func markIndex(mark byte) int { return b2i(mark == '~') }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
