package recall

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/hungarian"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
	"github.com/kljensen/snowball/swedish"
)

// language is what the analysis must know of one tongue. Values are immutable.
type language struct {
	name   string
	stem   func(word string, stopWords bool) string
	stop   func(word string) bool
	lemmas map[string]string
}

// Languages lists the names Options.Language takes.
func Languages() []string {
	return []string{"english", "french", "hungarian", "norwegian", "russian", "spanish", "swedish", "none"}
}

func languageByName(name string) (*language, error) {
	switch strings.ToLower(name) {
	case "", "english":
		return &language{name: "english", stem: english.Stem, stop: englishStop, lemmas: englishLemmas()}, nil
	case "french":
		return &language{name: "french", stem: french.Stem, stop: french.IsStopWord}, nil
	case "hungarian":
		return &language{name: "hungarian", stem: hungarian.Stem, stop: hungarian.IsStopWord}, nil
	case "norwegian":
		return &language{name: "norwegian", stem: norwegian.Stem, stop: norwegian.IsStopWord}, nil
	case "russian":
		return &language{name: "russian", stem: russian.Stem, stop: russian.IsStopWord}, nil
	case "spanish":
		return &language{name: "spanish", stem: spanish.Stem, stop: spanish.IsStopWord}, nil
	case "swedish":
		return &language{name: "swedish", stem: swedish.Stem, stop: swedish.IsStopWord}, nil
	case "none":
		return &language{name: "none", stop: func(string) bool { return false }}, nil
	}
	return nil, fmt.Errorf("choose language %q: want one of %s", name, strings.Join(Languages(), ", "))
}

// term normalises one word. Stemmers of accented languages need the accents, so folding comes after them.
func (l *language) term(w string) string {
	low := bareWord(strings.ToLower(w))
	folded := fold(low)
	if lemma, ok := l.lemmas[folded]; ok {
		return lemma
	}
	if l.stem == nil || !stemmable(low) {
		return folded
	}
	if l.name == "english" {
		return l.stem(folded, true)
	}
	return fold(l.stem(low, true))
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
	w = strings.NewReplacer("’", "'", "‘", "'", "ʼ", "'", "＇", "'").Replace(w)
	if strings.IndexByte(w, '\'') < 0 {
		return w
	}
	w = strings.Trim(w, "'")
	if head, ok := strings.CutSuffix(w, "n't"); ok {
		switch head {
		case "ca", "wo", "sha":
			return map[string]string{"ca": "can", "wo": "will", "sha": "shall"}[head]
		case "ai":
			return "be"
		}
		return head
	}
	if i := strings.LastIndexByte(w, '\''); i > 0 && slices.Contains([]string{"s", "m", "re", "ve", "ll", "d"}, w[i+1:]) {
		w = w[:i]
	}
	return strings.ReplaceAll(w, "'", "")
}

func stemmable(w string) bool {
	if len(w) < 3 || len(w) > maxTerm {
		return false
	}
	for _, r := range w {
		if !unicode.IsLetter(r) || r == utf8.RuneError {
			return false
		}
	}
	return true
}
