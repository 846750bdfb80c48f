package recall

import (
	"cmp"
	"fmt"
	"math"
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
		Line: int(u.line), EndLine: int(u.line) + int(u.more), Score: h.score, sum: u.sum, plain: !f.talk && u.traits&isCode == 0,
	}
	out.Why = sc.why(h)
	um := &sc.units[fm.first+h.unit]
	out.has, out.own = um.has, um.own
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
		v, kind := float64(sc.values[(fm.first+h.unit)*slots+k]), partNote
		field := "entry"
		switch bit := uint64(1) << k; {
		case (um.has|um.via)&bit != 0:
		case um.heads&bit != 0:
			field = "heading"
		case fm.titles&bit != 0:
			field = "title"
		default:
			field = "context"
		}
		if fm.file.talk {
			kind = partTalk
			if c := sc.contextOf(fm, h.unit, k); c > 0 && (sc.around[h.unit]|um.heads|fm.titles)&(1<<k) != 0 {
				parts = append(parts, Part{Name: partNames[partContext], Term: sl.word, Field: field, Score: weights[partContext] * sl.weight * c})
			}
			if um.has&(1<<k) == 0 {
				continue
			}
		}
		if v > 0 {
			parts = append(parts, Part{Name: partNames[kind], Term: sl.word, Field: field, Score: weights[kind] * sl.weight * v})
		}
	}
	if !fm.file.talk && um.near > 0 {
		parts = append(parts, Part{Name: "near each other", Score: weights[partNote] * nearCount * um.near})
	}
	for kind, v := range f {
		if k := partKind(kind); k == partNote || k == partTalk || k == partContext {
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
