package note

import (
	"bytes"
	"strings"
)

// Zones is a memory file divided at the line. Above and Notes together are always the whole file.
type Zones struct {
	Text []byte

	// Cut is the offset of the first byte below the line, len(Text) if there is none.
	Cut int

	// Equal: the file is the baseline, byte for byte. Then it is not divided: all of it is above.
	Equal bool

	// Marked: the file has a line. A file that is not Equal, Marked or Overwrite has text that cannot
	// be attributed to anyone: keep all of it.
	Marked bool

	// Overwrite: the baseline has no line, so the operator owns the whole file.
	Overwrite bool

	// Drift: the operator's part differs from the baseline. Trailing white space and the line ending of
	// the separator do not count, nor does a BOM. Other changed line endings do, though they do not move the line.
	Drift bool

	mark  int // start of the separator line
	added int // start of the text after the baseline's own tail
}

// Split divides text at the line. If text starts with the baseline up to its last separator, the line is there, whatever
// separators the notes have. Otherwise the last separator in text is the line, and the part above it has drifted.
// Separators in code fences or front matter are never the line. An empty sep means [Separator].
func Split(text, baseline []byte, sep string) Zones {
	z := Zones{Text: text, Cut: len(text), added: len(text)}
	if z.Equal = bytes.Equal(text, baseline); z.Equal {
		return z
	}
	sep = literal(sep)
	base, file := trimBOM(baseline), trimBOM(text)
	bom := len(text) - len(file)
	mark, end, ok := FindLine(base, sep)
	if !ok {
		z.Overwrite, z.Drift = true, !bytes.Equal(base, file)
		return z
	}
	switch at, cut, exact := anchor(file, base, mark, end, sep); {
	case cut >= 0:
		z.Marked, z.Drift, z.mark, z.Cut = true, !exact, bom+at, bom+cut
	default:
		if z.mark, z.Cut, z.Marked = FindLine(text, sep); !z.Marked {
			z.Cut = len(text)
			return z
		}
		z.Drift = true
	}
	z.added = z.Cut + max(0, matchLines(z.Text[z.Cut:], base[end:]))
	return z
}

// Above returns the operator's part, the separator line included.
func (z Zones) Above() []byte { return z.Text[:z.Cut] }

// Notes returns the agent's part unchanged, including a scratch heading of the baseline.
func (z Zones) Notes() []byte { return z.Text[z.Cut:] }

// Added returns the notes without the text that the baseline itself has below its line.
func (z Zones) Added() []byte { return z.Text[z.added:] }

// Fresh reports whether the file has no notes: only blank space was added since its reset.
func (z Zones) Fresh() bool { return z.Equal || z.Marked && isBlank(z.Added()) }

// Line returns the 1-based number of the separator line, 0 if the file is not Marked.
func (z Zones) Line() int {
	if !z.Marked {
		return 0
	}
	return LineAt(z.Text, z.mark)
}

// FindLine finds the last separator line of text outside code fences and front matter, and returns its start and the
// start of the text below it.
func FindLine(text []byte, sep string) (start, end int, ok bool) {
	sep = literal(sep)
	if !bytes.Contains(text, []byte(sep)) {
		return 0, 0, false
	}
	var open fences
	pos := 0
	if f, ok := FrontMatter(text); ok {
		pos = f.End
	}
	for pos < len(text) {
		e := lineEnd(text, pos)
		line := text[pos:e]
		if isSeparator(line, sep) {
			start, end, ok = pos, e, true
		} else if f, isFence := fenceAt(line); isFence {
			e = max(e, open.end(text, e, f))
		}
		pos = e
	}
	return start, end, ok
}

// anchor searches for the baseline's head, base[:end] with its separator at mark, at the start of file. It returns the
// start of the separator and the start of the notes, or -1; exact is false if line endings were changed.
func anchor(file, base []byte, mark, end int, sep string) (at, cut int, exact bool) {
	at, exact = mark, bytes.HasPrefix(file, base[:mark])
	if !exact {
		at = matchLines(file, base[:mark])
	}
	if at < 0 || at > len(file) {
		return -1, -1, false
	}
	if e := lineEnd(file, at); isSeparator(file[at:e], sep) {
		return at, e, exact
	}
	// The baseline has no final newline: the appended text is on the separator's own line.
	if exact && end == len(base) && bytes.HasPrefix(file, base) {
		return at, end, true
	}
	return -1, -1, false
}

// matchLines returns the length of the prefix of text that equals want except for CRLF in place of LF, or -1. A missing
// final newline at the end of text does not matter.
func matchLines(text, want []byte) int {
	if bytes.HasPrefix(text, want) {
		return len(want)
	}
	pos := 0
	for len(want) > 0 {
		n := lineEnd(want, 0)
		w := bytes.TrimRight(want[:n], "\r\n")
		want = want[n:]
		if !bytes.HasPrefix(text[pos:], w) {
			return -1
		}
		pos += len(w)
		switch rest := text[pos:]; {
		case bytes.HasPrefix(rest, []byte("\r\n")):
			pos += 2
		case bytes.HasPrefix(rest, []byte("\n")):
			pos++
		case len(want) > 0 || len(rest) > 0:
			return -1
		}
	}
	return pos
}

func literal(sep string) string {
	if sep = strings.TrimRight(sep, " \t\r\n"); sep == "" {
		return Separator
	}
	return sep
}

func trimBOM(b []byte) []byte { return bytes.TrimPrefix(b, []byte(utf8BOM)) }
