package referee

import "tend/internal/text/note"

// PutBack returns the current text with lines of an older one in their former places, see [note.PutBack].
func PutBack(before, now []byte, lines []Line) []byte {
	spans := make([]note.Span, len(lines))
	for i, l := range lines {
		spans[i] = note.Span{From: l.Start, To: l.End}
	}
	return note.PutBack(note.Parse(now), note.Parse(before), spans)
}
