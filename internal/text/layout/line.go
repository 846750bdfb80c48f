package layout

import (
	"bytes"

	"tend/internal/text/note"
)

// LineOf returns the separator that divides a file with a baseline. In the operator's own files a separator with text
// below it is a mere rule, as in stock SOUL.md files: the whole file is the operator's. One that ends the baseline, or has
// only headings below it, leaves room for notes.
func (l Layout) LineOf(path string, baseline []byte, separator string) string {
	if l.OwnerOf(path) != Operator {
		return separator
	}
	if _, end, found := note.FindLine(baseline, separator); found && hasText(baseline[end:]) {
		return note.NoLine
	}
	return separator
}

// hasText reports whether a text has more than blank lines and headings.
func hasText(text []byte) bool {
	for line := range bytes.Lines(text) {
		if t := bytes.TrimSpace(line); len(t) > 0 && t[0] != '#' {
			return true
		}
	}
	return false
}
