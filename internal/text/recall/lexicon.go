package recall

import (
	"embed"
	"iter"
	"slices"
	"strings"
	"sync"
)

//go:embed words/*.txt
var wordFiles embed.FS

// trait is a set of bits: what a term does in a sentence, and for a unit what kinds of questions it may answer.
type trait uint32

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
	isTitled   // of a unit: it has a lead, as what a speaker says
	isCode     // of a unit: it is part of a code block
)

const allAsks = asksTime | asksCount | asksPerson | asksPlace | asksReason

// lexicon is what the analysis knows of English words beyond their stems.
type lexicon struct {
	traits   map[string]trait    // by term
	asked    map[[2]string]trait // by two terms: "how many", "which city"
	synonyms func() map[string][]string
}

func englishLexicon(term func(string) string) *lexicon {
	x := &lexicon{traits: map[string]trait{}, asked: map[[2]string]trait{}}
	mark := func(t trait, words iter.Seq[string]) {
		for w := range words {
			x.traits[term(w)] |= t
		}
	}
	for line := range wordLines("stop") {
		mark(isStop, strings.FieldsSeq(line))
	}
	for line := range wordLines("weak") {
		mark(isWeak, strings.FieldsSeq(line))
	}
	byName := map[string]trait{
		"time": isTime, "self": isSelf,
		"time?": asksTime, "count?": asksCount, "person?": asksPerson, "place?": asksPlace, "reason?": asksReason,
	}
	for line := range wordLines("cues") {
		sign, rest, _ := strings.Cut(line, " ")
		lead, follow, paired := strings.Cut(rest, " + ")
		if !paired {
			mark(byName[sign], strings.FieldsSeq(rest))
			continue
		}
		mark(isAsking, strings.FieldsSeq(lead))
		for a := range strings.FieldsSeq(lead) {
			for b := range strings.FieldsSeq(follow) {
				x.asked[[2]string{term(a), term(b)}] |= byName[sign]
			}
		}
	}
	// Most processes that open an index never ask it anything, so the largest table waits for the first query.
	x.synonyms = sync.OnceValue(func() map[string][]string { return synonymTable(term) })
	return x
}

// synonymTable links the first word of each line with every other word of it, in both directions.
func synonymTable(term func(string) string) map[string][]string {
	table := map[string][]string{}
	link := func(a, b string) {
		if slices.Contains(table[a], b) {
			return
		}
		table[a] = append(table[a], b)
	}
	for line := range wordLines("synonyms") {
		words := strings.Fields(line)
		head := term(words[0])
		for _, w := range words[1:] {
			if t := term(w); t != head {
				link(head, t)
				link(t, head)
			}
		}
	}
	for line := range wordLines("kinds") {
		words := strings.Fields(line)
		head := term(words[0])
		for _, w := range words[1:] {
			if t := term(strings.ReplaceAll(w, "-", "")); t != head {
				link(head, t)
			}
		}
	}
	return table
}

// irregularForms maps each irregular form to its base.
func irregularForms() map[string]string {
	m := make(map[string]string, 400)
	for line := range wordLines("irregular") {
		forms := strings.Fields(line)
		for _, f := range forms {
			if _, taken := m[f]; !taken {
				m[f] = forms[0]
			}
		}
	}
	return m
}

// wordLines yields the lines of one embedded list without comments and blanks.
func wordLines(name string) iter.Seq[string] {
	data, err := wordFiles.ReadFile("words/" + name + ".txt")
	return func(yield func(string) bool) {
		if err != nil {
			return
		}
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' {
				continue
			}
			if !yield(line) {
				return
			}
		}
	}
}
