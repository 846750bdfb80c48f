package note

import "bytes"

// headingLevel returns 1 to 6 for an ATX heading, 0 for any other line. Underlined headings are not supported: their
// dashes are separators here.
func headingLevel(line []byte) int {
	col, i := indent(line)
	if col > 3 {
		return 0
	}
	n := 0
	for i+n < len(line) && line[i+n] == '#' {
		n++
	}
	if n < 1 || n > 6 || i+n < len(line) && !isBlank(line[i+n:i+n+1]) {
		return 0
	}
	return n
}

// headingText returns the words of a heading line.
func headingText(line []byte) []byte {
	t := bytes.TrimLeft(bytes.TrimSpace(line), "#")
	if s := bytes.TrimRight(t, "#"); len(s) == 0 || isBlank(s[len(s)-1:]) {
		t = s
	}
	return bytes.TrimSpace(t)
}

// bulletAt returns the column of a list item's marker: - * + • or a number with a dot or bracket.
func bulletAt(line []byte) (col int, ok bool) {
	col, i := indent(line)
	n := markerLen(line[i:])
	return col, n > 0
}

// markerLen returns the length of the list marker that b starts with, without the spaces after it.
func markerLen(b []byte) int {
	n := 0
	switch {
	case len(b) == 0:
		return 0
	case b[0] == '-' || b[0] == '*' || b[0] == '+':
		n = 1
	case bytes.HasPrefix(b, []byte("•")):
		n = len("•")
	default:
		for n < len(b) && n < 9 && b[n] >= '0' && b[n] <= '9' {
			n++
		}
		if n == 0 || n == len(b) || b[n] != '.' && b[n] != ')' {
			return 0
		}
		n++
	}
	if n < len(b) && !isBlank(b[n:n+1]) {
		return 0
	}
	return n
}

// interrupts reports whether a bullet line may end a paragraph: a wrapped line that happens to begin with a number may not.
func interrupts(line []byte) bool {
	b := bytes.TrimLeft(line, " \t")
	return b[0] < '0' || b[0] > '9' || b[0] == '1' && markerLen(b) == 2
}

// isRule reports a thematic break: three or more of the same - * or _ and nothing else but spaces.
func isRule(line []byte) bool {
	line = bytes.TrimSpace(line)
	n := 0
	for _, c := range line {
		switch {
		case c == ' ' || c == '\t':
		case c == line[0] && (c == '-' || c == '*' || c == '_'):
			n++
		default:
			return false
		}
	}
	return n >= 3
}
