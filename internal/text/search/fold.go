package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold makes spellings comparable: compatibility forms, case and the accents of Latin and Greek letters go.
// Marks of other scripts stay, where they are letters in their own right.
func fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	accented := false // whether the base letter before loses its marks
	for _, r := range norm.NFKD.String(s) {
		if unicode.Is(unicode.Mn, r) {
			if !accented {
				b.WriteRune(r)
			}
			continue
		}
		r = unicode.ToLower(r)
		accented = r < utf8.RuneSelf || unicode.In(r, unicode.Latin, unicode.Greek)
		if plain, ok := letterFolds[r]; ok {
			b.WriteString(plain)
			continue
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

// letterFolds are letters that no normalisation form takes apart.
var letterFolds = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ł': "l", 'þ': "th", 'ı': "i", 'ħ': "h", 'ς': "σ",
	'’': "'", '‘': "'", 'ʼ': "'", '＇': "'",
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
