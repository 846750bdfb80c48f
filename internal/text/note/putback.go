package note

import "bytes"

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

// nearest finds the line nearest to a passage that occurs in the current text, with the number of blank lines between
// them. Above a passage it returns the end of that line, below a passage its start.
func nearest(now []byte, lines [][]byte, above bool) (at, blanks int, ok bool) {
	for i := range lines {
		line := lines[i]
		if above {
			line = lines[len(lines)-1-i]
		}
		if len(line) == 0 {
			blanks++
			continue
		}
		pos := 0
		for here := range bytes.Lines(now) {
			start := pos
			pos += len(here)
			if !bytes.Equal(bytes.TrimRight(here, " \t\r\n"), line) {
				continue
			}
			if above {
				at, ok = pos, true // the last one counts
			} else {
				return start, min(blanks, 1), true
			}
		}
		if ok {
			return at, min(blanks, 1), true
		}
	}
	return 0, 0, false
}
