package note

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Gist is the form in which texts are compared for similarity.
type Gist struct {
	terms []uint64 // sorted hashes of words and word pairs
	facts uint64   // hash of the numbers and negations
}

// NewGist returns the gist of an entry's text.
func NewGist(text string) Gist { return gistOf(Normal(text)) }

// Gist returns the gist of the entry.
func (e Entry) Gist() Gist {
	f := e.forms
	if !f.of(e) {
		return gistOf(e.Normal())
	}
	f.summed.Do(func() { f.gist = gistOf(e.Normal()) })
	return f.gist
}

func gistOf(normal string) Gist {
	var g Gist
	var before uint64
	for word := range strings.FieldsSeq(normal) {
		h := hash(word)
		if isFact(word) {
			g.facts += h // independent of the order
		}
		if packed := g.addPacked(word); packed {
			before = 0
			continue
		}
		g.terms = append(g.terms, h)
		if before != 0 {
			g.terms = append(g.terms, before*31+h)
		}
		before = h
	}
	slices.Sort(g.terms)
	g.terms = slices.Compact(g.terms)
	return g
}

// addPacked adds the character pairs of a run in a script without spaces.
func (g *Gist) addPacked(word string) bool {
	packed := false
	for i, r := range word {
		if !isPacked(r) {
			continue
		}
		packed = true
		n := utf8.RuneLen(r)
		_, next := utf8.DecodeRuneInString(word[i+n:])
		g.terms = append(g.terms, hash(word[i:i+n+next]))
	}
	if packed {
		for run := range strings.FieldsFuncSeq(word, isPacked) {
			g.terms = append(g.terms, hash(run))
			if isFact(run) {
				g.facts += hash(run)
			}
		}
	}
	return packed
}

// Similar returns how similar two entries are, from 0 to 1: the share of words, pairs of words and, in scripts without
// spaces, pairs of characters that they have in common. Entries that differ in a number or a negation mean different
// things however similar they look, so for them it is at most one half.
func (g Gist) Similar(o Gist) float64 {
	if len(g.terms) == 0 || len(o.terms) == 0 {
		return float64(b2i(len(g.terms) == len(o.terms)))
	}
	common, i, j := 0, 0, 0
	for i < len(g.terms) && j < len(o.terms) {
		switch a, b := g.terms[i], o.terms[j]; {
		case a == b:
			common++
			i++
			j++
		case a < b:
			i++
		default:
			j++
		}
	}
	share := float64(common) / float64(len(g.terms)+len(o.terms)-common)
	if g.facts != o.facts {
		share /= 2
	}
	return share
}

// Alike reports whether two gists are at least that similar. Most pairs of a large memory are rejected by their lengths
// and facts alone.
func (g Gist) Alike(o Gist, limit float64) bool {
	short, long := min(len(g.terms), len(o.terms)), max(len(g.terms), len(o.terms))
	if short > 0 {
		most := float64(short) / float64(long)
		if g.facts != o.facts {
			most /= 2
		}
		if most < limit {
			return false
		}
	}
	return g.Similar(o) >= limit
}

// isFact reports a word that changes the meaning of a sentence: one with a digit, or a negation.
func isFact(word string) bool {
	for _, r := range word {
		if unicode.IsDigit(r) || r >= 0x2e80 && strings.ContainsRune("不没沒無无非未", r) {
			return true
		}
	}
	switch word {
	case "not", "no", "never", "none", "without", "cannot", "t", "nicht", "kein", "keine", "nie", "ohne", "non", "pas":
		return true
	}
	return false
}

// isPacked reports scripts without spaces between words, or whose words change their endings so much that pairs of
// characters compare better.
func isPacked(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai,
		unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// hash is FNV-1a with its bits mixed once more, so that sums of hashes do not cancel out.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	return h ^ h>>33
}
