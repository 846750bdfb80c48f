package note

import (
	"bytes"
)

// Front is the front matter of a file: the flat YAML between two --- lines at its very start.
type Front struct {
	Start, End int // extent of the block, both fences included
}

// FrontMatter finds the front matter of text. The lines between the fences must look like YAML, so that a file whose
// first line is a separator is not mistaken for one.
func FrontMatter(text []byte) (Front, bool) {
	start := 0
	if bytes.HasPrefix(text, []byte(utf8BOM)) {
		start = len(utf8BOM)
	}
	pos := lineEnd(text, start)
	if string(chomp(text[start:pos])) != "---" {
		return Front{}, false
	}
	keys := 0
	for pos < len(text) {
		e := lineEnd(text, pos)
		line := chomp(text[pos:e])
		if string(line) == "---" || string(line) == "..." {
			return Front{Start: start, End: e}, keys > 0
		}
		switch {
		case len(line) == 0 || line[0] == '#':
		case keyEnd(line) > 0:
			keys++
		case keys > 0 && (line[0] == ' ' || line[0] == '\t' || bytes.HasPrefix(line, []byte("- "))):
		default:
			return Front{}, false
		}
		pos = e
	}
	return Front{}, false
}

// keyEnd returns the offset of the colon after a key in the first column, or -1.
func keyEnd(line []byte) int {
	i := bytes.IndexByte(line, ':')
	if i <= 0 || i+1 < len(line) && line[i+1] != ' ' && line[i+1] != '\t' {
		return -1
	}
	for j, c := range line[:i] {
		if !isWord(c) && (j == 0 || c != '-' && c != '.' && c != ' ') {
			return -1
		}
	}
	return i
}
