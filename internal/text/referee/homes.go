package referee

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// homed is a line that left the text, and what became of it.
type homed struct {
	line   int    // in before
	name   string // of the source that has it; empty for the text after
	home   int    // index of the line where most of it stands; -1 if it stands nowhere
	number int    // of that line
	exact  bool   // with the same words in the same order
	stays  bool   // under the same headings: it was only put in other words
	back   bool   // the file has it again with the same words, whatever its home is
	like   *Similar
}

// elsewhere reports whether the line stands in other words, under other headings or in another file.
func (h homed) elsewhere() bool { return h.home >= 0 && !h.exact && !h.stays && !h.back }

// A line stands where most of its words stand together, each weighing the more the rarer it is in the two texts. Lines are
// joined and split, so several adjacent ones may hold the words; but the more lines, the more words are there by chance. And
// the words must weigh more than one that is on one of the lines looked at: lighter ones stand together somewhere in any large
// text. A line that says little else than a part of it is the line shortened; in another file it must begin with the same words,
// which name what the line is about.
const (
	standsShare  = 0.55 // of the weight of its words, in one line
	spreadShare  = 0.05 // more for each further line
	reach        = 5    // lines at most
	shortenShare = 0.3  // of the weight of its words, if they are standsShare of the other line's
	asItWas      = 2    // more than any share: the same words in the same order
	beginning    = 3    // words that name what a line is about
	maxTerms     = 64   // the rarest words of a long line stand for it
	maxPostings  = 64   // a word in more of the lines that left says nothing about any of them
)

// wanted is a line that has no home yet.
type wanted struct {
	terms  []term
	weight []float64
	total  float64 // of the words that are looked for; zero if the line can only be recognised as a whole
	whole  uint64  // hash of its words in order, markup left out
	begins uint64  // its first words, in the bits of terms

	line int // of the text visited: seen[0] belongs to it, seen[1] to the one before
	seen [reach]uint64
	best float64

	likeness
}

// homes looks for the lines that left.
type homes struct {
	lines   []homed
	wanted  []wanted // parallel to lines
	posting map[term]*postings
	whole   map[uint64][]int32
	left    int
	touched []int32
	rarity  rarity
	clock   int // numbers the lines visited, with a gap between texts
	visited int
	log     logOf
	stood   map[uint64]bool // hashes of the lines of the text before: they stood beside those that left, and say something else
}

// postings are the lines that left with a word, and how many lines visited have it.
type postings struct {
	lines  []posting
	met    int
	log    logOf
	stands bool // a line visited has it
}

type posting struct {
	line int32
	bit  uint8
}

func newHomes(c *comparison) *homes {
	h := &homes{left: len(c.left)}
	if h.left == 0 {
		return h
	}
	h.lines = make([]homed, h.left)
	h.wanted = make([]wanted, h.left)
	h.posting = map[term]*postings{}
	h.whole = map[uint64][]int32{}
	h.rarity = newRarity(c.before, c.after)
	h.visited = len(c.before.lines) + len(c.after.lines)
	h.stood = make(map[uint64]bool, len(c.before.lines))
	for _, l := range c.before.lines {
		h.stood[l.raw] = true
	}
	for i, at := range c.left {
		h.lines[i] = homed{line: at, home: -1}
		h.index(int32(i), slices.Clone(c.before.termsAt(at)))
	}
	for i := range h.wanted {
		h.ignoreCommon(&h.wanted[i])
	}
	return h
}

// ignoreCommon takes the words that too many lines have out of a line's weight. What has hardly any others has no weight.
func (h *homes) ignoreCommon(w *wanted) {
	all := w.total
	for k, t := range w.terms {
		if len(h.posting[t].lines) > maxPostings {
			w.total -= w.weight[k]
		}
	}
	if w.total < all/2 {
		w.total = 0
	}
}

// rarity counts the words of two texts. Words share counters when their hashes do, which changes a weight here and there.
type rarity struct {
	count []uint32
	lines float64
}

func newRarity(texts ...*text) rarity {
	n, size := 0, 0
	for _, t := range texts {
		n += len(t.lines)
		size += len(t.terms())
	}
	r := rarity{count: make([]uint32, 1<<bits.Len(uint(size))), lines: float64(n)}
	for _, t := range texts {
		for _, w := range t.terms() {
			r.count[r.at(w)]++
		}
	}
	return r
}

func (r rarity) at(t term) uint64 { return uint64(t) & uint64(len(r.count)-1) }

// weight of a word: the rarer, the heavier. It is squared, so that records of one form (hosts, people, rows of a table) are told
// apart by what each has alone.
func (r rarity) weight(t term) float64 {
	w := math.Log(1 + r.lines/float64(max(1, r.count[r.at(t)])))
	return w * w
}

func (h *homes) index(i int32, list []term) {
	rare := h.rarity.weight
	w := &h.wanted[i]
	w.line = -reach
	w.whole = whole(list)
	h.whole[w.whole] = append(h.whole[w.whole], i)
	first := slices.Clone(list[:min(len(list), beginning)])
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) > maxTerms {
		slices.SortStableFunc(list, func(a, b term) int { return cmp.Compare(rare(b), rare(a)) })
		list = list[:maxTerms]
	}
	for bit, t := range list {
		weight := rare(t)
		w.terms = append(w.terms, t)
		w.weight = append(w.weight, weight)
		w.total += weight
		if slices.Contains(first, t) {
			w.begins |= 1 << bit
		}
		p := h.posting[t]
		if p == nil {
			p = &postings{met: int(h.rarity.count[h.rarity.at(t)])}
			h.posting[t] = p
		}
		if len(p.lines) <= maxPostings {
			p.lines = append(p.lines, posting{i, uint8(bit)})
		}
	}
}

// open reports whether a line has no home yet.
func (h *homes) open() bool { return h.left > 0 }

// visit gives a home in this text to every line that stands in it. A text without a name is the text after.
func (h *homes) visit(t *text, name string) {
	if !h.open() {
		return
	}
	for i := range t.lines {
		if !t.lines[i].says {
			continue
		}
		buf := t.termsAt(i)
		h.clock++
		if name != "" {
			h.visited++
		}
		for _, j := range h.whole[whole(buf)] {
			h.give(j, name, t, i, asItWas)
		}
		for _, w := range buf {
			p := h.posting[w]
			if p == nil {
				continue
			}
			p.stands = true
			if name != "" {
				p.met++ // in the text after it was counted before
			}
			if len(p.lines) <= maxPostings {
				h.mark(p.lines)
			}
		}
		if len(h.touched) > 0 {
			h.weigh(name, t, i, buf)
		}
	}
	h.clock += reach
	if name == "" {
		h.confirm()
	}
}

// comeBack notes which lines the file has now.
func (h *homes) comeBack(now []byte) {
	if len(now) == 0 || len(h.lines) == 0 {
		return
	}
	t := read(now)
	for i := range t.lines {
		if !t.lines[i].says {
			continue
		}
		for _, j := range h.whole[whole(t.termsAt(i))] {
			h.lines[j].back = true
		}
	}
}

// mark notes which words of which lines stand in the line visited.
func (h *homes) mark(list []posting) {
	for _, p := range list {
		w := &h.wanted[p.line]
		if ago := h.clock - w.line; ago > 0 {
			var seen [reach]uint64
			for k := 0; k+ago < reach; k++ {
				seen[k+ago] = w.seen[k]
			}
			w.seen, w.line = seen, h.clock
			h.touched = append(h.touched, p.line)
		}
		w.seen[0] |= 1 << p.bit
	}
}

// weigh gives a home to the lines of which enough words have been seen.
func (h *homes) weigh(name string, t *text, at int, visited []term) {
	own := -1.0 // weight of the line visited, once it is needed
	chance := math.Log(float64(h.clock))
	chance *= chance
	for _, j := range h.touched {
		w := &h.wanted[j]
		if w.total == 0 {
			continue
		}
		if share, ok := w.stands(chance); ok {
			h.give(j, name, t, at, share)
			continue
		}
		here := w.sum(w.seen[0])
		shortens := here >= shortenShare*w.total && (name == "" || here > chance && w.begins&^w.seen[0] == 0)
		if shortens && own < 0 {
			own = h.weight(visited)
		}
		if shortens && here >= standsShare*own {
			h.give(j, name, t, at, here/w.total)
		} else if !w.sure && !h.stood[t.lines[at].raw] {
			h.liken(j, name, t, at)
		}
	}
	h.touched = h.touched[:0]
}

// stands reports whether enough of the line's words stand in the last lines visited, and which share.
func (w *wanted) stands(chance float64) (float64, bool) {
	var all uint64
	for k, set := range w.seen {
		if set == 0 {
			continue
		}
		all |= set
		sum := w.sum(all)
		if sum > chance && sum >= (standsShare+spreadShare*float64(k))*w.total {
			return sum / w.total, true
		}
	}
	return 0, false
}

// sum adds the weights of the terms in a set.
func (w *wanted) sum(set uint64) (sum float64) {
	for ; set != 0; set &= set - 1 {
		sum += w.weight[bits.TrailingZeros64(set)]
	}
	return sum
}

// weight adds the weights of a line's terms.
func (h *homes) weight(list []term) (sum float64) {
	for _, t := range list {
		sum += h.rarity.weight(t)
	}
	return sum
}

// give notes the best home of a line. One in the text after comes first, and a source is not asked for what has a home.
func (h *homes) give(j int32, name string, t *text, at int, share float64) {
	l, w := &h.lines[j], &h.wanted[j]
	if l.home >= 0 && (l.name != name || share <= w.best) {
		return
	}
	if l.home < 0 {
		h.left--
	}
	w.best = share
	l.name, l.home, l.number, l.exact = name, at, t.lines[at].number, share == asItWas
}
