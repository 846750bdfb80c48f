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

	// of the file being scored
	context []float32 // by unit and slot
	around  []uint64  // by unit: slots with context
}

// fewSlots is the most words of a query that is a lookup rather than a question.
const fewSlots = 2

// aim prepares a scorer for a scan.
func (sc *scorer) aim(s *scan) {
	*sc = scorer{scan: s, context: sc.context, around: sc.around}
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
	sc.strict = s.ranked <= fewSlots && len(s.plan.dates) == 0
}

// file calls yield with the score of every unit of a file that may be a hit.
func (sc *scorer) file(fi int, yield func(ui int, score float64)) {
	fm := &sc.files[fi]
	sc.spread(fm)
	fileDate := sc.dateScore(fm.file.day)
	for i := range fm.file.units {
		u, um := &fm.file.units[i], &sc.units[fm.first+i]
		if !sc.eligible(fm, u, um) {
			continue
		}
		if sc.ranked > 0 {
			own := um.has | um.via | um.heads | fm.titles
			if sc.strict && own == 0 || own|sc.around[i] == 0 && sc.unitDate(fm, u, fileDate) == 0 {
				continue
			}
		}
		var f features
		sc.features(&f, fm, i, fileDate)
		yield(i, f.score())
	}
}

// eligible reports whether a unit has all that the query requires and nothing that it excludes.
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
	d := u.dayIn(fm.file)
	return d != noDay && (p.after == noDay || d >= p.after) && (p.before == noDay || d < p.before)
}

// dayIn is the day of a unit: its own or its file's.
func (u *unit) dayIn(f *file) day {
	if d := u.day(); d != noDay {
		return d
	}
	return f.day
}

// contextOf is how well slot k is filled in unit i of the file, read with what is around it.
func (sc *scorer) contextOf(fm *fileMatch, i, k int) float64 {
	c := float64(sc.context[i*len(sc.plan.slots)+k])
	um := &sc.units[fm.first+i]
	if (um.heads|fm.titles)&(1<<k) != 0 {
		c += headingGain
	}
	return c / (c + contextHalf)
}

// features works out the parts of a unit's score. If the file is a conversation, it must have been spread.
func (sc *scorer) features(f *features, fm *fileMatch, i int, fileDate float64) {
	u, um := &fm.file.units[i], &sc.units[fm.first+i]
	if sc.topFile > 0 {
		f[partFile] = fm.score / sc.topFile
	}
	f[partDate] = sc.unitDate(fm, u, fileDate)
	f[partPhrase] = float64(bits.OnesCount64(um.phrases))
	if d := u.dayIn(fm.file); sc.plan.today != noDay && d != noDay {
		f[partRecency] = math.Exp2(-max(float64(sc.plan.today-d), 0) / sc.plan.halfLife)
	}
	if fm.file.talk {
		sc.talk(f, fm, i)
		return
	}
	f[partNote] = um.own + nearCount*um.near
	f[partFile] *= noteFile
}

// talk adds the parts that count in a conversation.
func (sc *scorer) talk(f *features, fm *fileMatch, i int) {
	u, um := &fm.file.units[i], &sc.units[fm.first+i]
	for m := sc.around[i] | um.heads | fm.titles; m != 0; m &= m - 1 {
		k := bits.TrailingZeros64(m)
		f[partContext] += sc.plan.slots[k].weight * sc.contextOf(fm, i, k)
	}
	f[partTalk] = um.own
	f[partEndsQ] = flag(u.traits&endsAsking != 0)
	if i > 0 && fm.file.units[i-1].section == u.section {
		before := &fm.file.units[i-1]
		f[partAnswers] = sc.units[fm.first+i-1].asking
		f[partAsked] = flag(sc.plan.asks&before.traits&allAsks != 0)
	}
	if um.named {
		f[partNamed] = 1
		f[partSelf] = flag(u.traits&isSelf != 0)
	}
	f[partLength] = math.Log1p(min(float64(u.length)/sc.avgUnit, fullLength))
	if u.traits&isTitled != 0 {
		f[partProper] = math.Log1p(float64(min(u.proper(), fullProper)))
	}
	f[partTime] = flag(sc.plan.asks&asksTime != 0 && u.traits&isTime != 0)
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// unitDate is the closeness of a unit, given that of its file.
func (sc *scorer) unitDate(fm *fileMatch, u *unit, fileDate float64) float64 {
	if d := u.day(); d != noDay && d != fm.file.day {
		return sc.dateScore(d)
	}
	return fileDate
}

// dateScore is the closeness of a day to the dates the query names.
func (sc *scorer) dateScore(d day) float64 {
	best := 0.0
	for _, m := range sc.plan.dates {
		best = max(best, m.closeness(d))
	}
	return best
}

// spread fills the context of a conversation's units: each lends its words to those around it in the same section.
// Notes speak of many things; their context is what stands above them.
func (sc *scorer) spread(fm *fileMatch) {
	if !fm.file.talk {
		sc.around = zeroed(sc.around, len(fm.file.units))
		return
	}
	n, slots := len(fm.file.units), len(sc.plan.slots)
	from := fm.first * slots
	sc.context = append(sc.context[:0], sc.values[from:from+n*slots]...)
	sc.around = zeroed(sc.around, n)
	us := fm.file.units
	for j := range n {
		um := &sc.units[fm.first+j]
		mask := um.has | um.via
		if mask == 0 {
			continue
		}
		values := sc.values[from+j*slots : from+(j+1)*slots]
		sc.around[j] |= mask
		for i := max(j-reach, 0); i <= min(j+reach, n-1); i++ {
			if i == j || us[i].section != us[j].section {
				continue
			}
			w := after[max(j-i, 0)]
			if i > j {
				w = sc.lend(fm, j, i)
			}
			if us[i].traits&us[j].traits&isTitled == 0 {
				w *= strayShare
			}
			if w == 0 {
				continue
			}
			sc.around[i] |= mask
			for m := mask; m != 0; m &= m - 1 {
				k := bits.TrailingZeros64(m)
				sc.context[i*slots+k] += values[k] * w
			}
		}
	}
}

// lend is how much of unit j's words unit i is read with, where j comes before i.
func (sc *scorer) lend(fm *fileMatch, j, i int) float32 {
	w := before[i-j]
	if i-j <= 2 && fm.file.units[i-1].traits&endsAsking != 0 {
		w *= 1 + askedGain
	}
	return w
}
