package referee

import (
	"math"
	"math/bits"
)

// A line without a home may still be like another one. Their words, as vectors of their weights, have a cosine of likeShare or
// more, and chance does not explain the words they share: fewer than one of the lines looked at would have them all if words
// came independently. That is no proof that both say the same, so the reader is shown where to look.
const likeShare = 1. / 3

// Similar is a line that is like one without a home. Whether it says the same is for the reader to see.
type Similar struct {
	Source string  `json:"source,omitempty"` // its name; empty for the text after
	Line   int     `json:"line"`
	Share  float64 `json:"share"` // 1 if they have the same words
}

// likeness is what a line without a home has in common with the line most like it.
type likeness struct {
	cosine float64
	words  uint64 // of both, in the bits of terms
	sure   bool   // chance does not explain it
}

// doubt drops the likenesses that chance explains. Those found in the text after are judged by that text alone.
func (h *homes) doubt() {
	for i := range h.lines {
		l, w := &h.lines[i], &h.wanted[i]
		if l.like == nil || w.sure {
			continue
		}
		if w.sure = !h.byChance(w); !w.sure {
			l.like, w.cosine = nil, likeShare
		}
	}
}

func (h *homes) byChance(w *wanted) bool {
	all := math.Log(float64(h.visited))
	var rarity float64
	for set := w.words; set != 0; set &= set - 1 {
		rarity += all - math.Log(float64(h.posting[w.terms[bits.TrailingZeros64(set)]].met))
	}
	return rarity <= all
}
