package note

import "bytes"

// utf8BOM may come before the first line of files from a Windows editor.
const utf8BOM = "\ufeff"

// Lines counts lines like an editor: one for each newline, and one more if the last line has none.
func Lines(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// LineAt returns the 1-based number of the line with the byte at off.
func LineAt(text []byte, off int) int {
	return bytes.Count(text[:min(max(off, 0), len(text))], []byte{'\n'}) + 1
}

// Newline returns the line ending of the file's first line, "\n" if it has none.
func Newline(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineEnd returns the offset after the line that starts at pos, newline included.
func lineEnd(text []byte, pos int) int {
	if i := bytes.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(text)
}

// chomp drops the line ending and trailing white space.
func chomp(line []byte) []byte { return bytes.TrimRight(line, " \t\r\n") }

// isBlank reports whether line is only white space.
func isBlank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

// indent returns the column of the first character that is not white space, and its offset. A tab reaches to the next
// multiple of four.
func indent(line []byte) (col, off int) {
	for off < len(line) {
		switch line[off] {
		case ' ':
			col++
		case '\t':
			col += 4 - col%4
		default:
			return col, off
		}
		off++
	}
	return col, off
}

// isSeparator reports whether line is sep, ignoring trailing white space and a BOM in front of it.
func isSeparator(line []byte, sep string) bool {
	if len(line) > 0 && line[0] == utf8BOM[0] {
		line = bytes.TrimPrefix(line, []byte(utf8BOM))
	}
	return bytes.HasPrefix(line, []byte(sep)) && isBlank(line[len(sep):])
}
