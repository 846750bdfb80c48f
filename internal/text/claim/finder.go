package claim

import (
	"regexp"
	"regexp/syntax"
	"sync"
)

// finder finds a pattern in a text. It runs the regular expression only where an automaton has found that a match begins: some forty
// patterns are tried on each sentence, and most of them match nowhere in it.
type finder struct {
	plain  func() *regexp.Regexp
	first  func() *regexp.Regexp // a match at the beginning of the text
	behind func() *regexp.Regexp // a match after the first character, which \b and ^ look at
	match  automaton
}

// longestTried is how long a text may be to be tried place by place: each try may read on to the end, so that the time grows with the
// square of the length.
const longestTried = 1 << 10

// finding is a pattern that is compiled when it is first used. It must not match the empty text.
func finding(s string) func() *finder { return sync.OnceValue(func() *finder { return newFinder(s) }) }

func newFinder(s string) *finder {
	f := &finder{plain: expr(s), first: expr(`\A(?:` + s + `)`), behind: expr(`\A(?s:.)(?:` + s + `)`)}
	parsed, err := syntax.Parse(s, syntax.Perl)
	if err == nil {
		err = f.match.compile(parsed.Simplify())
	}
	if err != nil {
		panic(err) // like regexp.MustCompile
	}
	return f
}

// find is [regexp.Regexp.FindStringSubmatchIndex].
func (f *finder) find(text string) []int {
	if len(text) > longestTried {
		return f.plain().FindStringSubmatchIndex(text)
	}
	for before, at := 0, 0; ; { // before is where the character before begins
		if before, at = f.match.next(text, before, at); at == len(text) {
			return nil
		}
		re := f.behind()
		if at == 0 {
			re = f.first()
		}
		if m := re.FindStringSubmatchIndex(text[before:]); m != nil {
			for i := range m {
				if m[i] >= 0 {
					m[i] += before
				}
			}
			m[0] = at
			return m
		}
		before, at = at, after(text, at)
	}
}

// wordASCII reports the characters that \b takes for those of words.
func wordASCII(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
