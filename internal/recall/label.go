package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLabelWords keeps "Note to self:" a label and a sentence that happens to hold a colon a sentence.
const maxLabelWords = 3

// splitLabel finds the lead of an entry, as in "Decision: use one table" or "**Ann Lee:** done", and the rest.
func splitLabel(body string) (label, rest string) {
	s := strings.TrimLeft(body, " \t-*+>_")
	i := strings.IndexByte(s, ':')
	if i <= 0 || i > 40 {
		return "", body
	}
	label, rest = strings.Trim(s[:i], "*_ "), strings.TrimLeft(s[i+1:], "*_")
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' && rest[0] != '\n' {
		return "", body
	}
	words := 0
	for w := range strings.FieldsSeq(label) {
		r, _ := utf8.DecodeRuneInString(w)
		if words == 0 && !unicode.IsUpper(r) || !unicode.IsLetter(r) {
			return "", body
		}
		words++
	}
	if words == 0 || words > maxLabelWords || strings.ContainsAny(label, ".!?()[]{}<>|`\"/\\") {
		return "", body
	}
	return label, rest
}
