package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxInitials is how many words an abbreviation is made of.
const maxInitials = 4

// initials gives, by token, the abbreviations of the words that stand beside each other: "merge request" may be "MR".
func (ix *Index) initials(text string, tokens []token) map[int][]string {
	out := map[int][]string{}
	var run []int // tokens with nothing but a blank between them
	for i, t := range tokens {
		r, _ := utf8.DecodeRuneInString(t.term)
		if t.kind != kindWord || !unicode.IsLetter(r) || ix.lang.traits(t.term)&isStop != 0 {
			run = run[:0]
			continue
		}
		if n := len(run); n > 0 && (tokens[run[n-1]].end > t.start || text[tokens[run[n-1]].end:t.start] != " ") {
			run = run[:0]
		}
		run = append(run, i)
		for n := 2; n <= min(len(run), maxInitials); n++ {
			words := run[len(run)-n:]
			var b strings.Builder
			for _, w := range words {
				r, _ := utf8.DecodeRuneInString(tokens[w].term)
				b.WriteRune(r)
			}
			for _, w := range words {
				out[w] = append(out[w], b.String(), ix.lang.term(b.String()+"s"))
			}
		}
	}
	return out
}
