package scan

import (
	"bytes"
	"unicode/utf8"
)

// The hidden rules' indexes in the set; they come first.
const (
	bidi = iota
	tags
	zeroWidth
	variation
	strayBOM
	ansi
	control
	lineSeparator
	badUTF8
	homoglyph
)

func hiddenRules() []rule {
	const strip = "Remove the characters and read the text again before trusting it."
	r := func(code string, sev Severity, what, remedy string) rule {
		return rule{Info: Info{"hidden." + code, Hidden, sev, what, remedy}}
	}
	return []rule{
		bidi:          r("bidi", High, "A bidirectional control makes the text read differently from what it says.", strip),
		tags:          r("tags", High, "Invisible tag characters carry text that only a model reads.", strip),
		zeroWidth:     r("zero-width", Medium, "Zero-width characters are used where no script needs them.", strip),
		variation:     r("variation", Medium, "Variation selectors are used where they change no character; they can carry hidden bytes.", strip),
		strayBOM:      r("bom", Low, "A byte order mark is inside the text.", strip),
		ansi:          r("ansi", High, "A terminal escape sequence can rewrite what a person sees.", strip),
		control:       r("control", Medium, "The text contains a control character.", strip),
		lineSeparator: r("line-separator", Low, "A character other than a line feed breaks the line for some readers only.", "Replace it by a line feed or a space."),
		badUTF8:       r("invalid-utf8", Medium, "Some bytes are not UTF-8.", "Save the file as UTF-8 again, or remove the bytes."),
		homoglyph:     r("homoglyph", Low, "A word mixes letters of two alphabets that look alike.", "Type the word again in one alphabet."),
	}
}

// hidden checks every byte once. Adjacent hits of one kind are merged.
func (s *ruleset) hidden(b []byte) []found {
	var out []found
	emit := func(kind, lo, hi int) {
		if n := len(out); n > 0 && out[n-1].rank == kind && out[n-1].hi == lo && kind != homoglyph {
			out[n-1].hi = hi
			return
		}
		out = append(out, found{s.rules[kind], kind, lo, hi})
	}
	for i := 0; i < len(b); {
		c := b[i]
		if c >= 0x20 && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			kind, n := controlAt(b, i)
			if n == 0 {
				i++
				continue
			}
			emit(kind, i, i+n)
			i += n
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			emit(badUTF8, i, i+1)
			i++
			continue
		}
		if twinScript(r) {
			lo, hi := word(b, i)
			if mixed(b[lo:hi]) {
				emit(homoglyph, lo, hi)
			}
			i = max(hi, i+size)
			continue
		}
		kind, n := invisibleAt(b, i, r, size)
		if kind >= 0 {
			emit(kind, i, i+n)
		}
		i += n
	}
	return out
}

// controlAt classifies an ASCII control character; n is 0 if it is not reported.
func controlAt(b []byte, i int) (kind, n int) {
	switch b[i] {
	case 0x1b:
		return ansi, escapeLen(b[i:])
	case '\r':
		if i+1 == len(b) || b[i+1] == '\n' {
			return 0, 0
		}
		return control, 1
	case '\v', '\f':
		return lineSeparator, 1
	}
	return control, 1
}

// escapeLen is the length of the escape sequence at the start of b, at least 1.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 1
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b) && i < 64; i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return i + 1
			}
			if b[i] < 0x20 || b[i] > 0x3f {
				return i
			}
		}
		return 2
	case ']', 'P', '_', '^':
		rest := b[2:min(len(b), 512)]
		if end := bytes.IndexByte(rest, 0x07); end >= 0 {
			return 2 + end + 1
		}
		if end := bytes.Index(rest, []byte("\x1b\\")); end >= 0 {
			return 2 + end + 2
		}
		return 2
	}
	if b[1] >= 0x30 && b[1] <= 0x7e {
		return 2
	}
	return 1
}

// invisibleAt classifies the rune at i: the kind to report, or -1, and the number of bytes covered.
func invisibleAt(b []byte, i int, r rune, size int) (kind, n int) {
	switch {
	case r >= 0x80 && r <= 0x9f:
		if r == 0x85 {
			return lineSeparator, size
		}
		return control, size
	case r == 0x2028, r == 0x2029:
		return lineSeparator, size
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return bidi, size
	case isTag(r):
		return tags, size
	case r == 0xfeff:
		if i == 0 {
			return -1, size
		}
		return strayBOM, size
	case isSelector(r):
		n = spanOf(b, i, isSelector)
		if n == size && selectorFits(before(b, i), r) {
			return -1, n
		}
		return variation, n
	case isZeroWidth(r):
		n = spanOf(b, i, isZeroWidth)
		if n == size && zeroWidthFits(b, i, r, size) {
			return -1, n
		}
		return zeroWidth, n
	case r >= 0xfff9 && r <= 0xfffb, r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe:
		return control, size
	case r == blackFlag:
		return -1, size + flagTags(b[i+size:])
	}
	return -1, size
}

// spanOf is the length in bytes of the run of runes from i on that is accepts.
func spanOf(b []byte, i int, is func(rune) bool) int {
	n := 0
	for i+n < len(b) {
		r, size := utf8.DecodeRune(b[i+n:])
		if !is(r) {
			break
		}
		n += size
	}
	return n
}
