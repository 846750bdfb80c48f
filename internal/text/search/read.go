package search

import "slices"

// reader reads the streams of candidate files for one plan, one file at a time.
type reader struct {
	plan             *plan
	scores, hints    []float32 // by slot of the index, to choose the files
	marks            []uint8   // by term id: number of its use plus one
	avgUnit, topFile float64

	file      *file
	fileShare float64 // how well the file fits the query, against the best one
	titles    uint64  // slots found in the file's title
	units     []unitMatch
	values    []float32 // by unit and slot: how well the unit's own words fill the slot
	context   []float32 // likewise, with what is around it
	around    []uint64  // by unit: slots with context

	// of the unit being read, by slot
	counts, also, asked, sentence [maxSlots]float32
	phrases                       uint64
	named                         uint64 // names that label it
	touched                       bool
	steps                         [][]int // by phrase and place: where it was last reached
}

// aim prepares a reader for a plan. It reuses the arrays of the query before.
func (rd *reader) aim(ix *Index, pl *plan, from []candidate) {
	rd.plan, rd.avgUnit, rd.topFile, rd.steps = pl, ix.avgUnit(), 0, rd.steps[:0]
	rd.marks = zeroed(rd.marks, len(ix.dict.info))
	for id, i := range pl.useOf {
		rd.marks[id] = uint8(i + 1)
	}
	for _, c := range from {
		rd.topFile = max(rd.topFile, float64(c.score))
	}
	for _, ph := range pl.phrases {
		rd.steps = append(rd.steps, make([]int, len(ph.places)))
	}
}

func (rd *reader) slot(k int) *slot { return &rd.plan.slots[k] }

type field uint8

const (
	inFileTitle field = iota
	inHeading
	inLabel
	inTags
	inBody
)

// apart keeps words of different fields from standing beside each other.
const apart = 100

// read reads one file.
func (rd *reader) read(f *file, score float32) {
	rd.file, rd.fileShare, rd.titles = f, 0, 0
	rd.phrases, rd.named = 0, 0 // a phrase in the last heading of the file before belongs to no entry
	if rd.topFile > 0 {
		rd.fileShare = float64(score) / rd.topFile
	}
	rd.units, rd.values = rd.units[:0], rd.values[:0]
	for _, s := range rd.steps {
		clear(s)
	}
	where, pos, heads := inFileTitle, apart, uint64(0)
	f.walk(func(id uint32, form uint8) {
		if id >= firstTerm {
			pos++
			if m := rd.marks[id]; m != 0 {
				rd.meet(&rd.plan.uses[m-1], form, where, pos, &heads)
			}
			return
		}
		switch id {
		case markSame:
			pos--
			return
		case markSentence, markQuestion:
			rd.endSentence(id == markQuestion)
			return
		}
		pos += apart
		if where >= inLabel && (id == markUnit || id == markSection) {
			rd.finishUnit(heads)
		}
		switch id {
		case markSection:
			where, heads = inHeading, 0
		case markUnit:
			where = inLabel
		case markTags:
			where = inTags
		case markBody:
			where = inBody
		}
	})
	if where >= inLabel {
		rd.finishUnit(heads)
	}
	rd.spread()
}

// meet counts one occurrence of a term.
func (rd *reader) meet(u *use, form uint8, where field, pos int, heads *uint64) {
	for _, at := range u.slots {
		k, count := at.slot, float32(1)
		if at.strict && at.form != form && !rd.file.talk { // "What did she repair?" is answered by "I repaired"
			count = formShare
		}
		switch {
		case where == inFileTitle:
			rd.titles |= 1 << k
		case where == inHeading:
			*heads |= 1 << k
		case where == inLabel && rd.slot(k).name:
			rd.named |= 1 << k // it says who speaks, not what about
		default:
			rd.counts[k] += count
			if where == inBody {
				rd.sentence[k] += count
			}
		}
	}
	rd.touched = rd.touched || where >= inLabel
	if where >= inLabel {
		for _, k := range u.also {
			rd.also[k]++
		}
	}
	// Later places first, so that a repeated word does not overwrite the place it continues from.
	for _, pp := range slices.Backward(u.places) {
		steps := rd.steps[pp.phrase]
		if pp.at > 0 && steps[pp.at-1] != pos-1 {
			continue
		}
		if steps[pp.at] = pos; pp.at == len(steps)-1 {
			rd.phrases |= 1 << min(pp.phrase, 63)
		}
	}
}

func (rd *reader) endSentence(question bool) {
	if !rd.touched {
		return
	}
	n := len(rd.plan.slots)
	for k := range n {
		if question {
			rd.asked[k] += rd.sentence[k]
		}
	}
	clear(rd.sentence[:n])
}

// finishUnit turns the counts of a unit into its match.
func (rd *reader) finishUnit(heads uint64) {
	n := len(rd.plan.slots)
	um := unitMatch{heads: heads, has: rd.named, named: rd.named != 0, phrases: rd.phrases}
	base := len(rd.values)
	rd.values = append(rd.values, make([]float32, n)...)
	values := rd.values[base:]
	long := float64(rd.file.units[len(rd.units)].length) / rd.avgUnit
	for k := range n {
		if rd.touched || (heads|rd.titles)&(1<<k) != 0 {
			values[k] = rd.fill(k, &um, long)
		}
	}
	rd.units = append(rd.units, um)
	rd.phrases, rd.named = 0, 0
	if rd.touched {
		rd.touched = false
		clear(rd.counts[:n])
		clear(rd.also[:n])
		clear(rd.asked[:n])
		clear(rd.sentence[:n])
	}
}

// fill is how well a unit fills slot k. In a conversation only what is said counts, and how much of it is asked.
func (rd *reader) fill(k int, um *unitMatch, long float64) float32 {
	bit, count, gain := uint64(1)<<k, float64(rd.counts[k]), 1.0
	if count > 0 {
		um.has |= bit
	} else if rd.also[k] > 0 {
		um.via |= bit
		count, gain = float64(rd.also[k]), synonymGain
	}
	if rd.file.talk {
		v := 0.0
		if count > 0 {
			v = gain * saturate(count, talkK1, talkK1*(1-talkB+talkB*long))
		}
		if um.has&bit != 0 {
			um.own += rd.slot(k).weight * v
			if rd.asked[k] > 0 {
				um.asking += rd.slot(k).weight * v * float64(rd.asked[k]) / count
			}
		}
		return float32(v)
	}
	if um.heads&bit != 0 {
		count, gain = gain*count+headingCount, 1
	}
	if count == 0 {
		return 0
	}
	v := gain * saturate(count, noteK1, noteK1*(1-noteB+noteB*long))
	um.own += rd.slot(k).weight * v
	return float32(v)
}

func saturate(count, k1, norm float64) float64 { return count * (k1 + 1) / (count + norm) }

// zeroed returns a slice of n zeros, in the old memory if it is large enough.
func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
