package referee

import (
	"math"
	"math/bits"
	"slices"
)

// A line without a home may still be like others: a few adjacent lines have words of it which fewer than one place in a thousand
// texts of this size would have together if words came independently, or two fifths of what it says, each word counted by how
// rare it is. That is no proof that they say the same, so the reader is shown where to look. Only a line that no place is like,
// and that has a word or a value which stands nowhere else, is said to be lost: what is said in common words may be said in
// others.
const (
	likeOdds  = 1000
	likeShare = 0.4
)

// Similar is a line that is like one without a home. Whether it says the same is for the reader to see.
type Similar struct {
	Source string `json:"source,omitempty"` // its name; empty for the text after
	Line   int    `json:"line"`
}

// likeness is what a line without a home has in common with the lines most like it.
type likeness struct {
	words  uint64  // of both, in the bits of terms
	lines  int     // that have them
	rarity float64 // of those, as it was when they were seen
	sure   bool    // chance does not explain them, or they are much of the line
}

// liken notes the lines visited last if their words tell more than those of any before.
func (h *homes) liken(j int32, name string, t *text, at int) {
	w := &h.wanted[j]
	var all uint64
	for k, set := range w.seen {
		if set&^all == 0 {
			continue
		}
		all |= set
		if r := h.rarityOf(w, all, k+1); r > w.likeness.rarity {
			w.likeness = likeness{words: all, lines: k + 1, rarity: r}
			h.lines[j].like = &Similar{Source: name, Line: t.lines[at].number}
		}
	}
}

// confirm notes which likenesses tell enough. Those found in the text after are judged by that text alone.
func (h *homes) confirm() {
	enough := math.Log(float64(h.visited)) + math.Log(likeOdds)
	for i := range h.wanted {
		if w := &h.wanted[i]; !w.sure && w.words != 0 {
			r := h.rarityOf(w, w.words, w.likeness.lines)
			w.sure = r > enough || r >= likeShare*h.rarityOf(w, 1<<len(w.terms)-1, 1)
		}
	}
}

// doubt drops the likenesses that do not tell enough, of lines that have a word or a value of their own.
func (h *homes) doubt(c *comparison, missing []Value) {
	h.confirm()
	values := map[int]bool{}
	for _, v := range missing {
		values[v.Line] = true
	}
	for i := range h.wanted {
		w, l := &h.wanted[i], &h.lines[i]
		word := func(t term) bool { return !t.pair() && !h.posting[t].stands }
		if !w.sure && (values[c.before.lines[l.line].number] || slices.ContainsFunc(w.terms, word)) {
			l.like = nil
		}
	}
}

// rarityOf is minus the logarithm of the share of places that have these words in so many lines if words come independently.
func (h *homes) rarityOf(w *wanted, words uint64, lines int) (rarity float64) {
	all := h.log.of(h.visited) - math.Log(float64(lines))
	for set := words; set != 0; set &= set - 1 {
		t := w.terms[bits.TrailingZeros64(set)]
		p := h.posting[t]
		if len(p.lines) > maxPostings {
			continue
		}
		r := max(0, all-p.log.of(p.met))
		if t.pair() {
			r /= 2 // each character is in two pairs
		}
		rarity += r
	}
	return rarity
}

// logOf is the logarithm of a number that seldom changes.
type logOf struct {
	n   int
	log float64
}

func (l *logOf) of(n int) float64 {
	if n != l.n {
		l.n, l.log = n, math.Log(float64(n))
	}
	return l.log
}
