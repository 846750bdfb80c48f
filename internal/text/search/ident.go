package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// trimPunct narrows a chunk to what lies between its first and last letter, digit or underscore.
func trimPunct(s string, start, end int) (int, int) {
	for start < end {
		r, n := utf8.DecodeRuneInString(s[start:end])
		if wordRune(r) {
			break
		}
		start += n
	}
	for start < end {
		r, n := utf8.DecodeLastRuneInString(s[start:end])
		if wordRune(r) || unicode.Is(unicode.M, r) {
			break
		}
		end -= n
	}
	return start, end
}

func wordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r)
}

// wholeIdentifier reports whether a chunk is one name made of several words (a path, address, version, date, e-mail,
// hyphenated compound) and how it is spelled as one. Compounds of letters lose their hyphens: "e-mail" is "email".
func wholeIdentifier(s string) (string, bool) {
	if len(s) > maxTerm {
		return "", false
	}
	joints, hyphens, letters := 0, 0, true
	for i, r := range s {
		switch {
		case r == '-':
			joints++
			hyphens++
		case strings.ContainsRune("./\\:@#+=~%&?", r):
			joints++
		case r == '_' || unicode.IsNumber(r):
			letters = false
		case unicode.IsLetter(r):
			if unspaced(r) {
				return "", false
			}
		case unicode.Is(unicode.M, r) && i > 0:
		default:
			return "", false
		}
	}
	if joints == 0 {
		return "", false
	}
	if hyphens == joints && letters {
		return strings.ReplaceAll(s, "-", ""), true
	}
	return s, true
}

type span struct{ start, end int }

// splitParts finds the words inside fooBar, foo_bar, main.go, HTTPServer, mp3 and 18th; none means w is one word.
func splitParts(w string) []span {
	if !mixed(w) {
		return nil
	}
	var parts []span
	add := func(from, to int) {
		p := w[from:to]
		if from == to || ordinalTail(p) && len(parts) > 0 {
			return
		}
		parts = append(parts, span{from, to})
	}
	from := 0
	var prev rune
	for i, r := range w {
		switch {
		case r == '_', (r == '.' || r == ':') && !between(w, i, unicode.IsDigit):
			add(from, i)
			from = i + 1
		case i == from:
		case unicode.IsUpper(r) && !unicode.IsUpper(prev) && unicode.IsLetter(prev),
			unicode.IsDigit(r) && unicode.IsLetter(prev),
			unicode.IsLetter(r) && unicode.IsDigit(prev):
			add(from, i)
			from = i
		case unicode.IsLower(r) && unicode.IsUpper(prev) && i-utf8.RuneLen(prev) > from:
			cut := i - utf8.RuneLen(prev)
			add(from, cut)
			from = cut
		}
		prev = r
	}
	add(from, len(w))
	if len(parts) == 1 && parts[0] == (span{0, len(w)}) {
		return nil
	}
	return parts
}

// between reports whether the bytes beside i are both of a kind.
func between(w string, i int, kind func(rune) bool) bool {
	return i > 0 && i+1 < len(w) && kind(rune(w[i-1])) && kind(rune(w[i+1]))
}

func ordinalTail(p string) bool {
	switch p {
	case "st", "nd", "rd", "th", "s":
		return true
	}
	return false
}

// mixed is the cheap test that lets ordinary words past: an inner capital, a joint, or digits among letters.
func mixed(w string) bool {
	digit, letter, joint := false, false, false
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c == '_':
			return true
		case '0' <= c && c <= '9':
			digit = true
		case c == '.', c == ':':
			joint = true
		case 'A' <= c && c <= 'Z':
			before, after := letter && w[i-1] >= 'a', i+1 < len(w) && 'a' <= w[i+1] && w[i+1] <= 'z'
			if i > 0 && (before || after) {
				return true
			}
			letter = true
		case isASCIILetter(c), c >= utf8.RuneSelf:
			letter = true
		}
	}
	return letter && (digit || joint)
}
