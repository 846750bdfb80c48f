package recall

import (
	"math/bits"
	"slices"
)

// unitMatch is what one unit has of a query.
type unitMatch struct {
	own     float64 // of the query's words themselves
	asking  float64 // part of own that is in questions
	has     uint64  // slots found in title, tags or body
	via     uint64  // slots found only through an alias
	heads   uint64  // slots found in the headings above
	phrases uint64
	tags    uint64  // tag sets satisfied
	near    float64 // of words that follow each other in the query and here
	pairs   uint64  // the later slot of each such pair
	banned  bool
	named   bool // its title is a name the query names
}

// fileMatch is what one file has of a query. Its units' matches and values are runs of the scan's arrays.
type fileMatch struct {
	file   *file
	first  int    // index of its first unit in scan.units
	titles uint64 // slots found in the file's title
	score  float64
}

// scan reads the streams of candidate files for one plan.
type scan struct {
	ix     *Index
	plan   *plan
	marks  []uint8 // by term id: number of the target plus one
	ranked int     // how many slots rank

	files  []fileMatch
	units  []unitMatch
	values []float32 // by unit and slot: how well the unit's own words fill the slot

	avgUnit, avgFile float64

	// of the unit being read, by target
	count, inSentence, inQuestion []float32
	touched, spoken               []int
	// of the file being read, by slot
	total []float64
	last  [maxSlots]int // where each slot was last met
	steps [][]int       // by phrase and place: where it was last reached
	pos   int           // grows over all files, so that nothing continues from one to the next
}

// aim prepares a scan for a plan. It reuses the arrays of the query before.
func (s *scan) aim(ix *Index, pl *plan) {
	s.ix, s.plan = ix, pl
	s.files, s.units, s.values = s.files[:0], s.units[:0], s.values[:0]
	s.ranked, s.steps, s.pos = 0, s.steps[:0], 0
	clear(s.last[:])
	for _, sl := range pl.slots {
		if sl.weight > 0 {
			s.ranked++
		}
	}
	for _, ph := range pl.phrases {
		s.steps = append(s.steps, make([]int, len(ph.places)))
	}
	s.count, s.inSentence, s.inQuestion = zeroed(s.count, len(pl.targets)), zeroed(s.inSentence, len(pl.targets)), zeroed(s.inQuestion, len(pl.targets))
	s.total = zeroed(s.total, len(pl.slots))
	s.avgUnit, s.avgFile = ix.averages()
	if len(s.marks) < len(ix.dict.info) {
		s.marks = make([]uint8, len(ix.dict.info)+len(ix.dict.info)/8)
	}
	for i, t := range pl.targets {
		s.marks[t.id] = uint8(i + 1)
	}
}

// done clears the marks and drops references to the query's data.
func (s *scan) done() {
	for _, t := range s.plan.targets {
		s.marks[t.id] = 0
	}
	clear(s.files)
	s.ix, s.plan = nil, nil
}

// zeroed returns a slice of n zeros, in the old memory if it is large enough.
func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

type field uint8

const (
	inFileTitle field = iota
	inHeading
	inTitle
	inTags
	inBody
)

// apart keeps words of different fields from standing beside each other.
const apart = 100

// read scans one file. This loop sees every word of every candidate, so it decodes by hand and leaves early.
func (s *scan) read(f *file) {
	fm := fileMatch{file: f, first: len(s.units)}
	clear(s.total)
	var (
		where  = inFileTitle
		pos    = s.pos + apart
		heads  uint64
		um     unitMatch
		n      = -1 // unit being read
		stream = f.stream
		marks  = s.marks
	)
	for i := 0; i < len(stream); {
		id := uint32(stream[i])
		i++
		for shift := 7; stream[i-1] >= 0x80; shift += 7 {
			id += uint32(stream[i])<<shift - 1<<shift
			i++
		}
		if id >= firstTerm {
			pos++
			if m := marks[id]; m != 0 {
				s.hit(int(m)-1, where, pos, &um, &fm.titles, &heads)
			}
			continue
		}
		switch id {
		case markSame:
			pos--
			continue
		case markSentence:
			s.endSentence(false)
			continue
		case markQuestion:
			s.endSentence(true)
			continue
		}
		pos += apart
		switch id {
		case markTags:
			where = inTags
		case markBody:
			where = inBody
		default:
			if where >= inTitle {
				s.finishUnit(&um, f.units[n], &fm)
				um = unitMatch{}
			}
			if id == markSection {
				where, heads = inHeading, 0
				break
			}
			where = inTitle
			n++
			um.heads = heads
		}
	}
	if where >= inTitle {
		s.finishUnit(&um, f.units[n], &fm)
	}
	s.pos = pos
	s.finishFile(&fm)
}

// hit counts one occurrence of a target.
func (s *scan) hit(ti int, where field, pos int, um *unitMatch, titles, heads *uint64) {
	t := &s.plan.targets[ti]
	if where == inTitle && s.names(t) {
		// A name in a title says who speaks, not what about.
		for _, k := range t.main {
			um.has |= 1 << k
		}
		um.named = true
		return
	}
	for _, k := range t.main {
		s.total[k]++
	}
	if where >= inTitle {
		s.pair(t, pos, um)
	}
	switch where {
	case inFileTitle:
		for _, k := range t.main {
			*titles |= 1 << k
		}
	case inHeading:
		for _, k := range t.main {
			*heads |= 1 << k
		}
	case inTitle:
		s.add(ti, titleCount)
	case inTags:
		um.tags |= t.need
		um.banned = um.banned || t.banned
		s.add(ti, 1)
	case inBody:
		s.add(ti, 1)
		if s.inSentence[ti] == 0 {
			s.spoken = append(s.spoken, ti)
		}
		s.inSentence[ti]++
	}
	for i := len(t.places) - 1; i >= 0; i-- {
		s.step(t.places[i], pos, um)
	}
}

// pair counts words that follow each other in the query and stand close to each other in the unit.
func (s *scan) pair(t *target, pos int, um *unitMatch) {
	for _, k := range t.main {
		s.last[k] = pos
		for j := max(k-1, 0); j <= min(k+1, len(s.plan.slots)-1); j++ {
			d, bit := pos-s.last[j], uint64(1)<<max(j, k)
			if s.last[j] == 0 || d <= 0 || d > nearby || um.pairs&bit != 0 {
				continue
			}
			um.pairs |= bit
			um.near += min(s.plan.slots[j].weight, s.plan.slots[k].weight)
		}
	}
}

func (s *scan) names(t *target) bool {
	for _, k := range t.main {
		if s.plan.slots[k].name {
			return true
		}
	}
	return false
}

func (s *scan) add(ti int, n float32) {
	if s.count[ti] == 0 {
		s.touched = append(s.touched, ti)
	}
	s.count[ti] += n
}

// step follows a phrase from place to place. The caller offers later places first, so that a repeated word does not
// overwrite the place it continues from.
func (s *scan) step(pp phrasePlace, pos int, um *unitMatch) {
	steps := s.steps[pp.phrase]
	if pp.place > 0 && steps[pp.place-1] != pos-1 {
		return
	}
	steps[pp.place] = pos
	if pp.place == len(steps)-1 {
		um.phrases |= 1 << min(pp.phrase, 63)
	}
}

func (s *scan) endSentence(question bool) {
	for _, ti := range s.spoken {
		if question {
			s.inQuestion[ti] += s.inSentence[ti]
		}
		s.inSentence[ti] = 0
	}
	s.spoken = s.spoken[:0]
}

// finishUnit turns the counts of a unit into its match.
func (s *scan) finishUnit(um *unitMatch, u unit, fm *fileMatch) {
	s.endSentence(false)
	base := len(s.values)
	s.values = slices.Grow(s.values, len(s.plan.slots))[:base+len(s.plan.slots)]
	clear(s.values[base:])
	long := float64(u.length) / s.avgUnit
	switch {
	case !fm.file.talk:
		s.fillNote(um, s.values[base:], fm.titles, noteK1*(1-noteB+noteB*long))
	case len(s.touched) > 0:
		s.fillTalk(um, s.values[base:], talkK1*(1-talkB+talkB*long))
	}
	for _, ti := range s.touched {
		s.count[ti], s.inQuestion[ti] = 0, 0
	}
	s.touched = s.touched[:0]
	s.units = append(s.units, *um)
}

// fillNote counts a word of the unit, of its headings and of its file as one word, each with its share.
func (s *scan) fillNote(um *unitMatch, values []float32, titles uint64, norm float64) {
	var counts [maxSlots]float64
	for _, ti := range s.touched {
		for _, k := range s.plan.targets[ti].main {
			um.has |= 1 << k
			counts[k] += float64(s.count[ti])
		}
	}
	for _, ti := range s.touched {
		for _, al := range s.plan.targets[ti].also {
			if um.has&(1<<al.slot) == 0 {
				um.via |= 1 << al.slot
				counts[al.slot] = max(counts[al.slot], al.gain*float64(s.count[ti]))
			}
		}
	}
	for m := um.has | um.via | um.heads | titles; m != 0; m &= m - 1 {
		k := bits.TrailingZeros64(m)
		switch bit := uint64(1) << k; {
		case um.heads&bit != 0:
			counts[k] += headingCount
		case titles&bit != 0:
			counts[k] += fileCount
		}
		values[k] = float32(saturate(counts[k], noteK1, norm))
		um.own += s.plan.slots[k].weight * float64(values[k])
	}
}

// fillTalk counts only what is said, and how much of it is asked.
func (s *scan) fillTalk(um *unitMatch, values []float32, norm float64) {
	var counts, asked [maxSlots]float64
	for _, ti := range s.touched {
		for _, k := range s.plan.targets[ti].main {
			um.has |= 1 << k
			counts[k] += float64(s.count[ti])
			asked[k] += float64(s.inQuestion[ti])
		}
	}
	for m := um.has; m != 0; m &= m - 1 {
		k := bits.TrailingZeros64(m)
		values[k] = float32(saturate(counts[k], talkK1, norm))
		v := float64(values[k])
		um.own += s.plan.slots[k].weight * v
		if asked[k] > 0 {
			um.asking += s.plan.slots[k].weight * v * asked[k] / counts[k]
		}
	}
	for _, ti := range s.touched {
		for _, al := range s.plan.targets[ti].also {
			if um.has&(1<<al.slot) != 0 {
				continue
			}
			um.via |= 1 << al.slot
			values[al.slot] = max(values[al.slot], float32(al.gain*saturate(float64(s.count[ti]), talkK1, norm)))
		}
	}
}

func (s *scan) finishFile(fm *fileMatch) {
	norm := fileK1 * (1 - fileB + fileB*float64(fm.file.length)/s.avgFile)
	for k, sl := range s.plan.slots {
		if s.total[k] > 0 && sl.weight > 0 {
			fm.score += sl.weight / sl.idf * sl.fileIDF * saturate(s.total[k], fileK1, norm)
		}
	}
	s.files = append(s.files, *fm)
}

func saturate(count, k1, norm float64) float64 {
	if count == 0 {
		return 0
	}
	return count * (k1 + 1) / (count + norm)
}
