package markdown

import "strings"

// What a line of markdown is.

// indent is how far a line is indented, in columns.
func indent(l string) (n int) {
	for _, c := range []byte(l) {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}

// dedent takes up to n columns of blanks off a line, and a list's marker with them.
func dedent(l string, n int) string {
	if n == 0 {
		return l
	}
	at := 0
	for i := 0; i < len(l); i++ {
		if l[i] == '\t' {
			if at += 4 - at%4; at > n {
				return strings.Repeat(" ", at-n) + l[i+1:]
			}
		} else {
			at++
		}
		if at >= n {
			return l[i+1:]
		}
	}
	return ""
}

func isFence(l string) bool {
	t := strings.TrimSpace(l)
	return indent(l) < 4 && (strings.HasPrefix(t, "```") && !strings.Contains(strings.TrimLeft(t, "`"), "`") || strings.HasPrefix(t, "~~~"))
}

func isQuote(l string) bool { return indent(l) < 4 && strings.HasPrefix(strings.TrimLeft(l, " "), ">") }

// isRule says whether a line is three or more of the same mark, such as ---.
func isRule(l string) bool {
	t := strings.TrimSpace(l)
	if t == "" || !strings.Contains("-*_", t[:1]) || strings.Trim(t, t[:1]+" \t") != "" {
		return false
	}
	return indent(l) < 4 && strings.Count(t, t[:1]) >= 3
}

// headingLevel counts a heading's number signs, 0 for any other line.
func headingLevel(l string) int {
	t := strings.TrimSpace(l)
	n := len(t) - len(strings.TrimLeft(t, "#"))
	if n > 6 || indent(l) > 3 || n < len(t) && t[n] != ' ' && t[n] != '\t' {
		return 0
	}
	return n
}

// marker is what a list's item begins with.
type marker struct {
	kind   byte // the mark, or what follows the number
	number string
	width  int // columns to the item's text; 0 if there is no marker
}

func listMarker(l string) marker {
	in := indent(l)
	t := strings.TrimLeft(l, " \t")
	if in > 3 || t == "" {
		return marker{}
	}
	digits := len(t) - len(strings.TrimLeft(t, "0123456789"))
	if digits > 9 || digits == len(t) {
		return marker{}
	}
	m := marker{kind: t[digits], number: t[:digits]}
	if digits > 0 && !strings.Contains(".)", t[digits:digits+1]) || digits == 0 && !strings.Contains("-*+", t[:1]) {
		return marker{}
	}
	text := t[digits+1:]
	if text != "" && text[0] != ' ' && text[0] != '\t' {
		return marker{}
	}
	m.width = in + digits + 2
	if gap := indent(text); text != "" && gap > 1 && gap < 5 && strings.TrimSpace(text) != "" {
		m.width += gap - 1
	}
	return m
}

// startsBlock says whether the first line ends a paragraph before it. A number does so only if it is 1: others stand in sentences.
func startsBlock(lines []string) bool {
	l := lines[0]
	m := listMarker(l)
	list := m.width > 0 && (m.number == "" || m.number == "1")
	return list || isFence(l) || headingLevel(l) > 0 || isRule(l) ||
		isQuote(l) || startsTable(lines)
}

// startsTable says whether a row of names and a row of dashes with as many columns follow.
func startsTable(lines []string) bool {
	if len(lines) < 2 || !strings.Contains(lines[0], "|") || !strings.Contains(lines[1], "-") || strings.Trim(lines[1], " \t|:-") != "" {
		return false
	}
	return len(cells(lines[0])) == len(cells(lines[1]))
}

// cells splits a table's row.
func cells(l string) (out []string) {
	l = strings.TrimPrefix(strings.TrimSpace(l), "|")
	if strings.HasSuffix(l, "|") && !strings.HasSuffix(l, `\|`) {
		l = l[:len(l)-1]
	}
	var cell strings.Builder
	for i := 0; i < len(l); i++ {
		switch {
		case l[i] == '\\' && i+1 < len(l) && l[i+1] == '|':
			cell.WriteByte('|')
			i++
		case l[i] == '|':
			out = append(out, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(l[i])
		}
	}
	return append(out, strings.TrimSpace(cell.String()))
}
