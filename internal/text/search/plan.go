package search

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	maxSlots = 64  // terms of one query; unit masks are 64 bits wide
	maxUses  = 250 // terms a query looks for in streams, synonyms and completions included
	maxIDs   = 64  // terms that one prefix or tag stands for
)

// Shares of a query's weight.
const (
	weakShare   = 0.5  // words that frame a question
	gramShare   = 0.5  // pairs of characters: each character is in two of them
	nameShare   = 0.35 // names that label units: the label already tells
	dateShare   = 0.15 // words of a date: the date itself counts
	formShare   = 0.5  // another form of a word: the one that was written tells more
	synonymGain = 0.4  // of a word that may mean the same
	minCompound = 5    // characters of a word that compounds may begin with
	unknownIn   = 3    // units that a word known only through others is taken to be in
)

// slot is one term of the query.
type slot struct {
	key, word string
	need      need
	weight    float64 // share of the query; the shares sum to 1
	idf       float64 // over units
	fileIDF   float64
	name      bool     // it labels units more than it is written in them: a speaker, a kind of entry
	inflected bool     // other forms of the word count less
	filter    bool     // a tag: it selects and does not rank
	ids       []uint32 // the terms that are this word, one for each language in the index
	also      []uint32 // terms that may mean it
}

// phrase is a run of places, each with the ids that fit it.
type phrase struct {
	need   need
	firm   bool // marked + by hand
	places [][]uint32
}

// use is what finding a term counts for.
type use struct {
	slots  []slotAt
	also   []int
	places []phraseAt
}

// slotAt is a slot and the form in which its word stands in the query.
type slotAt struct {
	slot   int
	form   uint8
	strict bool // other forms count less
}

type phraseAt struct{ phrase, at int }

// plan is a query compiled for one state of the index.
type plan struct {
	parsed
	lang    lang
	slots   []slot
	phrases []phrase
	dates   []mention
	asks    trait
	missing []string // words that no file has
	unknown float64  // how many words those are, by weight
	known   float64  // see Answer
	common  []string // words that say nothing about a topic
	uses    []use
	useOf   map[uint32]int
	paths   []func(string) bool // a file has all of them
	noPaths []func(string) bool
	look    map[string]float64 // terms to show in snippets, and what each is worth
}

// compile turns a parsed query into a plan. The caller holds a read lock.
func (ix *Index) compile(p parsed, a *analyzer, now time.Time) *plan {
	pl := &plan{parsed: p, useOf: map[uint32]int{}, look: map[string]float64{}}
	for _, g := range p.globs {
		pl.paths = append(pl.paths, pathMatcher(g))
	}
	for _, g := range p.noGlobs {
		pl.noPaths = append(pl.noPaths, pathMatcher(g))
	}
	var all []string
	// A quoted phrase among ordinary words is often just how a title is written, so there it only ranks.
	strict := true
	for _, c := range p.clauses {
		all = append(all, c.text)
		strict = strict && (c.kind != plainClause || c.need != wanted)
	}
	pl.lang = ix.words.tell(strings.Join(all, " "), ix.langs)
	for _, c := range p.clauses {
		switch c.kind {
		case prefixClause:
			pl.add(slot{key: c.text + "*", word: c.text + "*", need: c.need, weight: 1, ids: ix.prefixed(c.text)})
		case phraseClause:
			ph := phrase{need: c.need, firm: c.need == required, places: ix.phrase(a, pl.lang, c.text)}
			if strict && c.need == wanted {
				ph.need = required
			}
			pl.phrases = append(pl.phrases, ph)
			if c.need != excluded {
				ix.addWords(pl, a, clause{text: c.text}, now)
			}
		default:
			ix.addWords(pl, a, c, now)
		}
	}
	for _, t := range p.tags {
		pl.add(slot{key: "#" + t, need: required, filter: true, ids: ix.tagIDs(t)})
	}
	for _, t := range p.noTags {
		pl.add(slot{key: "#" + t, need: excluded, filter: true, ids: ix.tagIDs(t)})
	}
	pl.weigh(ix)
	pl.invert(ix)
	return pl
}

// addWords analyses running words into slots.
func (ix *Index) addWords(pl *plan, a *analyzer, c clause, now time.Time) {
	dates, dated := findMentions(c.text, now)
	pl.dates = append(pl.dates, dates...)
	grammar := ix.words.grammar().FindAllStringIndex(c.text, -1)
	var tokens []token
	pairs := map[int]bool{} // places of pairs of characters that some file has
	a.each(pl.lang, c.text, func(t token) {
		tokens = append(tokens, t)
		if t.kind == kindGram {
			pairs[t.pos] = ix.dict.id(t.term) != 0
		}
	})
	covered := func(t token, by tokenKind) bool {
		return slices.ContainsFunc(tokens, func(o token) bool {
			return o.kind == by && o.start <= t.start && t.end <= o.end && (by != kindWhole || ix.dict.id(o.term) != 0)
		})
	}
	asks := traitReader{words: ix.words}
	for _, t := range tokens {
		s := slot{key: t.term, word: c.text[t.start:t.end], need: c.need, weight: 1, ids: ix.idsOf(c.text, t), inflected: t.kind == kindWord}
		switch {
		case t.kind == kindWhole && len(s.ids) == 0:
			continue // its parts are searched instead
		case t.kind == kindChar && covered(t, kindGram):
			continue
		case t.kind == kindGram && len(s.ids) == 0 && c.need == wanted && (pairs[t.pos-1] || pairs[t.pos+1]):
			continue // it joins two words
		case t.kind != kindWhole && covered(t, kindWhole):
			if c.need == excluded {
				continue
			}
			s.need = wanted
		}
		var traits trait
		if t.known != nil {
			traits = t.known.traits
			asks.read(t.term, traits)
		}
		s.weight = share(t, s.word, traits, grammar)
		if s.weight == 0 {
			pl.common = append(pl.common, s.word)
		}
		if slices.ContainsFunc(dated, func(d span) bool { return d.start <= t.start && t.start < d.end }) {
			s.weight *= dateShare
		}
		if s.need == wanted && s.weight > 0 {
			s.also = ix.synonyms(s)
		}
		pl.add(s)
	}
	pl.asks |= asks.asks
}

// share is what a word counts before it is known how rare it is; zero for a word of grammar.
func share(t token, word string, traits trait, grammar [][]int) float64 {
	hiragana := func() bool {
		return strings.IndexFunc(word, func(r rune) bool { return !unicode.Is(unicode.Hiragana, r) }) < 0
	}
	switch {
	case t.kind == kindGram && slices.ContainsFunc(grammar, func(w []int) bool { return w[0] <= t.start && t.end <= w[1] }):
		return 0
	// Hiragana writes grammar more than topics, and a pair that begins or ends in a word of grammar is no word.
	case t.kind == kindGram && (hiragana() || slices.ContainsFunc(grammar, func(w []int) bool { return t.start < w[1] && w[0] < t.end })):
		return gramShare * weakShare
	case t.kind == kindGram:
		return gramShare
	case traits&isStop != 0:
		return 0
	case traits&isWeak != 0:
		return weakShare
	}
	return 1
}

// idsOf finds the terms of a token: a word has one for each language of the index.
func (ix *Index) idsOf(text string, t token) []uint32 {
	var ids []uint32
	add := func(term string) {
		if id := ix.dict.id(term); id != 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	add(t.term)
	word := strings.ReplaceAll(text[t.start:t.end], "-", "")
	if t.kind == kindWord || t.kind == kindWhole && stemmable(word) {
		for l, files := range ix.langs {
			if files > 0 {
				add(ix.words.term(lang(l), word))
			}
		}
	}
	return ids
}

// synonyms finds the terms that may mean what a slot means; of a word that no file has, the compounds that begin with it.
func (ix *Index) synonyms(s slot) []uint32 {
	var out []uint32
	for _, term := range ix.words.synonyms()[ix.words.term(inEnglish, s.word)] {
		if id := ix.dict.id(term); id != 0 && !slices.Contains(s.ids, id) {
			out = append(out, id)
		}
	}
	if len(s.ids)+len(out) == 0 && utf8.RuneCountInString(s.word) >= minCompound {
		out = ix.prefixed(s.key)
	}
	return out
}

// prefixed finds the terms that begin with a text; the commonest when there are many.
func (ix *Index) prefixed(text string) []uint32 {
	ids := ix.dict.withPrefix(fold(text))
	slices.SortStableFunc(ids, func(a, b uint32) int { return len(ix.dict.info[b].files) - len(ix.dict.info[a].files) })
	return ids[:min(len(ids), maxIDs)]
}

func (ix *Index) phrase(a *analyzer, l lang, text string) [][]uint32 {
	places := make([][]uint32, a.each(l, text, func(token) {}))
	a.each(l, text, func(t token) {
		if t.pos < len(places) {
			places[t.pos] = append(places[t.pos], ix.idsOf(text, t)...)
		}
	})
	return places
}

// tagIDs finds the terms of a tag, of tags below it (tag:a finds a/b), or of all that begin like it (tag:a*).
func (ix *Index) tagIDs(tag string) []uint32 {
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
	return ids[:min(len(ids), maxIDs)]
}

// add puts a slot into the plan; a term asked for twice is one slot, the stricter need wins.
func (pl *plan) add(s slot) {
	for i := range pl.slots {
		if o := &pl.slots[i]; o.key == s.key && (o.need == excluded) == (s.need == excluded) {
			o.weight, o.need = max(o.weight, s.weight), max(o.need, s.need)
			return
		}
	}
	if len(s.ids) == 0 && len(s.also) == 0 && !s.filter {
		if (s.weight > 0 || s.need == required) && !slices.Contains(pl.missing, s.word) {
			pl.missing = append(pl.missing, s.word)
		}
		if s.need != required {
			pl.unknown += s.weight
			return
		}
	}
	if len(pl.slots) < maxSlots {
		pl.slots = append(pl.slots, s)
	} else if note := fmt.Sprintf("the query is long; searched for its first %d words", maxSlots); !slices.Contains(pl.notes, note) {
		pl.notes = append(pl.notes, note)
	}
}

// weigh compares the slots with each other.
func (pl *plan) weigh(ix *Index) {
	content := slices.ContainsFunc(pl.slots, func(s slot) bool { return s.need != excluded && s.weight > 0 })
	sum := 0.0
	for i := range pl.slots {
		s := &pl.slots[i]
		switch {
		case s.need == excluded || s.filter:
			s.weight = 0
			continue
		case !content && s.need == required:
			s.weight = 1 // common words that are asked for explicitly
		}
		units, files := 0, 0
		for _, id := range s.ids {
			info := &ix.dict.info[id]
			units, files = max(units, int(info.units)), max(files, len(info.files))
			s.name = s.name || info.isName()
		}
		if len(s.ids) == 0 {
			units, files = unknownIn, 1
		}
		s.idf, s.fileIDF = idf(ix.stats.units, units), idf(ix.stats.files, files)
		if s.name {
			s.weight *= nameShare
		}
		s.weight *= s.idf
		sum += s.weight
	}
	if pl.known = 1; sum > 0 {
		pl.known = sum / (sum + pl.unknown*idf(ix.stats.units, unknownIn))
	}
	for i := range pl.slots {
		if sum > 0 {
			pl.slots[i].weight /= sum
		}
	}
	pl.slots = slices.DeleteFunc(pl.slots, func(s slot) bool { return s.need == wanted && s.weight == 0 })
}

// manyTurns is how many entries begin with the name of somebody who speaks.
const manyTurns = 20

// isName reports whether a term labels many units and is rare in others: a speaker. A term that labels few is a topic.
func (t *termInfo) isName() bool { return t.titles >= manyTurns && 2*t.titles >= t.units }

func idf(n, with int) float64 {
	return math.Log(1 + max(float64(n-with)+0.5, 0.5)/(float64(with)+0.5))
}

// invert notes for each term what it counts for.
func (pl *plan) invert(ix *Index) {
	get := func(id uint32, worth float64) *use {
		i, ok := pl.useOf[id]
		if !ok {
			if len(pl.uses) >= maxUses {
				return &use{}
			}
			i = len(pl.uses)
			pl.useOf[id] = i
			pl.uses = append(pl.uses, use{})
		}
		if worth > 0 {
			text := ix.dict.info[id].text
			pl.look[text] = max(pl.look[text], worth)
		}
		return &pl.uses[i]
	}
	for i, s := range pl.slots {
		for _, id := range s.ids {
			u := get(id, s.weight)
			u.slots = append(u.slots, slotAt{i, formOf(s.word, ix.dict.info[id].text), s.inflected})
		}
	}
	for i, ph := range pl.phrases {
		worth := 0.01
		if ph.need == excluded {
			worth = 0
		}
		for j, ids := range ph.places {
			for _, id := range ids {
				u := get(id, worth)
				u.places = append(u.places, phraseAt{i, j})
			}
		}
	}
	for i, s := range pl.slots {
		for _, id := range s.also {
			u := get(id, synonymGain*s.weight)
			u.also = append(u.also, i)
		}
	}
}

// relax lets quoted phrases without a + only rank, and reports whether there were any.
func (pl *plan) relax() bool {
	changed := false
	for i := range pl.phrases {
		if ph := &pl.phrases[i]; ph.need == required && !ph.firm {
			ph.need, changed = wanted, true
		}
	}
	return changed
}
