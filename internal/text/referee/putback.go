package referee

import (
	"bytes"
	"cmp"
	"slices"

	"tend/internal/text/note"
)

// PutBack returns the current text with lines of an older one in their former places, see [note.PutBack]. What says nothing
// between two of them, such as the border of a table, comes along.
func PutBack(before, now []byte, lines []Line) []byte {
	var spans []note.Span
	for _, l := range slices.SortedFunc(slices.Values(lines), func(a, b Line) int { return cmp.Compare(a.Start, b.Start) }) {
		if n := len(spans); n > 0 && silent(before[spans[n-1].To:max(l.Start, spans[n-1].To)]) {
			spans[n-1].To = max(spans[n-1].To, l.End)
			continue
		}
		spans = append(spans, note.Span{From: l.Start, To: l.End})
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

// Whole returns the lines to put back of a section: all of it if it is gone, else those it lost.
func (s Section) Whole() []Line {
	if !s.Gone {
		return s.Lost
	}
	out := make([]Line, len(s.Extents))
	for i, e := range s.Extents {
		out[i] = Line{Start: e.Start, End: e.End}
	}
	return out
}
