package referee

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// OwnWords says what a text, written by a model from its sources, has that they do not have or leaves out of what would
// change their meaning; nothing if it may take their place. A text passes only if it is the sources shortened: every number,
// name, path, address, negation and condition is still in it, in the same order, and no word is new but for articles and the
// like. That is stricter than a reader would be. It needs no grammar, so it holds in any language.
func OwnWords(text string, sources ...string) []string {
	from := strings.Join(sources, "\n")
	came, was := read([]byte(text)), read([]byte(from))
	var out []string
	for _, v := range unmatched(came, was) {
		out = append(out, "it adds "+v.Text)
	}
	for _, v := range unmatched(was, came) {
		out = append(out, "it leaves out "+v.Text)
	}
	mine, theirs := plainWords(text), plainWords(from)
	if a, b := countLimits(mine), countLimits(theirs); a != b {
		out = append(out, "a negation or condition was added or dropped")
	}
	if w, ok := newWord(mine, theirs); ok {
		out = append(out, "it says "+w+", which no source says")
	} else if !inOrder(mine, theirs) {
		out = append(out, "its words stand in another order than in the sources")
	}
	return out
}

// Values lists the numbers, addresses, paths, names and negations of a text.
func Values(s string) []Value {
	t := read([]byte(s))
	var out []Value
	for i := range t.lines {
		values(t.canonical(i), func(kind Kind, text string, first bool) {
			if !first {
				out = append(out, Value{kind, text, t.lines[i].number})
			}
		})
	}
	return out
}

// Absent returns the values of a text that another one does not have. All negations count as the same.
func Absent(s, from string) []Value { return except(Values(s), Values(from)) }

// Unsaid returns a word of a line that a text does not have, in this form or with another ending. Without "to staging", "Ann
// may deploy to staging" says something else.
func Unsaid(line, text string) (word string, ok bool) {
	return newWord(plainWords(line), plainWords(text))
}

// Unfinished reports a line that cannot end where it does: with a comma, or a word that calls for another one.
func Unfinished(line string) bool {
	words := plainWords(line)
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return strings.HasSuffix(strings.TrimSpace(line), ",") ||
		strings.HasSuffix(strings.ToLower(line), last) && (isNegation(last) || wordLists().limits[last] || wordLists().empty[last])
}

// Limits counts the negations and conditions of a text.
func Limits(s string) int { return countLimits(plainWords(s)) }

// SameOrder reports whether the words that two texts share stand in the same order in both. "Ann checks Ben" and "Ben checks
// Ann" have the same words.
func SameOrder(a, b string) bool {
	mine, theirs := plainWords(a), plainWords(b)
	has := map[string]bool{}
	for _, w := range theirs {
		has[w] = true
	}
	return inOrder(slices.DeleteFunc(mine, func(w string) bool { return !has[w] }), theirs)
}

// unmatched returns the values of a text that another one does not have as a whole.
func unmatched(t, from *text) []Value {
	all := make([]int, len(t.lines))
	for i := range all {
		all[i] = i
	}
	c := claimsOf(t, all, false)
	c.find(from)
	return c.rest()
}

//go:embed limits.txt
var limitsText string

// wordLists are the words that limit or turn a statement, and those that carry no meaning of their own.
var wordLists = sync.OnceValue(func() (out struct{ limits, empty map[string]bool }) {
	out.limits, out.empty = map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(limitsText) {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] == "#" {
			continue
		}
		into := out.limits
		if f[0] == "empty" {
			into = out.empty
		}
		for _, w := range f[1:] {
			into[w] = true
		}
	}
	return out
})

// plainWords are the words of a text in order, lower case; in a script without blanks each character is one.
func plainWords(s string) []string {
	var out []string
	var b strings.Builder
	end := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
			b.Reset()
		}
	}
	for _, r := range norm.NFKC.String(s) {
		switch {
		case packed(r):
			end()
			out = append(out, string(r))
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '\'' || r == '’':
			if r == '’' {
				r = '\''
			}
			b.WriteRune(unicode.ToLower(r))
		case r > 0x7f && unicode.IsSymbol(r):
			end()
			out = append(out, string(r))
		default:
			end()
		}
	}
	end()
	return out
}

// countLimits counts the negations and conditions among words.
func countLimits(words []string) int {
	n := 0
	for i, w := range words {
		first := []rune(w)[0]
		switch {
		case isNegation(w) || wordLists().limits[w] || negates(first):
			n++
		case i+1 < len(words) && packed(first) && wordLists().limits[w+words[i+1]]:
			n++
		}
	}
	return n
}

// newWord finds a word that the sources do not have, in this form or with another ending.
func newWord(mine, theirs []string) (string, bool) {
	has := map[string]bool{}
	for _, w := range theirs {
		has[w], has[root(w)] = true, true
	}
	for _, w := range mine {
		if !has[w] && !has[root(w)] && !wordLists().empty[w] {
			return w, true
		}
	}
	return "", false
}

// root is the part of a long word that endings do not change.
func root(w string) string {
	r := []rune(w)
	if len(r) < 7 {
		return w
	}
	return string(r[:len(r)-2])
}

// inOrder reports whether words stand in the order in which the sources have them.
func inOrder(mine, theirs []string) bool {
	at := 0
	for _, w := range mine {
		if wordLists().empty[w] {
			continue
		}
		for at < len(theirs) && theirs[at] != w && root(theirs[at]) != root(w) {
			at++
		}
		if at++; at > len(theirs) {
			return false
		}
	}
	return true
}

// Words are the distinct words of a text, lower case; pairs of characters in a script without blanks.
func Words(s string) map[string]bool {
	out := map[string]bool{}
	before := ""
	for _, w := range plainWords(s) {
		if !packed([]rune(w)[0]) {
			before = ""
			if !wordLists().empty[w] {
				out[w] = true
			}
			continue
		}
		if before != "" {
			out[before+w] = true
		}
		before = w
	}
	return out
}
