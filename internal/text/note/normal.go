package note

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Normal returns the form in which two entries with the same words are equal: without bullet, tags, timestamps, case,
// punctuation and layout, and with one spelling for each character.
func Normal(text string) string {
	e := Entry{Raw: []byte(text)}
	e.marks = readMarks(e.Raw, defaultTags[:])
	return e.Normal()
}

// normalize keeps letters, digits, and signs that change the meaning: c++, c#, -5 and symbols such as emoji.
func normalize(s string) string {
	if !isASCII(s) {
		s = norm.NFKC.String(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	gap, last := false, ' '
	for i, r := range s {
		keep := unicode.IsLetter(r) || unicode.IsNumber(r) || r > 0x7f && (unicode.IsMark(r) || unicode.IsSymbol(r))
		switch r {
		case '\ufe0f':
			keep = false
		case '+', '#':
			keep = unicode.IsLetter(last) || last == r
		case '-', '−':
			keep = (last == ' ' || i == 0) && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9'
		}
		last = r
		if unicode.IsSpace(r) {
			last = ' '
		}
		if !keep {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
