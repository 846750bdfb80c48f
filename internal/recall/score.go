package recall

import (
	"math"
	"math/bits"
)

// scorer turns a scan's matches into scores.
type scorer struct {
	*scan
	topFile  float64
	strict   bool // a hit must have words of its own
	required uint64
	excluded uint64
	tagNeed  uint64
	mustSay  uint64 // phrases
	mustNot  uint64

	context []float32 // of the file at hand, by unit and slot
	turn    []int     // of the file at hand: which unit of its title each one is
	wide    []float64
}

// fewSlots is how many words a query has that looks for them rather than asks.
const fewSlots = 2

func newScorer(s *scan) *scorer {
	sc := &scorer{scan: s}
	for _, f := range s.files {
		sc.topFile = max(sc.topFile, f.score)
	}
	for i, sl := range s.plan.slots {
		switch sl.need {
		case required:
			sc.required |= 1 << i
		case excluded:
			sc.excluded |= 1 << i
		}
	}
	for i, ph := range s.plan.phrases {
		switch ph.need {
		case required:
			sc.mustSay |= 1 << min(i, 63)
		case excluded:
			sc.mustNot |= 1 << min(i, 63)
		}
	}
	for i := range s.plan.tagSets {
		sc.tagNeed |= 1 << min(i, 63)
	}
	sc.strict = len(s.ranked) <= fewSlots && len(s.plan.dates) == 0
	return sc
}

// file calls yield for every unit of a file that may be a hit, with its features.
func (sc *scorer) file(fi int, yield func(ui int, f *features)) {
	fm := &sc.files[fi]
	n := len(fm.file.units)
	sc.spread(fm, n)
	fileDate := sc.dateScore(fm.file.day)
	for i := range n {
		u, um := &fm.file.units[i], &sc.units[fm.first+i]
		if !sc.eligible(fm, u, um) {
			continue
		}
		var f features
		for k, sl := range sc.plan.slots {
			if c := sc.contextOf(fm, i, k); c > 0 {
				f[partContext] += sl.weight * c
			}
		}
		if f[partContext] == 0 && len(sc.ranked) > 0 && !(um.tags != 0 || fileDate > 0 || u.day != noDay && len(sc.plan.dates) > 0) {
			continue
		}
		if sc.strict && len(sc.ranked) > 0 && um.has|um.via|um.heads|fm.titles == 0 {
			continue
		}
		sc.unitFeatures(&f, fm, i, u, um, fileDate)
		yield(i, &f)
	}
}

// eligible applies what the query demands or forbids.
func (sc *scorer) eligible(fm *fileMatch, u *unit, um *unitMatch) bool {
	p := sc.plan
	if um.banned || um.has&sc.excluded != 0 || um.phrases&sc.mustNot != 0 {
		return false
	}
	if sc.required&^(um.has|um.heads|fm.titles) != 0 || sc.mustSay&^um.phrases != 0 || sc.tagNeed&^um.tags != 0 {
		return false
	}
	if p.after == noDay && p.before == noDay {
		return true
	}
	d := u.date(fm.file)
	return d != noDay && (p.after == noDay || d >= p.after) && (p.before == noDay || d < p.before)
}

// date of a unit: its own or its file's.
func (u *unit) date(f *file) day {
	if u.day != noDay {
		return u.day
	}
	return f.day
}

// contextOf is how well slot k is filled in unit i of the file, read with what is around it.
func (sc *scorer) contextOf(fm *fileMatch, i, k int) float64 {
	c := float64(sc.context[i*len(sc.plan.slots)+k])
	um := &sc.units[fm.first+i]
	if um.heads&(1<<k) != 0 {
		c += headingGain
	}
	if fm.titles&(1<<k) != 0 {
		c += titleGain
	}
	return c / (c + contextHalf)
}

func (sc *scorer) unitFeatures(f *features, fm *fileMatch, i int, u *unit, um *unitMatch, fileDate float64) {
	f[partOwn], f[partAlias], f[partNear] = um.own, um.alias, um.near
	f[partWide] = sc.wide[i]
	if sc.topFile > 0 {
		f[partFile] = fm.score / sc.topFile
	}
	f[partBest] = fm.best
	f[partAsking] = um.asking
	f[partEndsQ] = flag(u.traits&endsAsking != 0)
	if i > 0 && fm.file.units[i-1].section == u.section {
		before := &fm.file.units[i-1]
		f[partAnswers] = sc.units[fm.first+i-1].asking
		f[partAsked] = flag(sc.plan.asks&before.traits&allAsks != 0)
		f[partAfterQ] = flag(before.traits&endsAsking != 0)
	}
	if um.named {
		f[partNamed] = 1
		f[partSelf] = flag(u.traits&isSelf != 0)
	}
	f[partLength] = math.Log1p(float64(u.length) / lengthScale)
	f[partProper] = math.Log1p(float64(u.proper()))
	for s, sign := range signs {
		f[partTime+partKind(s)] = flag(sc.plan.asks&sign.asks != 0 && u.traits&sign.shows != 0)
	}
	f[partDate] = fileDate
	if u.day != noDay && u.day != fm.file.day {
		f[partDate] = sc.dateScore(u.day)
	}
	f[partPhrase] = float64(bits.OnesCount64(um.phrases))
	if d := u.date(fm.file); sc.plan.today != noDay && d != noDay {
		f[partRecency] = math.Exp2(-max(float64(sc.plan.today-d), 0) / recencyHalfLife)
	}
	f[partTier] = tierPrior[fm.file.tier]
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// dateScore is the closeness of a day to the dates the query names.
func (sc *scorer) dateScore(d day) float64 {
	best := 0.0
	for _, m := range sc.plan.dates {
		best = max(best, m.closeness(d))
	}
	return best
}

// spread fills the context of a file's units: each lends its words to those around it in the same section.
func (sc *scorer) spread(fm *fileMatch, n int) {
	slots := len(sc.plan.slots)
	from := fm.first * slots
	sc.context = append(sc.context[:0], sc.values[from:from+n*slots]...)
	sc.countTurns(fm, n)
	us := fm.file.units
	for j := range n {
		values := sc.values[from+j*slots : from+(j+1)*slots]
		um := &sc.units[fm.first+j]
		for m := um.has | um.via; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			if values[k] == 0 {
				continue
			}
			for d := 1; d <= reach; d++ {
				if i := j + d; i < n && us[i].section == us[j].section {
					sc.context[i*slots+k] += values[k] * sc.lend(fm, j, i)
				}
				if i := j - d; i >= 0 && us[i].section == us[j].section {
					sc.context[i*slots+k] += values[k] * afterNote[d]
				}
			}
		}
	}
	sc.spreadWide(fm, n)
}

// lend is how much of unit j's words unit i is read with, where j comes before i.
func (sc *scorer) lend(fm *fileMatch, j, i int) float32 {
	a, b := sc.units[fm.first+j].label, sc.units[fm.first+i].label
	d := i - j
	var w float32
	switch {
	case a == 0 || b == 0:
		w = beforeNote[d]
	case a == b:
		w = beforeSame[min(sc.turn[i]-sc.turn[j], reach)]
	default:
		w = beforeOthers[d]
	}
	if d <= 2 && fm.file.units[i-1].traits&hasAsking != 0 {
		w *= 1 + askedGain
	}
	return w
}

func (sc *scorer) countTurns(fm *fileMatch, n int) {
	sc.turn = sc.turn[:0]
	seen := map[uint32]int{}
	for i := range n {
		l := sc.units[fm.first+i].label
		seen[l]++
		sc.turn = append(sc.turn, seen[l])
	}
}

// spreadWide averages the matches around each unit, fading with distance.
func (sc *scorer) spreadWide(fm *fileMatch, n int) {
	sc.wide = sc.wide[:0]
	us := fm.file.units
	run := 0.0
	for i := range n {
		um := &sc.units[fm.first+i]
		if i > 0 && us[i].section != us[i-1].section {
			run = 0
		}
		run = run*wideDecay + um.own + um.alias
		sc.wide = append(sc.wide, run/wideScale)
	}
	run = 0
	for i := n - 1; i >= 0; i-- {
		if i+1 < n && us[i].section != us[i+1].section {
			run = 0
		}
		sc.wide[i] += run / wideScale
		um := &sc.units[fm.first+i]
		run = (run + um.own + um.alias) * wideDecay
	}
}
