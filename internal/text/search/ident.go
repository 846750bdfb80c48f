package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

func wordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r)
}

// joints are the signs that make one name of several words.
const joints = "-./\\:@#+=~%&?"

// wholeIdentifier reports whether a chunk is one name made of several words (a path, address, version, date, e-mail,
// hyphenated compound) and how it is spelled as one. Compounds of letters lose their hyphens: "e-mail" is "email".
func wholeIdentifier(s string) (string, bool) {
	strange := func(r rune) bool {
		return unspaced(r) || !wordRune(r) && !unicode.Is(unicode.M, r) && !strings.ContainsRune(joints, r)
	}
	if len(s) > maxTerm || !strings.ContainsAny(s, joints) || strings.IndexFunc(s, strange) >= 0 {
		return "", false
	}
	compound := strings.ReplaceAll(s, "-", "")
	if strings.IndexFunc(compound, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) }) < 0 {
		return compound, true
	}
	return s, true
}

type span struct{ start, end int }

// splitParts finds the words inside fooBar, foo_bar, main.go, HTTPServer, mp3 and 18th; none means w is one word.
func splitParts(w string) []span {
	if strings.IndexFunc(w[1:], func(r rune) bool { return r < 'a' || 'z' < r && r < utf8.RuneSelf }) < 0 && !unicode.IsDigit(rune(w[0])) {
		return nil // an ordinary word
	}
	var parts []span
	from := 0
	add := func(to int) {
		if p := w[from:to]; p != "" && (len(parts) == 0 || !slices.Contains(ordinalTails, p)) {
			parts = append(parts, span{from, to})
		}
		from = to
	}
	var prev rune
	for i, r := range w {
		before := i - utf8.RuneLen(prev)
		switch {
		case r == '_', (r == '.' || r == ':') && !between(w, i, unicode.IsDigit):
			add(i)
			from = i + 1
		case i == from:
		case unicode.IsUpper(r) && !unicode.IsUpper(prev) && unicode.IsLetter(prev),
			unicode.IsDigit(r) && unicode.IsLetter(prev),
			unicode.IsLetter(r) && unicode.IsDigit(prev):
			add(i)
		case unicode.IsLower(r) && unicode.IsUpper(prev) && before > from:
			add(before)
		}
		prev = r
	}
	add(len(w))
	if len(parts) == 1 && parts[0] == (span{0, len(w)}) {
		return nil
	}
	return parts
}

var ordinalTails = []string{"st", "nd", "rd", "th", "s"}

// between reports whether the bytes beside i are both of a kind.
func between(w string, i int, kind func(rune) bool) bool {
	return i > 0 && i+1 < len(w) && kind(rune(w[i-1])) && kind(rune(w[i+1]))
}
