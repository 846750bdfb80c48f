package session

import (
	"math"
	"unicode"
	"unicode/utf8"

	"tend/internal/model/policy"
	"tend/internal/text/note"
)

// Counter measures a text.
type Counter func(string) int

// CounterFor returns the counter for a unit. Tokens are an estimate that is rather high for the
// common tokenizers, since most vendors' are not public.
func CounterFor(u policy.ContextCount) Counter {
	switch u {
	case policy.UnitBytes:
		return func(s string) int { return len(s) }
	case policy.UnitUTF16:
		return func(s string) int { return note.UTF16([]byte(s)) }
	case policy.UnitTokens:
		return EstimateTokens
	}
	return utf8.RuneCountInString
}

// EstimateTokens estimates the tokens of a text: words by their length, digits in
// threes, runs of marks in pairs, CJK characters nearly one each. For notes, code and
// markdown it is up to 40 % above o200k and rarely below.
func EstimateTokens(s string) int {
	const (
		none = iota
		word
		digit
		mark
		line
	)
	var n float64
	run, kind := 0, none
	flush := func() {
		switch kind {
		case word:
			n += float64((run + 5) / 6)
		case digit:
			n += float64((run + 2) / 3)
		case mark:
			n += float64((run + 1) / 2)
		case line:
			n++
		}
		run, kind = 0, none
	}
	for _, r := range s {
		next, width := mark, 1
		switch {
		case r == ' ':
			next = none
		case r == '\n' || r == '\r' || r == '\t':
			next = line
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			next = none
			n += 0.85
		case r >= 0x1F000:
			next = none
			n += 2
		case unicode.IsDigit(r):
			next = digit
		case unicode.IsLetter(r) && r < utf8.RuneSelf:
			next = word
		case unicode.IsLetter(r):
			next, width = word, 2
		}
		if next != kind {
			flush()
			kind = next
		}
		run += width
	}
	flush()
	return int(math.Ceil(n))
}
