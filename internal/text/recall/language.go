package recall

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	snowball "github.com/kljensen/snowball/english"
)

// language is what the analysis knows of English. It is immutable once made.
type language struct {
	lemmas map[string]string // irregular form to the term of its base
	lex    *lexicon
}

// english is made once: it never changes, and a fleet has an index for every agent.
var english = sync.OnceValue(newEnglish)

func newEnglish() *language {
	l := &language{lemmas: map[string]string{}}
	for form, base := range irregularForms() {
		l.lemmas[form] = snowball.Stem(base, true)
	}
	l.lex = englishLexicon(l.term)
	return l
}

// term normalises one word: folded, then its base form or its stem.
func (l *language) term(w string) string {
	folded := fold(bareWord(strings.ToLower(w)))
	if lemma, ok := l.lemmas[folded]; ok {
		return lemma
	}
	if !stemmable(folded) {
		return folded
	}
	return snowball.Stem(folded, true)
}

// traits of a term.
func (l *language) traits(term string) trait {
	t := l.lex.traits[term]
	if c := term[0]; len(term) == 4 && (c == '1' || c == '2') {
		t |= isTime // a year
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

// bareWord drops English endings after an apostrophe ("Ann's", "they've", "didn't"), and lone apostrophes.
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
