package search

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// unspaced reports whether r belongs to a script that writes words without blanks between them.
func unspaced(r rune) bool {
	if r < 0x0e00 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー' || r == '々'
}

type gramRune struct {
	text       string
	start, end int
}

// appendGrams adds the characters of v, each with the marks that follow it, found at byte offset at.
func appendGrams(dst []gramRune, v string, at int) []gramRune {
	for i, r := range v {
		n := len(string(r))
		if unicode.Is(unicode.M, r) && len(dst) > 0 && dst[len(dst)-1].end == at+i {
			last := &dst[len(dst)-1]
			last.text += string(r)
			last.end += n
			continue
		}
		dst = append(dst, gramRune{string(r), at + i, at + i + n})
	}
	return dst
}

// flushGrams emits the collected run: each character, and each pair of adjacent ones at the place of the first.
func (a *analyzer) flushGrams() {
	run := a.gram
	for i, g := range run {
		t := norm.NFKC.String(g.text)
		if i+1 < len(run) && run[i+1].start == g.end {
			a.emit(token{term: t + norm.NFKC.String(run[i+1].text), pos: a.pos, start: g.start, end: run[i+1].end, kind: kindGram})
		}
		a.emit(token{term: t, pos: a.pos, start: g.start, end: g.end, kind: kindChar})
		a.pos++
	}
	a.gram = run[:0]
}
