package scan

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// The hidden rules' indexes in the set; they come first.
const (
	bidi = iota
	tags
	zeroWidth
	variation
	ansi
	unreadable
)

func hiddenRules() []rule {
	r := func(code string, sev Severity, what, remedy string) rule {
		return rule{Info: Info{"hidden." + code, Hidden, sev, what, remedy}}
	}
	return []rule{
		bidi:       r("bidi", High, "A direction control reorders the line, so that it reads differently from what it says.", strip),
		tags:       r("tags", High, "Invisible tag characters spell text that only a model reads.", strip),
		zeroWidth:  r("zero-width", Medium, "A varying run of zero-width characters can carry text that nobody sees.", strip),
		variation:  r("variation", Medium, "A run of variation selectors can carry text that nobody sees.", strip),
		ansi:       r("ansi", High, "A terminal escape sequence moves, erases or conceals what a person sees.", strip),
		unreadable: r("unreadable", Medium, "The file is not readable as UTF-8 text.", "Save it as UTF-8 text, or move it out of memory."),
	}
}

// Unreadable says why b is not text in UTF-8, or "" if it is.
func Unreadable(b []byte) string {
	why, _ := notText(b)
	return why
}

// notText returns why and where b ceases to be text. A stray zero byte, as copied from a PDF, does not make it binary.
func notText(b []byte) (why string, at int) {
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return "it is UTF-16", 0
	}
	if bytes.Count(b, []byte{0})*100 > len(b) {
		return "it contains binary data", bytes.IndexByte(b, 0)
	}
	for at = 0; at < len(b); {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			return "some bytes are not UTF-8", at
		}
		at += n
	}
	return "", 0
}

// hidden finds what a reader of the text does not see. Joiners, selectors, marks and isolates that writing and emoji need, and
// that copying from pages and mails leaves behind, hide nothing and are not reported. A text that is not UTF-8 is one hit: what
// its bytes would mean as characters says nothing. Of incoming text, controls and invisible characters inside a word are
// reported as well.
func (s *ruleset) hidden(b []byte, incoming bool) []spot {
	if why, at := notText(b); why != "" {
		return []spot{{s.rules[unreadable], unreadable, at, min(len(b), at+1)}}
	}
	var out []spot
	for i := 0; i < len(b); {
		if b[i] >= ' ' && b[i] < 0x7f || b[i] == '\n' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		kind, n := hiddenAt(b, i, r, size)
		if kind < 0 && incoming {
			kind = doubtful(b, i, r, n)
		}
		if kind >= 0 {
			out = append(out, spot{s.rules[kind], kind, i, i + n})
		}
		i += n
	}
	return out
}

// hiddenAt classifies the rune at i: the kind to report, or -1, and the number of bytes covered.
func hiddenAt(b []byte, i int, r rune, size int) (kind, n int) {
	switch {
	case r == 0x1b:
		return escape(b[i:])
	case r == blackFlag:
		return -1, size + flagTags(b[i+size:])
	case isTag(r):
		return tags, runOf(b[i:], isTag)
	case r == rightOverride || r == rightEmbedding || r == rightIsolate:
		if !rightToLeftNear(b, i+size) && letterAhead(b[i+size:]) {
			return bidi, size
		}
	case r == leftOverride:
		if rightToLeftNear(b, i+size) {
			return bidi, size
		}
	case isSelector(r):
		if n = runOf(b[i:], isSelector); varies(b[i:i+n], 3) {
			return variation, n
		}
		return -1, n
	case isZeroWidth(r):
		if n = runOf(b[i:], isZeroWidth); varies(b[i:i+n], 8) {
			return zeroWidth, n
		}
		return -1, n
	}
	return -1, size
}

// doubtful classifies a rune that nobody needs to type: a control, a direction control, or one that is invisible inside a word.
func doubtful(b []byte, i int, r rune, n int) int {
	switch {
	case r == '\r' || r == '\t':
	case unicode.IsControl(r):
		return ansi
	case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
		return bidi
	case isZeroWidth(r) && i > 0 && isAlnum(b[i-1]) && i+n < len(b) && isAlnum(b[i+n]):
		return zeroWidth
	}
	return -1
}

const (
	blackFlag      = 0x1f3f4 // followed by tag letters, the flag of a region
	rightEmbedding = 0x202b
	leftOverride   = 0x202d
	rightOverride  = 0x202e
	rightIsolate   = 0x2067
)

func within(r, first, last rune) bool { return r >= first && r <= last }

func isTag(r rune) bool { return r >= 0xe0000 && r <= 0xe007f }

func isSelector(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef }

func isZeroWidth(r rune) bool {
	switch r {
	case 0x00ad, 0x034f, 0x061c, 0x180e, 0xfeff:
		return true
	}
	return within(r, 0x200b, 0x200f) || within(r, 0x2060, 0x2064) || within(r, 0x206a, 0x206f)
}

// runOf is the length in bytes of the run of runes at the start of b that is accepts.
func runOf(b []byte, is func(rune) bool) int {
	n := 0
	for n < len(b) {
		r, size := utf8.DecodeRune(b[n:])
		if !is(r) {
			break
		}
		n += size
	}
	return n
}

// varies reports whether a run has at least so many runes and is no repetition of a short pattern. Mails and pages repeat
// invisible characters as padding; a text that is encoded in them varies.
func varies(run []byte, least int) bool {
	runes := []rune(string(run))
	if len(runes) < least {
		return false
	}
	for period := 1; period <= 8 && period*2 <= len(runes); period++ {
		same := true
		for i := period; i < len(runes) && same; i++ {
			same = runes[i] == runes[i-period]
		}
		if same {
			return false
		}
	}
	return true
}

// flagTags is the length of the tag letters that make a black flag the flag of England, Scotland
// or Wales; anything else after a flag is hidden text.
func flagTags(b []byte) int {
	n, letters := 0, 0
	for n < len(b) {
		r, size := utf8.DecodeRune(b[n:])
		if r == 0xe007f && letters >= 3 {
			return n + size
		}
		if letters == 6 || r < 0xe0061 || r > 0xe007a {
			return 0
		}
		letters++
		n += size
	}
	return 0
}

// near is how far around a direction control letters of its direction are searched.
const near = 200

// rightToLeftNear reports whether the line has a letter that is written from right to left.
func rightToLeftNear(b []byte, i int) bool {
	line := lineAround(b, i)
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		if r != 0x061c && (within(r, 0x0590, 0x08ff) || within(r, 0xfb1d, 0xfdff) || within(r, 0xfe70, 0xfefe)) {
			return true
		}
		line = line[n:]
	}
	return false
}

func lineAround(b []byte, i int) []byte {
	lo, hi := max(0, i-near), min(len(b), i+near)
	if n := bytes.LastIndexByte(b[lo:i], '\n'); n >= 0 {
		lo += n + 1
	}
	if n := bytes.IndexByte(b[i:hi], '\n'); n >= 0 {
		hi = i + n
	}
	return b[lo:hi]
}

// letterAhead reports whether a letter or digit follows in the line: without one there is nothing to reorder.
func letterAhead(b []byte) bool {
	for i := 0; i < len(b) && i < near && b[i] != '\n'; {
		r, n := utf8.DecodeRune(b[i:])
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return true
		}
		i += n
	}
	return false
}

// escape classifies the escape sequence at the start of b. Colours hide nothing, except the one that conceals.
func escape(b []byte) (kind, n int) {
	if len(b) < 3 || b[1] != '[' && b[1] != ']' {
		return -1, 1
	}
	if b[1] == ']' {
		return ansi, 2
	}
	for n = 2; n < len(b) && n < 32 && (isDigit(b[n]) || b[n] == ';' || b[n] == '?'); n++ {
	}
	if n == len(b) || b[n] < 0x40 || b[n] > 0x7e {
		return -1, n
	}
	if b[n] == 'm' && string(b[2:n]) != "8" {
		return -1, n + 1
	}
	return ansi, n + 1
}
