package claim

import (
	"regexp"
	"regexp/syntax"
	"sync"
	"unicode/utf8"
)

// finder finds a pattern in a text. It tries only places where a match can begin: a regular expression without a fixed
// beginning is tried at every character, and some forty are tried on each sentence.
type finder struct {
	plain  func() *regexp.Regexp
	first  func() *regexp.Regexp // a match at the beginning of the text
	behind func() *regexp.Regexp // a match after the first character, which \b and ^ look at
	// free are the bytes a match may begin with, bound those with which it may where \b holds.
	free, bound [256]bool
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
		var prog *syntax.Prog
		if prog, err = syntax.Compile(parsed.Simplify()); err == nil {
			f.begin(prog, uint32(prog.Start), false, map[uint64]bool{})
		}
	}
	if err != nil {
		panic(err) // like regexp.MustCompile
	}
	return f
}

// begin collects what a match may begin with, from an instruction of the compiled pattern on.
func (f *finder) begin(prog *syntax.Prog, at uint32, bound bool, met map[uint64]bool) {
	key := uint64(at) << 1
	set := &f.free
	if bound {
		key, set = key+1, &f.bound
	}
	if met[key] {
		return
	}
	met[key] = true
	switch i := &prog.Inst[at]; i.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		f.begin(prog, i.Out, bound, met)
		f.begin(prog, i.Arg, bound, met)
	case syntax.InstNop, syntax.InstCapture:
		f.begin(prog, i.Out, bound, met)
	case syntax.InstEmptyWidth:
		f.begin(prog, i.Out, bound || syntax.EmptyOp(i.Arg) == syntax.EmptyWordBoundary, met)
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		for b := range 256 {
			set[b] = set[b] || b >= utf8.RuneSelf || i.MatchRune(rune(b))
		}
	}
}

// find is [regexp.Regexp.FindStringSubmatchIndex].
func (f *finder) find(text string) []int {
	if len(text) > longestTried {
		return f.plain().FindStringSubmatchIndex(text)
	}
	before := 0 // where the character before begins
	for at := range text {
		b := text[at]
		if !f.free[b] && !(f.bound[b] && (at > 0 && wordASCII(text[at-1])) != wordASCII(b)) {
			before = at
			continue
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
		before = at
	}
	return nil
}

// wordASCII reports the characters that \b takes for those of words.
func wordASCII(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
