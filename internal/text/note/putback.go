package note

import (
	"bytes"
	"slices"
)

// PutBack inserts a passage of an older text into the current one at its former place: below the nearest line above it
// that still exists, else above the nearest line below it, else at the end. from and to are its extent in the older text
// and cover whole lines.
func PutBack(now, was []byte, from, to int) []byte {
	passage := append(bytes.Clone(bytes.TrimRight(was[from:to], " \t\r\n")), '\n')
	apart := blankFirst(was[to:]) || to-from > len(passage)
	at := len(now)
	if above, blanks, ok := nearest(now, linesOf(was[:from]), true); ok {
		at = above
		if blanks > 0 && blankFirst(now[at:]) {
			at += bytes.IndexByte(now[at:], '\n') + 1
		} else if blanks > 0 {
			passage = append([]byte("\n"), passage...)
		}
	} else if below, blanks, ok := nearest(now, linesOf(was[to:]), false); ok {
		at, apart = below, apart || blanks > 0
	}
	out := bytes.Clone(now[:at])
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	out = append(out, passage...)
	if apart && at < len(now) && !blankFirst(now[at:]) {
		out = append(out, '\n')
	}
	return append(out, now[at:]...)
}

// blankFirst reports whether a text begins with a blank line.
func blankFirst(text []byte) bool {
	line, _, ok := bytes.Cut(text, []byte("\n"))
	return ok && len(bytes.TrimSpace(line)) == 0
}

func linesOf(text []byte) [][]byte {
	var out [][]byte
	for line := range bytes.Lines(text) {
		out = append(out, bytes.TrimRight(line, " \t\r\n"))
	}
	return out
}

// nearest finds the line nearest to a passage that occurs in the current text, with whether there are blank lines between
// them. Above a passage it returns the end of the last such line, below a passage the start of the first.
func nearest(now []byte, lines [][]byte, above bool) (at, blanks int, ok bool) {
	places := map[string]int{}
	pos := 0
	for line := range bytes.Lines(now) {
		text, start := string(bytes.TrimRight(line, " \t\r\n")), pos
		pos += len(line)
		if above {
			places[text] = pos
		} else if _, known := places[text]; !known {
			places[text] = start
		}
	}
	if above {
		slices.Reverse(lines)
	}
	for _, line := range lines {
		if len(line) == 0 {
			blanks = 1
		} else if at, ok := places[string(line)]; ok {
			return at, blanks, true
		}
	}
	return 0, 0, false
}
