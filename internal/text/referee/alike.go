package referee

import (
	"math"
	"math/bits"
)

// A line without a home may still be like another one: they share words that fewer than one line in a thousand texts of this
// size would have together if words came independently, or fewer than one in this text if most of the line stands there. That is
// no proof that both say the same, so the reader is shown where to look.
const likeOdds = 1000

// Similar is a line that is like one without a home. Whether it says the same is for the reader to see.
type Similar struct {
	Source string `json:"source,omitempty"` // its name; empty for the text after
	Line   int    `json:"line"`
}

// likeness is what a line without a home has in common with the line most like it.
type likeness struct {
	words  uint64  // of both, in the bits of terms
	rarity float64 // of those, as it was when they were seen
	most   bool    // they are most of the line without a home
	sure   bool    // chance does not explain them
}

// liken notes the line visited if its words tell more than those of the lines before.
func (h *homes) liken(j int32, name string, t *text, at int, here float64) {
	w := &h.wanted[j]
	if set := w.seen[0]; set&(set-1) == 0 && here < standsShare*w.total {
		return // one word
	}
	if r := h.rarityOf(w, w.seen[0]); r > w.likeness.rarity {
		w.likeness = likeness{words: w.seen[0], rarity: r, most: here >= standsShare*w.total}
		h.lines[j].like = &Similar{Source: name, Line: t.lines[at].number}
	}
}

// doubt drops the likenesses that chance explains. Those found in the text after are judged by that text alone.
func (h *homes) doubt() {
	for i := range h.lines {
		l, w := &h.lines[i], &h.wanted[i]
		if l.like == nil || w.sure {
			continue
		}
		enough := math.Log(float64(h.visited))
		if !w.most {
			enough += math.Log(likeOdds)
		}
		if w.sure = h.rarityOf(w, w.words) > enough; !w.sure {
			l.like, w.likeness = nil, likeness{}
		}
	}
}

// rarityOf is minus the logarithm of the share of lines that have these words if words come independently.
func (h *homes) rarityOf(w *wanted, words uint64) (rarity float64) {
	all := math.Log(float64(h.visited))
	for set := words; set != 0; set &= set - 1 {
		t := w.terms[bits.TrailingZeros64(set)]
		r := all - math.Log(float64(h.posting[t].met))
		if t.pair() {
			r /= 2 // each character is in two pairs
		}
		rarity += r
	}
	return rarity
}
