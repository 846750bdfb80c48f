package search

import "math/bits"

// Notes are ranked by BM25F with its usual parameters: a word of the headings above a unit counts as a part of one in the unit.
const (
	noteK1, noteB = 1.2, 0.75 // of files, too
	headingCount  = 0.25

	noteTerm           = 10.0
	noteFile, talkFile = 0.875, 1.75 // the file as a whole, against the best one
	dateWeight         = 4.2         // it is from the time the query names
	phraseWeight       = 3.0
	fewWords           = 2 // the most words of a query that is a lookup rather than a question
)

// unitMatch is what one unit has of a query.
type unitMatch struct {
	own     float64 // how well its own words and its headings fill the query
	asking  float64 // the part of that in questions
	has     uint64  // slots found in label, tags or body
	via     uint64  // slots found only through what may mean them
	heads   uint64  // slots found in the headings above
	phrases uint64
	named   bool // its label is a name the query names
}

// Part is one addend of a score: the parts of a hit sum to its score.
type Part struct {
	Name  string  `json:"name"`            // what kind of reason
	Term  string  `json:"term,omitempty"`  // the query's word it is about, if any
	Field string  `json:"field,omitempty"` // where it was found: entry (its label, tags or body), context, heading or title
	Score float64 `json:"score"`
}

// sum adds up a score, and its parts if somebody asks for them.
type sum struct {
	total   float64
	explain bool
	parts   []Part
}

func (s *sum) add(name string, v float64) {
	s.total += v
	if s.explain && v != 0 {
		s.parts = append(s.parts, Part{Name: name, Score: v})
	}
}

func (s *sum) addIf(ok bool, name string, v float64) {
	if ok {
		s.add(name, v)
	}
}

func (s *sum) term(name string, sl *slot, field string, v float64) {
	s.total += v
	if s.explain && v != 0 {
		s.parts = append(s.parts, Part{Name: name, Term: sl.word, Field: field, Score: v})
	}
}

// score adds up what counts for unit i of the file that was read.
func (rd *reader) score(i int, s *sum) {
	u, um := &rd.file.units[i], &rd.units[i]
	s.add("date", dateWeight*rd.closeness(u))
	s.add("phrase", phraseWeight*float64(bits.OnesCount64(um.phrases)))
	if rd.file.talk {
		s.add("file", talkFile*rd.fileShare)
		rd.scoreTalk(i, s)
		return
	}
	s.add("file", noteFile*rd.fileShare)
	for k := range bits64(um.has | um.via | um.heads | rd.titles) {
		s.term("term", rd.slot(k), rd.fieldOf(um, k), noteTerm*rd.slot(k).weight*float64(rd.values[i*len(rd.plan.slots)+k]))
	}
}

// closeness is that of a unit's day to the dates the query names.
func (rd *reader) closeness(u *unit) float64 {
	best := 0.0
	for _, m := range rd.plan.dates {
		best = max(best, m.closeness(u.dayIn(rd.file)))
	}
	return best
}

// fieldOf says where slot k was found.
func (rd *reader) fieldOf(um *unitMatch, k int) string {
	switch bit := uint64(1) << k; {
	case (um.has|um.via)&bit != 0:
		return "entry"
	case um.heads&bit != 0:
		return "heading"
	case rd.titles&bit != 0:
		return "title"
	}
	return "context"
}

// hit reports whether unit i has all that the query requires, nothing that it excludes, and something that it asks for.
func (rd *reader) hit(i int) bool {
	u, um, pl := &rd.file.units[i], &rd.units[i], rd.plan
	own := um.has | um.via | um.heads | rd.titles
	ranked := 0
	for k := range pl.slots {
		switch has := um.has&(1<<k) != 0; pl.slots[k].need {
		case excluded:
			if has {
				return false
			}
		case required:
			if !has && (um.heads|rd.titles)&(1<<k) == 0 {
				return false
			}
		}
		if pl.slots[k].weight > 0 {
			ranked++
		}
	}
	for p, ph := range pl.phrases {
		if has := um.phrases&(1<<min(p, 63)) != 0; ph.need == required && !has || ph.need == excluded && has {
			return false
		}
	}
	if d := u.dayIn(rd.file); d < pl.after || pl.before != noDay && (d == noDay || d >= pl.before) {
		return false
	}
	switch {
	case ranked == 0:
		return true
	case ranked <= fewWords && len(pl.dates) == 0:
		return own != 0
	}
	return own|rd.around[i] != 0 || rd.closeness(u) > 0
}
