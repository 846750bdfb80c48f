package recall

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Part is one addend of a score: the parts of a hit sum to its score.
type Part struct {
	Name  string  `json:"name"`            // what kind of reason
	Term  string  `json:"term,omitempty"`  // the query's word it is about, if any
	Field string  `json:"field,omitempty"` // where it was found: body, tags and title of the entry count as "entry"; or context, heading, title
	Score float64 `json:"score"`
}

// hit explains a found unit.
func (sc *scorer) hit(h found) Hit {
	fm := &sc.files[h.file]
	f, u := fm.file, fm.file.units[h.unit]
	out := Hit{
		Path: f.path, Title: f.title, Tier: f.tier, Date: u.dayIn(f).time(), Headings: f.headingsOf(u.section),
		Line: int(u.line), EndLine: int(u.line) + int(u.more), Score: h.score, sum: u.sum, former: u.traits&isFormer != 0, code: u.traits&isCode != 0,
	}
	out.Why = sc.why(h)
	um := &sc.units[fm.first+h.unit]
	for m := um.has | um.via | um.heads; m != 0; m &= m - 1 {
		out.covered += sc.plan.slots[bits.TrailingZeros64(m)].weight
	}
	return out
}

// why breaks a unit's features down to terms where they are sums over terms.
func (sc *scorer) why(h found) []Part {
	fm := &sc.files[h.file]
	um := &sc.units[fm.first+h.unit]
	sc.spread(fm)
	var f features
	sc.features(&f, fm, h.unit, sc.dateScore(fm.file.day))
	var parts []Part
	slots := len(sc.plan.slots)
	for k, sl := range sc.plan.slots {
		v := float64(sc.values[(fm.first+h.unit)*slots+k])
		if v > 0 && um.has&(1<<k) != 0 {
			parts = append(parts, Part{Name: partNames[partOwn], Term: sl.word, Field: "entry", Score: weights[partOwn] * sl.weight * v})
		}
		if c := sc.contextOf(fm, h.unit, k); c > 0 && (sc.around[h.unit]|um.heads|fm.titles)&(1<<k) != 0 {
			field := "context"
			switch {
			case v > 0:
				field = "entry"
			case um.heads&(1<<k) != 0:
				field = "heading"
			case fm.titles&(1<<k) != 0:
				field = "title"
			}
			parts = append(parts, Part{Name: partNames[partContext], Term: sl.word, Field: field, Score: weights[partContext] * sl.weight * c})
		}
	}
	for kind, v := range f {
		if k := partKind(kind); k == partOwn || k == partContext {
			continue
		}
		if score := v * weights[kind]; score != 0 {
			parts = append(parts, Part{Name: partNames[kind], Score: score})
		}
	}
	slices.SortStableFunc(parts, func(a, b Part) int { return cmp.Compare(math.Abs(b.Score), math.Abs(a.Score)) })
	return parts
}

// String prints a part as "context "harbor" in heading +2.31".
func (p Part) String() string {
	s := p.Name
	if p.Term != "" {
		s += fmt.Sprintf(" %q", p.Term)
	}
	if p.Field != "" {
		s += " in " + p.Field
	}
	return fmt.Sprintf("%s %+.2f", s, p.Score)
}
