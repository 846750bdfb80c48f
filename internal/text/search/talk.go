package search

import (
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// In a conversation a unit is read together with its neighbours, because an answer rarely repeats the words of the question.
// The numbers were fitted on conversations, by the likelihood of the entries with the answer, and checked on others.

// How much of a neighbour's words is read with what a speaker says, by distance.
const reach = 4

var (
	before = [reach + 1]float32{0, 0.28, 0.3, 0.15, 0.15}
	after  = [reach + 1]float32{0, 0.38, 0.17, 0.07, 0}
)

const (
	talkK1, talkB = 0.65, 0.4
	askedGain     = 1.5  // more of the unit before if it is a question: answers follow
	contextHalf   = 0.35 // context at which a term counts half
	headingGain   = 0.8  // of a word in the headings above or the file's title

	talkTerm, talkContext   = 1.5, 8.6
	answersWeight           = 2.35 // the unit before asks for the query's words
	sameQuestionWeight      = 1.9  // the unit before asks the same kind of question
	isQuestionWeight        = -0.65
	namedWeight, selfWeight = 0.7, 0.55 // the query names who speaks, and they speak of themselves
	lengthWeight, mostLong  = 0.8, 3.0  // length counts up to so many times the average
	properWeight, mostNames = 0.45, 5
	hasTimeWeight           = 2.2
)

// trait is a set of bits: what a term does in a sentence, and for a unit what kinds of questions it may answer.
type trait uint16

const (
	isStop trait = 1 << iota
	isWeak
	isTime
	isSelf
	asksTime
	asksCount
	asksPerson
	asksPlace
	asksReason
	isAsking   // how, what, which: the next word tells what is asked for
	endsAsking // of a unit: its last sentence is a question
	isCode     // of a unit: it is part of a code block
)

const allAsks = asksTime | asksCount | asksPerson | asksPlace | asksReason

// scoreTalk adds up what counts for unit i of a conversation.
func (rd *reader) scoreTalk(i int, s *sum) {
	u, um := &rd.file.units[i], &rd.units[i]
	for k := range bits64(rd.around[i] | um.heads | rd.titles) {
		c := float64(rd.context[i*len(rd.plan.slots)+k])
		if (um.heads|rd.titles)&(1<<k) != 0 {
			c += headingGain
		}
		s.term("context", rd.slot(k), rd.fieldOf(um, k), talkContext*rd.slot(k).weight*c/(c+contextHalf))
	}
	for k := range bits64(um.has) {
		s.term("term", rd.slot(k), "entry", talkTerm*rd.slot(k).weight*float64(rd.values[i*len(rd.plan.slots)+k]))
	}
	if i > 0 && rd.file.units[i-1].section == u.section {
		s.add("answers the question before", answersWeight*rd.units[i-1].asking)
		s.addIf(rd.plan.asks&rd.file.units[i-1].traits&allAsks != 0, "same question before", sameQuestionWeight)
	}
	s.addIf(u.traits&endsAsking != 0, "is a question", isQuestionWeight)
	s.addIf(um.named, "named title", namedWeight)
	s.addIf(um.named && u.traits&isSelf != 0, "speaks of itself", selfWeight)
	s.add("length", lengthWeight*math.Log1p(min(float64(u.length)/rd.avgUnit, mostLong)))
	s.add("proper names", properWeight*math.Log1p(min(float64(u.names), mostNames)))
	s.addIf(rd.plan.asks&asksTime != 0 && u.traits&isTime != 0, "has a time", hasTimeWeight)
}

// spread fills the context of a conversation's units: each lends its words to those around it in the same section. Notes
// speak of many things; their context is what stands above them.
func (rd *reader) spread() {
	n, slots, us := len(rd.file.units), len(rd.plan.slots), rd.file.units
	rd.around = zeroed(rd.around, n)
	if !rd.file.talk {
		return
	}
	rd.context = append(rd.context[:0], rd.values...)
	for j := range n {
		mask := rd.units[j].has | rd.units[j].via
		if mask == 0 {
			continue
		}
		rd.around[j] |= mask
		for i := max(j-reach, 0); i <= min(j+reach, n-1); i++ {
			if i == j || us[i].section != us[j].section {
				continue
			}
			w := after[max(j-i, 0)]
			if i > j {
				w = before[i-j]
				if i-j <= 2 && us[i-1].traits&endsAsking != 0 {
					w *= 1 + askedGain
				}
			}
			if w == 0 {
				continue
			}
			rd.around[i] |= mask
			for k := range bits64(mask) {
				rd.context[i*slots+k] += rd.values[j*slots+k] * w
			}
		}
	}
}

// bits64 yields the numbers of the bits that are set.
func bits64(mask uint64) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for ; mask != 0; mask &= mask - 1 {
			if !yield(bits.TrailingZeros64(mask)) {
				return
			}
		}
	}
}

// endsWithQuestion ignores a closing aside in brackets.
func endsWithQuestion(s string) bool {
	s = strings.TrimSpace(s)
	for _, pair := range []string{"()", "[]"} {
		if strings.HasSuffix(s, pair[1:]) {
			if i := strings.LastIndexByte(s, pair[0]); i >= 0 {
				s = strings.TrimSpace(s[:i])
			}
		}
	}
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, "*_\"'”’)"))
	return r == '?' || r == '？' || r == '؟'
}

// traitReader follows a sentence to see what it asks for.
type traitReader struct {
	words   *vocabulary
	prev    string
	atStart bool  // of a sentence
	asks    trait // of the sentence so far
}

// read takes one word.
func (r *traitReader) read(term string, t trait) {
	r.atStart = false
	r.asks |= t & allAsks
	if r.prev != "" {
		r.asks |= r.words.asked[[2]string{r.prev, term}]
	}
	r.prev = ""
	if t&isAsking != 0 {
		r.prev = term
	}
}

// endSentence gives what the sentence asked for, if it was a question.
func (r *traitReader) endSentence() trait {
	asks := r.asks
	r.asks, r.prev, r.atStart = 0, "", true
	return asks
}
