package search

import (
	"embed"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
)

//go:embed words/*.txt
var wordFiles embed.FS

// lang is a language of the table; the first one is taken where a text does not tell.
type lang uint8

const (
	inEnglish lang = iota
	langCount      = 8
)

var langNames = [langCount]string{"en", "de", "es", "fr", "it", "nl", "pt", "ru"}

var stemmers = [langCount]func(*snowballstem.Env) bool{
	english.Stem, german.Stem, spanish.Stem, french.Stem, italian.Stem, dutch.Stem, portuguese.Stem, russian.Stem,
}

// vocabulary is what the analysis knows of words. It is immutable once made.
type vocabulary struct {
	stop     map[string]uint16   // word to the languages in which it carries grammar, as bits
	lemmas   map[string]string   // irregular English form to the term of its base
	traits   map[string]trait    // by English term
	asked    map[[2]string]trait // by two English terms: "how many", "which city"
	months   map[string]time.Month
	synonyms func() map[string][]string
	grammar  func() *regexp.Regexp // words of grammar where no blanks stand between words
}

// known words are read once: they never change, and a fleet has an index for every agent.
var theVocabulary = sync.OnceValue(newVocabulary)

func newVocabulary() *vocabulary {
	v := &vocabulary{stop: map[string]uint16{}, lemmas: map[string]string{}, traits: map[string]trait{}, asked: map[[2]string]trait{},
		months: map[string]time.Month{}}
	var unspaced []string
	for line := range wordLines("stop") {
		words := strings.Fields(line)
		l := slices.Index(langNames[:], words[0])
		if l < 0 {
			unspaced = append(unspaced, words[1:]...)
			continue
		}
		for _, w := range words[1:] {
			v.stop[fold(w)] |= 1 << l
		}
	}
	v.grammar = sync.OnceValue(func() *regexp.Regexp {
		re := regexp.MustCompile(strings.Join(unspaced, "|"))
		re.Longest()
		return re
	})
	for line := range wordLines("irregular") {
		forms := strings.Fields(line)
		for _, f := range forms {
			if _, taken := v.lemmas[f]; !taken {
				v.lemmas[f] = stem(inEnglish, forms[0])
			}
		}
	}
	month := time.January
	for line := range wordLines("months") {
		for w := range strings.FieldsSeq(line) {
			v.months[w], v.months[fold(w)] = month, month
		}
		month++
	}
	v.readCues()
	// Most processes that open an index never ask it anything, so the largest table waits for the first query.
	v.synonyms = sync.OnceValue(v.readSynonyms)
	return v
}

// term normalises one word of a language: without case and accents, then its base form or its stem.
func (v *vocabulary) term(l lang, w string) string {
	w = bareWord(strings.ToLower(w))
	if lemma, ok := v.lemmas[w]; ok && l == inEnglish {
		return lemma
	}
	if l == inEnglish || !stemmable(w) { // other stemmers know the accents of their language
		w = fold(w)
	}
	if !stemmable(w) {
		return w
	}
	return fold(stem(l, w))
}

func stem(l lang, w string) string {
	env := snowballstem.NewEnv(w)
	stemmers[l](env)
	return env.Current()
}

// isStop reports whether a word carries grammar in a language.
func (v *vocabulary) isStop(l lang, w string) bool {
	return v.stop[fold(bareWord(strings.ToLower(w)))]&(1<<l) != 0
}

// longestKnown bounds how much of a text is read to tell its language.
const longestKnown = 1 << 14

// tell finds the language of a text by its words of grammar. Of languages with equally many the one that prefer counts more
// often is taken.
func (v *vocabulary) tell(text string, prefer [langCount]int) lang {
	var counts [langCount]int
	for w := range strings.FieldsFuncSeq(text[:min(len(text), longestKnown)], func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) > 16 {
			continue
		}
		for l, set := lang(0), v.stop[fold(w)]; set != 0; l, set = l+1, set>>1 {
			counts[l] += int(set & 1)
		}
	}
	best := inEnglish
	for l := range lang(langCount) {
		if counts[l] > counts[best] || counts[l] == counts[best] && prefer[l] > prefer[best] {
			best = l
		}
	}
	return best
}

// bareWord drops English endings after an apostrophe ("Ann's", "they've", "didn't"), and other apostrophes.
func bareWord(w string) string {
	if isASCII(w) && strings.IndexByte(w, '\'') < 0 {
		return w
	}
	for _, mark := range []string{"’", "‘", "ʼ", "＇"} {
		w = strings.ReplaceAll(w, mark, "'")
	}
	w = strings.Trim(w, "'")
	for _, end := range []string{"'s", "'m", "'re", "'ve", "'ll", "'d", "n't"} {
		if head, ok := strings.CutSuffix(w, end); ok && head != "" {
			w = head
			break
		}
	}
	return strings.ReplaceAll(w, "'", "")
}

func stemmable(w string) bool {
	return 3 <= len(w) && len(w) <= maxTerm && strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// readCues reads what words hint at in a conversation, and which only frame a question.
func (v *vocabulary) readCues() {
	term := func(w string) string { return v.term(inEnglish, w) }
	mark := func(t trait, words string) {
		for w := range strings.FieldsSeq(words) {
			v.traits[term(w)] |= t
		}
	}
	for line := range wordLines("weak") {
		mark(isWeak, line)
	}
	byName := map[string]trait{
		"time": isTime, "self": isSelf,
		"time?": asksTime, "count?": asksCount, "person?": asksPerson, "place?": asksPlace, "reason?": asksReason,
	}
	for line := range wordLines("cues") {
		sign, rest, _ := strings.Cut(line, " ")
		lead, follow, paired := strings.Cut(rest, " + ")
		if !paired {
			mark(byName[sign], rest)
			continue
		}
		mark(isAsking, lead)
		for a := range strings.FieldsSeq(lead) {
			for b := range strings.FieldsSeq(follow) {
				v.asked[[2]string{term(a), term(b)}] |= byName[sign]
			}
		}
	}
}

// readSynonyms links the first word of each line with every other word of it: of synonyms in both directions, of a kind and
// the things of that kind only from the kind.
func (v *vocabulary) readSynonyms() map[string][]string {
	table := map[string][]string{}
	link := func(a, b string) {
		if a != b && !slices.Contains(table[a], b) {
			table[a] = append(table[a], b)
		}
	}
	for _, list := range []string{"synonyms", "kinds"} {
		for line := range wordLines(list) {
			words := strings.Fields(line)
			head := v.term(inEnglish, words[0])
			for _, w := range words[1:] {
				t := v.term(inEnglish, strings.ReplaceAll(w, "-", ""))
				link(head, t)
				if list == "synonyms" {
					link(t, head)
				}
			}
		}
	}
	return table
}

// wordLines yields the lines of one embedded list without comments and blanks.
func wordLines(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		data, err := wordFiles.ReadFile("words/" + name + ".txt")
		if err != nil {
			return
		}
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}
