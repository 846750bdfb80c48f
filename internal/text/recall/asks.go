package recall

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"tend/internal/text/claim"
)

// askWord is a word or phrase that asks for kinds of values.
type askWord struct {
	text  string // with blanks around it
	kinds []claim.Kind
}

// askWords are the words of words/asks.txt, the longest first.
var askWords = sync.OnceValue(func() []askWord {
	kinds := map[string][]claim.Kind{}
	for line := range wordLines("asks") {
		kind, rest, _ := strings.Cut(line, " ")
		for w := range strings.FieldsSeq(rest) {
			kinds[w] = append(kinds[w], claim.Kind(kind))
		}
	}
	var out []askWord
	for w, k := range kinds {
		out = append(out, askWord{" " + strings.ReplaceAll(w, "_", " ") + " ", k})
	}
	slices.SortFunc(out, func(a, b askWord) int { return cmp.Or(len(b.text)-len(a.text), strings.Compare(a.text, b.text)) })
	return out
})

// asked lists the kinds of values that would answer a question. A word counts once: "phone number" asks for a phone's.
func asked(query string) []claim.Kind {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !wordRune(r) })
	text := " " + strings.Join(words, " ") + " "
	var out []claim.Kind
	for _, w := range askWords() {
		if strings.Contains(text, w.text) {
			out = append(out, w.kinds...)
			text = strings.ReplaceAll(text, w.text, " , ")
		}
	}
	return out
}

// gives reports whether a statement has a value of one of the kinds.
func gives(s claim.Statement, kinds []claim.Kind) bool {
	return slices.ContainsFunc(s.Claims, func(c claim.Claim) bool { return !c.Past && slices.Contains(kinds, c.Kind) })
}
