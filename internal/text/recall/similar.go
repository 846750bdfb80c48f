package recall

import "unicode/utf8"

// minTypo is the length from which a word is distinct enough that one letter may be wrong.
const minTypo = 5

// similar finds the terms one typing error away from an unknown term: same first letter, and one letter added, missing,
// wrong or swapped with its neighbour.
func (d *dictionary) similar(term string) []uint32 {
	if utf8.RuneCountInString(term) < minTypo {
		return nil
	}
	_, n := utf8.DecodeRuneInString(term)
	var out []uint32
	for _, id := range d.withPrefix(term[:n]) {
		if oneErrorApart(term, d.info[id].text) {
			out = append(out, id)
		}
	}
	return out[:min(len(out), 8)]
}

// A word of minCompound letters also matches as the first part of a longer one with minCompanion letters more: German
// writes "Datenschutzerklärung", which is also about "Datenschutz".
const (
	minCompound  = 6
	minCompanion = 3
)

// compounds finds the terms that begin with a term and go on with another word. Endings that a stem leaves are shorter.
func (d *dictionary) compounds(term string) []uint32 {
	var out []uint32
	for _, id := range d.withPrefix(term) {
		if utf8.RuneCountInString(d.info[id].text[len(term):]) >= minCompanion {
			out = append(out, id)
		}
	}
	return out[:min(len(out), 16)]
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
