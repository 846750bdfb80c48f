package loadview

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// source is a file's text as the harness reads it, with the position of each piece in the file.
type source struct {
	text string
	raw  []byte
	segs []seg // ascending; text between two is not from the file
}

// seg is a piece of the text that is in the file byte for byte.
type seg struct {
	at  int // in text
	raw int // in the file
	n   int
}

// read decodes a file as UTF-8 like every harness: an invalid sequence becomes U+FFFD, one for each longest prefix of a
// character.
func read(raw []byte) source {
	if utf8.Valid(raw) {
		return source{text: string(raw), raw: raw, segs: []seg{{n: len(raw)}}}
	}
	src := source{raw: raw}
	var b strings.Builder
	start := 0
	flush := func(end int) {
		if end > start {
			src.segs = append(src.segs, seg{at: b.Len(), raw: start, n: end - start})
			b.Write(raw[start:end])
		}
	}
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		if r != utf8.RuneError || size > 1 {
			i += size
			continue
		}
		flush(i)
		b.WriteString(half)
		i += broken(raw[i:])
		start = i
	}
	flush(len(raw))
	src.text = b.String()
	return src
}

// broken is the length of the longest prefix of a character at the start of b, at least 1.
func broken(b []byte) int {
	first := b[0]
	low, high, need := byte(0x80), byte(0xBF), 0
	switch {
	case first >= 0xC2 && first <= 0xDF:
		need = 1
	case first >= 0xE0 && first <= 0xEF:
		need = 2
		if first == 0xE0 {
			low = 0xA0
		} else if first == 0xED {
			high = 0x9F
		}
	case first >= 0xF0 && first <= 0xF4:
		need = 3
		if first == 0xF0 {
			low = 0x90
		} else if first == 0xF4 {
			high = 0x8F
		}
	}
	n := 1
	for n <= need && n < len(b) && b[n] >= low && b[n] <= high {
		low, high = 0x80, 0xBF
		n++
	}
	return n
}

// slice returns the part of the text from one offset to another.
func (s source) slice(from, to int) source {
	out := source{text: s.text[from:to], raw: s.raw}
	for _, g := range s.segs {
		a, b := max(g.at, from), min(g.at+g.n, to)
		if a < b {
			out.segs = append(out.segs, seg{at: a - from, raw: g.raw + a - g.at, n: b - a})
		}
	}
	return out
}

// join concatenates sources of the same file with a text between them.
func join(between string, parts ...source) source {
	var out source
	var b strings.Builder
	for i, p := range parts {
		out.raw = p.raw
		if i > 0 {
			b.WriteString(between)
		}
		for _, g := range p.segs {
			g.at += b.Len()
			out.segs = append(out.segs, g)
		}
		b.WriteString(p.text)
	}
	out.text = b.String()
	return out
}

// lead puts a text before the source.
func (s source) lead(text string) source {
	out := source{text: text + s.text, raw: s.raw, segs: slices.Clone(s.segs)}
	for i := range out.segs {
		out.segs[i].at += len(text)
	}
	return out
}

// trim removes white space from the end, or from both ends.
func (s source) trim(both bool) source {
	end := len(strings.TrimRightFunc(s.text, space))
	start := 0
	if both {
		start = end - len(strings.TrimLeftFunc(s.text[:end], space))
	}
	return s.slice(start, end)
}

// entries splits the text at delimiters: entries are trimmed, empty ones and repetitions dropped.
func (s source) entries(delimiter string) source {
	var kept []source
	seen := map[string]bool{}
	for at := 0; ; {
		end := strings.Index(s.text[at:], delimiter)
		stop := len(s.text)
		if end >= 0 {
			stop = at + end
		}
		entry := s.slice(at, stop).trim(true)
		if entry.text != "" && !seen[entry.text] {
			seen[entry.text] = true
			kept = append(kept, entry)
		}
		if end < 0 {
			break
		}
		at = stop + len(delimiter)
	}
	out := join(delimiter, kept...)
	out.raw = s.raw
	return out
}

// ranges returns the bytes of the file that the source shows.
func (s source) ranges() []Range {
	var out []Range
	for _, g := range s.segs {
		if n := len(out); n > 0 && out[n-1].To == g.raw {
			out[n-1].To += g.n
			continue
		}
		out = append(out, Range{g.raw, g.raw + g.n})
	}
	return out
}
