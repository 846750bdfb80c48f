package note

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed ahead.txt
var aheadText string

// aheadWords are the words for a time ahead, by what they stand for.
var aheadWords = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(aheadText) {
		kind, words, _ := strings.Cut(strings.TrimSpace(line), " ")
		out[kind] = strings.Split(words, "|")
	}
	return out
})

// mostAhead is how many years ahead a bare number is taken for a year.
const mostAhead = 10

// soon returns the first day after today from which something holds that a text names by words: "next month", "from May", "in 2027".
func soon(text string, wrote, today Day) (first Day) {
	if wrote == 0 {
		return 0
	}
	text = strings.ToLower(string(closed(text)))
	year, month, _ := wrote.Date()
	take := func(d Day) {
		if d > today && (first == 0 || d < first) {
			first = d
		}
	}
	for kind, day := range map[string]Day{"day": wrote.AddDays(1), "week": wrote.AddDays(7), "month": dayFrom(year, month+1, 1),
		"year": dayFrom(year+1, 1, 1)} {
		for _, w := range aheadWords()[kind] {
			if wordIn(text, w) >= 0 {
				take(day)
			}
		}
	}
	b := []byte(text)
	for i := range b {
		if i > 0 && (isWord(text[i-1]) && text[i-1] < utf8.RuneSelf) {
			continue
		}
		if dateAt(b, i).size > 0 || strings.HasSuffix(text[:i], "年") {
			continue // a whole date is read as one
		}
		if y, n := numberAt(b[i:]); n == 4 && y > year && y <= year+mostAhead && follows(text[:i], "from", "in") {
			take(dayFrom(y, 1, 1))
		}
		if m, ok := begins(text, b, i); ok {
			take(written{month: m, day: 1}.closest(wrote))
		}
	}
	return first
}

// begins returns the month, or the first one of a quarter, at an offset of a text, if something holds from it.
func begins(text string, b []byte, i int) (month int, ok bool) {
	rest := text[i:]
	month, n := monthAt(b[i:])
	if m, k := numberAt(b[i:]); k > 0 && k < 3 && strings.HasPrefix(rest[k:], "月") {
		month, n = m, k+len("月")
	} else if len(rest) > 1 && rest[0] == 'q' && rest[1] >= '1' && rest[1] <= '4' {
		month, n = int(rest[1]-'1')*3+1, 2
	}
	if month < 1 || month > 12 || n < len(rest) && isWord(rest[n]) && rest[n] < utf8.RuneSelf {
		return 0, false
	}
	for _, w := range aheadWords()["onward"] {
		if strings.HasPrefix(rest[n:], w) {
			return month, true
		}
	}
	return month, follows(text[:i], "from")
}

// follows reports whether a text ends with a word of some kinds.
func follows(before string, kinds ...string) bool {
	before = strings.TrimRight(before, " ")
	for _, kind := range kinds {
		for _, w := range aheadWords()[kind] {
			if at, ok := strings.CutSuffix(before, w); ok && !endsInWord(at, w) {
				return true
			}
		}
	}
	return false
}

// wordIn finds whole words in a text; in a script without blanks any place will do.
func wordIn(text, word string) int {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return -1
		}
		i += at
		next, _ := utf8.DecodeRuneInString(text[i+len(word):])
		if !endsInWord(text[:i], word) && (unspaced(word) || !unicode.IsLetter(next)) {
			return i
		}
		at = i + len(word)
	}
}

// endsInWord reports whether a word would only be the rest of a longer one behind a text.
func endsInWord(before, word string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsLetter(last) && !unspaced(word)
}

// unspaced reports a word of a script without blanks.
func unspaced(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return r >= 0x2e80
}
