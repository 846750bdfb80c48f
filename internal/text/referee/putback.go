package referee

import (
	"bytes"
	"cmp"
	"slices"

	"tend/internal/text/note"
)

// PutBack returns the current text with lines of an older one in their former places: below the nearest line above them that
// still stands, together with headings that are gone; at the end if none stands. Every other byte stays as it is.
func PutBack(before, now []byte, lines []Line) []byte {
	p := placing{was: read(before), stands: map[uint64]int{}, chosen: map[int]bool{}, headings: note.Parse(before).Sections}
	for _, l := range slices.Backward(read(now).lines) {
		p.stands[l.raw] = l.end // the first of equal lines counts
	}
	for _, l := range lines {
		p.chosen[l.Start] = true
	}
	p.addHeadings()
	return p.insert(now)
}

type placing struct {
	was      *text
	stands   map[uint64]int // where lines of the current text end, by their hash
	chosen   map[int]bool   // lines of the older text by their start
	headings []note.Section
	restored map[int]bool // sections whose heading comes back
}

// sectionAt returns the index of the section that a place belongs to, -1 before the first heading.
func (p *placing) sectionAt(pos int) int {
	i, found := slices.BinarySearchFunc(p.headings, pos, func(s note.Section, pos int) int { return cmp.Compare(s.Start, pos) })
	if found {
		return i
	}
	return i - 1
}

// addHeadings chooses the headings above chosen lines that the current text does not have.
func (p *placing) addHeadings() {
	p.restored = map[int]bool{}
	needed := map[int]bool{}
	for start := range p.chosen {
		for i := p.sectionAt(start); i >= 0 && !needed[i]; i = p.headings[i].Parent {
			needed[i] = true
		}
	}
	for _, l := range p.was.lines {
		i := p.sectionAt(l.start)
		if i < 0 || p.headings[i].Start != l.start || !needed[i] {
			continue
		}
		if _, ok := p.stands[l.raw]; !ok {
			p.restored[i], p.chosen[l.start] = true, true
		}
	}
}

// insert merges the chosen lines into the current text.
func (p *placing) insert(now []byte) []byte {
	type piece struct {
		at   int
		text []byte
	}
	var pieces []piece
	at, last := len(now), 0 // last is the end of the line before
	for _, l := range p.was.lines {
		if p.chosen[l.start] {
			text := append(bytes.Clone(bytes.TrimRight(p.was.bytes[l.start:l.end], "\n")), '\n')
			if apart := bytes.Contains(p.was.bytes[last:l.start], []byte("\n")); apart && p.isHeading(l.start) {
				text = append([]byte("\n"), text...)
			}
			pieces = append(pieces, piece{at, text})
		} else if end, ok := p.stands[l.raw]; ok && !p.restored[p.sectionAt(l.start)] {
			at = end
		}
		last = l.end
	}
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(a.at, b.at) })
	var out []byte
	done := 0
	for _, x := range pieces {
		out = append(out, now[done:x.at]...)
		done = x.at
		if len(out) > 0 && out[len(out)-1] != '\n' {
			out = append(out, '\n')
		}
		out = append(out, x.text...)
	}
	return append(out, now[done:]...)
}

func (p *placing) isHeading(start int) bool {
	i := p.sectionAt(start)
	return i >= 0 && p.headings[i].Start == start
}
