package recall

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	snowball "github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/hungarian"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
	"github.com/kljensen/snowball/swedish"
)

// language is what the analysis must know of one tongue. Values are immutable once made.
type language struct {
	name   string
	stem   func(word string, stopWords bool) string
	stop   func(word string) bool // nil where the lexicon knows the stop words
	lemmas map[string]string      // irregular form to the term of its base
	lex    *lexicon
}

// Languages lists the names Options.Language takes.
func Languages() []string {
	return []string{"english", "french", "hungarian", "norwegian", "russian", "spanish", "swedish", "none"}
}

func languageByName(name string) (*language, error) {
	l := &language{name: strings.ToLower(name)}
	switch l.name {
	case "", "english":
		return english(), nil
	case "french":
		l.stem, l.stop = french.Stem, french.IsStopWord
	case "hungarian":
		l.stem, l.stop = hungarian.Stem, hungarian.IsStopWord
	case "norwegian":
		l.stem, l.stop = norwegian.Stem, norwegian.IsStopWord
	case "russian":
		l.stem, l.stop = russian.Stem, russian.IsStopWord
	case "spanish":
		l.stem, l.stop = spanish.Stem, spanish.IsStopWord
	case "swedish":
		l.stem, l.stop = swedish.Stem, swedish.IsStopWord
	case "none":
	default:
		return nil, fmt.Errorf("choose language %q: want one of %s", name, strings.Join(Languages(), ", "))
	}
	l.lex = emptyLexicon()
	return l, nil
}

// english is made once: it never changes, and a fleet has an index for every agent.
var english = sync.OnceValue(newEnglish)

func newEnglish() *language {
	l := &language{name: "english", stem: snowball.Stem, lemmas: map[string]string{}}
	for form, base := range irregularForms() {
		l.lemmas[form] = snowball.Stem(base, true)
	}
	l.lex = englishLexicon(l.term)
	return l
}

// term normalises one word. Stemmers of accented languages need the accents, so folding comes after them.
func (l *language) term(w string) string {
	low := bareWord(strings.ToLower(w))
	if l.stem == nil || !stemmable(low) {
		folded := fold(low)
		if lemma, ok := l.lemmas[folded]; ok {
			return lemma
		}
		return folded
	}
	if l.lemmas == nil {
		return fold(l.stem(low, true))
	}
	folded := fold(low)
	if lemma, ok := l.lemmas[folded]; ok {
		return lemma
	}
	return l.stem(folded, true)
}

// traits of a term; word is the written form, for languages whose stop words are known by their writing.
func (l *language) traits(term, word string) trait {
	t := l.lex.traits[term]
	if l.stop != nil && l.stop(strings.ToLower(word)) {
		t |= isStop
	}
	if c := term[0]; '0' <= c && c <= '9' {
		t |= isCount
		if len(term) == 4 && (c == '1' || c == '2') {
			t |= isTime
		}
	}
	return t
}

// wholeTerm normalises an identifier: case and accents only, except that a compound of letters is a word like any other.
func (l *language) wholeTerm(w string) string {
	for _, r := range w {
		if !unicode.IsLetter(r) {
			return fold(w)
		}
	}
	return l.term(w)
}

// bareWord drops what English hangs on a word with an apostrophe ("Ann's", "they've", "didn't"), and lone apostrophes.
func bareWord(w string) string {
	if isASCII(w) && strings.IndexByte(w, '\'') < 0 {
		return w
	}
	w = apostrophes.Replace(w)
	if strings.IndexByte(w, '\'') < 0 {
		return w
	}
	w = strings.Trim(w, "'")
	if head, ok := strings.CutSuffix(w, "n't"); ok {
		switch head {
		case "ca":
			return "can"
		case "wo":
			return "will"
		case "sha":
			return "shall"
		case "ai":
			return "be"
		}
		return head
	}
	if i := strings.LastIndexByte(w, '\''); i > 0 && slices.Contains(contracted, w[i+1:]) {
		w = w[:i]
	}
	return strings.ReplaceAll(w, "'", "")
}

var (
	apostrophes = strings.NewReplacer("’", "'", "‘", "'", "ʼ", "'", "＇", "'")
	contracted  = []string{"s", "m", "re", "ve", "ll", "d"}
)

func stemmable(w string) bool {
	if len(w) < 3 || len(w) > maxTerm {
		return false
	}
	for _, r := range w {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}
