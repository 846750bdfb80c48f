package referee

import (
	"bytes"
	"cmp"
	"slices"

	"tend/internal/text/note"
)

// PutBack returns the current text with parts of an older one in their former places, see [note.PutBack]. What says nothing
// between two of them, such as the border of a table, comes along.
func PutBack(before, now []byte, parts []Range) []byte {
	var spans []note.Span
	for _, p := range slices.SortedFunc(slices.Values(parts), func(a, b Range) int { return cmp.Compare(a.Start, b.Start) }) {
		if n := len(spans); n > 0 && silent(before[spans[n-1].To:max(p.Start, spans[n-1].To)]) {
			spans[n-1].To = max(spans[n-1].To, p.End)
			continue
		}
		spans = append(spans, note.Span{From: p.Start, To: p.End})
	}
	return note.PutBack(note.Parse(now), note.Parse(before), spans)
}

// silent reports whether no line of a text says anything to a reader.
func silent(text []byte) bool {
	for line := range bytes.Lines(text) {
		if _, _, says := measure(bytes.TrimSpace(line)); says {
			return false
		}
	}
	return true
}

// Parts are where lines stand.
func Parts(lines []Line) []Range {
	out := make([]Range, len(lines))
	for i, l := range lines {
		out[i] = Range{l.Start, l.End}
	}
	return out
}

// Parts are what to put back of a section: all of it if it is gone, else the lines it lost.
func (s Section) Parts() []Range {
	if s.Gone {
		return s.extents
	}
	return Parts(s.Lost)
}

// Parts are what to put back of everything that was lost.
func (v Verdict) Parts() (out []Range) {
	for _, s := range v.Lost {
		out = append(out, s.Parts()...)
	}
	return out
}

// Keys are a hash for each line that says something; lines with the same words have the same. They may be stored.
func Keys(b []byte) []uint64 {
	t := read(b)
	out := make([]uint64, 0, len(t.lines))
	for i, l := range t.lines {
		if l.says {
			out = append(out, whole(t.termsAt(i)))
		}
	}
	return out
}
