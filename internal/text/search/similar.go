package search

import (
	"strings"
	"unicode/utf8"
)

// minTypo is the length from which a word is distinct enough that one letter may be wrong.
const minTypo = 5

// similar finds what an unknown term may stand for: terms one typing error away with the same first letter, and longer
// terms that begin with it, as compounds do in German.
func (d *dictionary) similar(term string) []uint32 {
	if utf8.RuneCountInString(term) < minTypo {
		return nil
	}
	_, n := utf8.DecodeRuneInString(term)
	var out []uint32
	for _, id := range d.withPrefix(term[:n]) {
		if text := d.info[id].text; oneErrorApart(term, text) || strings.HasPrefix(text, term) {
			out = append(out, id)
		}
	}
	return out[:min(len(out), 8)]
}

func oneErrorApart(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > 1 || a == b {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	if len(a) > len(b) {
		return a[i+1:] == b[i:]
	}
	if a[i+1:] == b[i+1:] {
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
