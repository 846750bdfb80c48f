package recall

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	maxSlots   = 64  // terms of one query; unit masks are 64 bits wide
	maxTargets = 250 // terms a query looks at in streams, synonyms and completions included
)

// slot is one term of the query, with its aliases.
type slot struct {
	term, word string
	need       need
	weight     float64 // share of the query; the shares sum to 1
	idf        float64 // over units
	fileIDF    float64
	proper     bool     // written as a name
	name       bool     // it titles units more than it is written in them: a speaker, a kind of entry
	main       []uint32 // ids that are this term
	also       []alias  // ids that may mean it
}

// alias is a term that matches in place of another, at a lower gain.
type alias struct {
	id   uint32
	gain float64
}

// phrase is a run of places, each with the ids that fit it.
type phrase struct {
	text   string
	need   need
	firm   bool // marked + by hand
	places [][]uint32
}

// plan is a query compiled for one state of the index.
type plan struct {
	parsed
	slots    []slot
	phrases  []phrase
	tagSets  [][]uint32 // of each set one id must be there
	tagBans  []uint32
	dates    []mention
	asks     trait
	today    day      // noDay: no recency
	halfLife float64  // in days
	missing  []string // words that no file has
	common   []string // words that say nothing about a topic
	targets  []target
	look     map[string]float64 // terms to show in snippets, and what each is worth
}

// target is an id the query looks for, and what it counts for.
type target struct {
	id     uint32
	main   []int // slots
	also   []slotGain
	places []phrasePlace
	need   uint64 // bits of the tag sets it satisfies
	banned bool
}

type slotGain struct {
	slot int
	gain float64
}

type phrasePlace struct{ phrase, place int }

// compile turns a parsed query into a plan. The caller holds a read lock.
func (ix *Index) compile(p parsed, a *analyzer, now time.Time) *plan {
	pl := &plan{parsed: p, today: noDay}
	// A quoted phrase among ordinary words is often just how a title is written, so there it only ranks.
	strict := !slices.ContainsFunc(p.clauses, func(c clause) bool { return c.kind == plainClause && c.need == wanted })
	for _, c := range p.clauses {
		switch c.kind {
		case prefixClause:
			pl.add(ix.prefixSlot(c))
		case phraseClause:
			c.firm = c.need == required
			if strict && c.need == wanted {
				c.need = required
			}
			pl.phrases = append(pl.phrases, ix.phrase(a, c))
			if c.need != excluded {
				ix.addWords(pl, a, clause{text: c.text}, now)
			}
		default:
			ix.addWords(pl, a, c, now)
		}
	}
	for _, t := range p.tags {
		pl.tagSets = append(pl.tagSets, ix.tagIDs(t))
	}
	for _, t := range p.noTags {
		pl.tagBans = append(pl.tagBans, ix.tagIDs(t)...)
	}
	pl.settle(ix)
	pl.aim()
	pl.look = map[string]float64{}
	for _, t := range pl.targets {
		if w := pl.worth(t); w > 0 {
			pl.look[ix.dict.info[t.id].text] = w
		}
	}
	return pl
}

// addWords analyses running words into slots.
func (ix *Index) addWords(pl *plan, a *analyzer, c clause, now time.Time) {
	dates, dated := findMentions(c.text, now)
	pl.dates = append(pl.dates, dates...)
	var tokens []token
	a.each(c.text, func(t token) { tokens = append(tokens, t) })
	covered := func(t token, by tokenKind) bool {
		return slices.ContainsFunc(tokens, func(o token) bool {
			return o.kind == by && o.start <= t.start && t.end <= o.end && (by != kindWhole || ix.dict.id(o.term) != 0)
		})
	}
	reader := traitReader{lex: ix.lang.lex}
	defer func() { pl.asks |= reader.asks }()
	for _, t := range tokens {
		if len(pl.slots) == maxSlots {
			return
		}
		s := slot{term: t.term, word: c.text[t.start:t.end], need: c.need}
		traits := ix.lang.traits(t.term)
		s.weight = 1
		switch {
		case t.kind == kindWhole:
			if ix.dict.id(t.term) == 0 {
				continue // its parts are searched instead
			}
		case t.kind == kindChar && covered(t, kindGram):
			continue
		case covered(t, kindWhole):
			if c.need == excluded {
				continue
			}
			s.need = wanted
		}
		if t.kind == kindWord {
			reader.read(t.term, traits)
		}
		switch {
		case properName(c.text, t):
			s.proper = true
		case traits&isStop != 0:
			s.weight = 0
			pl.common = append(pl.common, s.word)
		case traits&isWeak != 0:
			s.weight *= weakShare
		}
		if t.kind == kindGram {
			s.weight *= gramShare
		}
		if slices.ContainsFunc(dated, func(d span) bool { return d.start <= t.start && t.end <= d.end }) {
			s.weight *= dateShare
		}
		ix.fill(&s)
		pl.add(s)
	}
}

// properName reports whether a word of a question is written as a name: with a capital, and not because a sentence
// begins with it. A name says what the question is about, and may be a common word otherwise ("Which Go version?").
func properName(text string, t token) bool {
	r, _ := utf8.DecodeRuneInString(text[t.start:])
	if t.kind != kindWord || !unicode.IsUpper(r) {
		return false
	}
	before := strings.TrimRight(text[:t.start], " \t\n\"'(")
	return before != "" && !strings.ContainsRune(".?!:;", rune(before[len(before)-1]))
}

// fill finds the ids of a slot's term and of its aliases.
func (ix *Index) fill(s *slot) {
	if id := ix.dict.id(s.term); id != 0 {
		s.main = []uint32{id}
	}
	if s.need != wanted {
		return
	}
	for _, t := range ix.lang.lex.synonyms()[s.term] {
		s.addAlias(ix.dict.id(t), synonymGain)
	}
	if len(s.main) == 0 && len(s.also) == 0 {
		for _, id := range ix.dict.similar(s.term) {
			s.addAlias(id, typoGain)
		}
	}
}

// addAlias adds an id that may mean the slot's term.
func (s *slot) addAlias(id uint32, gain float64) {
	if id == 0 || slices.Contains(s.main, id) || slices.ContainsFunc(s.also, func(a alias) bool { return a.id == id }) {
		return
	}
	s.also = append(s.also, alias{id, gain})
}

// prefixSlot collects the terms that begin with the clause's text; the commonest when there are many.
func (ix *Index) prefixSlot(c clause) slot {
	s := slot{term: fold(c.text), word: c.text + "*", need: c.need, weight: 1}
	const most = 64
	s.main = ix.dict.withPrefix(s.term)
	if id := ix.dict.id(ix.lang.term(c.text)); id != 0 && !slices.Contains(s.main, id) {
		s.main = append(s.main, id)
	}
	slices.SortStableFunc(s.main, func(a, b uint32) int {
		return int(ix.dict.info[b].files) - int(ix.dict.info[a].files)
	})
	s.main = s.main[:min(len(s.main), most)]
	return s
}

func (ix *Index) phrase(a *analyzer, c clause) phrase {
	ph := phrase{text: c.text, need: c.need, firm: c.firm}
	n := a.each(c.text, func(token) {})
	ph.places = make([][]uint32, n)
	a.each(c.text, func(t token) {
		if id := ix.dict.id(t.term); id != 0 && t.pos < n {
			ph.places[t.pos] = append(ph.places[t.pos], id)
		}
	})
	return ph
}

// tagIDs finds the terms of a tag, of tags below it (tag:a finds a/b), or of all that begin like it (tag:a*).
func (ix *Index) tagIDs(tag string) []uint32 {
	const most = maxTargets / 2
	term := tagTerm(tag)
	var ids []uint32
	if isPrefix(tag) {
		ids = ix.dict.withPrefix(term[:len(term)-1])
	} else {
		if id := ix.dict.id(term); id != 0 {
			ids = append(ids, id)
		}
		ids = append(ids, ix.dict.withPrefix(term+"/")...)
	}
	return ids[:min(len(ids), most)]
}

// add puts a slot into the plan; a term asked for twice is one slot, the stricter need wins.
func (pl *plan) add(s slot) {
	for i := range pl.slots {
		if o := &pl.slots[i]; o.term == s.term && (o.need == excluded) == (s.need == excluded) {
			o.weight, o.need = max(o.weight, s.weight), max(o.need, s.need)
			return
		}
	}
	if len(s.main) == 0 && len(s.also) == 0 {
		if (s.weight > 0 || s.need == required) && !slices.Contains(pl.missing, s.word) {
			pl.missing = append(pl.missing, s.word)
		}
		if s.need != required {
			return
		}
	}
	if len(pl.slots) < maxSlots {
		pl.slots = append(pl.slots, s)
	}
}

// settle weighs the slots against each other.
func (pl *plan) settle(ix *Index) {
	content := slices.ContainsFunc(pl.slots, func(s slot) bool { return s.need != excluded && s.weight > 0 })
	sum := 0.0
	for i := range pl.slots {
		s := &pl.slots[i]
		if s.need == excluded {
			s.weight = 0
			continue
		}
		if !content && s.need == required {
			s.weight = 1 // common words that are asked for explicitly
		}
		units, files := 0, 0
		for _, id := range s.main {
			info := &ix.dict.info[id]
			units, files = max(units, int(info.units)), max(files, int(info.files))
			s.name = s.name || ix.isName(info)
		}
		if len(s.main) == 0 {
			units, files = unknownUnits, 1
		}
		s.idf, s.fileIDF = ix.idf(float64(units)), ix.fileIDF(float64(files))
		switch {
		case s.name:
			s.weight *= nameShare
		case s.proper:
			s.weight *= properGain
		}
		s.weight *= s.idf
		sum += s.weight
	}
	for i := range pl.slots {
		if sum > 0 {
			pl.slots[i].weight /= sum
		}
	}
	pl.slots = slices.DeleteFunc(pl.slots, func(s slot) bool { return s.need == wanted && s.weight == 0 })
}

// aim inverts the plan: from ids to what they count for.
func (pl *plan) aim() {
	at := map[uint32]int{}
	get := func(id uint32) *target {
		i, ok := at[id]
		if !ok {
			if len(pl.targets) >= maxTargets {
				return &target{}
			}
			i = len(pl.targets)
			at[id] = i
			pl.targets = append(pl.targets, target{id: id})
		}
		return &pl.targets[i]
	}
	for i, s := range pl.slots {
		for _, id := range s.main {
			t := get(id)
			t.main = append(t.main, i)
		}
	}
	for i, ph := range pl.phrases {
		for j, ids := range ph.places {
			for _, id := range ids {
				t := get(id)
				t.places = append(t.places, phrasePlace{i, j})
			}
		}
	}
	for i, ids := range pl.tagSets {
		for _, id := range ids {
			get(id).need |= 1 << min(i, 63)
		}
	}
	for _, id := range pl.tagBans {
		get(id).banned = true
	}
	for i, s := range pl.slots {
		for _, al := range s.also {
			t := get(al.id)
			t.also = append(t.also, slotGain{i, al.gain})
		}
	}
}

// worth is how much a target adds to a hit.
func (pl *plan) worth(t target) float64 {
	w := 0.0
	for _, k := range t.main {
		w = max(w, pl.slots[k].weight)
	}
	for _, a := range t.also {
		w = max(w, a.gain*pl.slots[a.slot].weight)
	}
	for _, pp := range t.places {
		if pl.phrases[pp.phrase].need != excluded {
			w = max(w, 0.01)
		}
	}
	return w
}

// manyTurns is how many entries begin with the name of somebody who speaks.
const manyTurns = 20

// isName reports whether a term titles many units and is rare in others: a speaker. A term that titles few units is a
// topic.
func (ix *Index) isName(t *termInfo) bool { return t.titles >= manyTurns && 2*t.titles >= t.units }

func (ix *Index) idf(units float64) float64 { return idf(float64(ix.stats.units), units) }

func (ix *Index) fileIDF(files float64) float64 { return idf(float64(ix.stats.files), files) }

func idf(n, df float64) float64 { return math.Log(1 + max(n-df+0.5, 0.5)/(df+0.5)) }
