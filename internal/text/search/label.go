package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits keep "Note to self:" a label and a sentence that happens to hold a colon a sentence.
const (
	maxLabelWords = 3
	maxLabel      = 40 // bytes
)

// splitLabel finds the lead of an entry, as in "Decision: use one table" or "- [lesson] **Ann Lee:** done", and the text without it.
func splitLabel(body string) (label, rest string) {
	head := labelStart(body)
	s := body[head:]
	i := strings.IndexByte(s, ':')
	if i <= 0 || i > maxLabel {
		return "", body
	}
	label, rest = strings.Trim(s[:i], "*_ "), strings.TrimLeft(s[i+1:], "*_")
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' && rest[0] != '\n' {
		return "", body
	}
	if !isLabel(label) {
		return "", body
	}
	return label, joinRest(body[:head], rest)
}

// isLabel reports whether a text is a short name rather than a sentence that happens to have a colon.
func isLabel(s string) bool {
	words := 0
	for w := range strings.FieldsSeq(s) {
		r, _ := utf8.DecodeRuneInString(w)
		if words == 0 && !unicode.IsUpper(r) || !unicode.IsLetter(r) {
			return false
		}
		words++
	}
	return 0 < words && words <= maxLabelWords && !strings.ContainsAny(s, ".!?*()[]{}<>|`\"/\\")
}

// joinRest puts what stood before a lead in front of what follows it, unless it was only a bullet.
func joinRest(head, rest string) string {
	if strings.Trim(head, bullets) == "" {
		return rest
	}
	return head + rest
}

const bullets = " \t-*+>_"

// labelStart skips what may come before a lead: bullet, checkbox, tags in brackets, a time.
func labelStart(s string) int {
	at := 0
	for {
		at += len(s[at:]) - len(strings.TrimLeft(s[at:], bullets))
		if at == len(s) {
			return at
		}
		end := -1
		switch c := s[at]; {
		case c == '[':
			end = strings.IndexByte(s[at:], ']')
		case '0' <= c && c <= '9':
			end = strings.IndexByte(s[at:], ' ')
		}
		if end < 0 || end > maxLabel || at+end+1 < len(s) && s[at+end+1] == '(' {
			return at
		}
		at += end + 1
	}
}
