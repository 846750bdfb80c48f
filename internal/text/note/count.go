package note

import "unicode/utf8"

// Runes counts Unicode code points, as Python and most people do; a broken byte counts as one.
func Runes(text []byte) int { return utf8.RuneCount(text) }

// UTF16 counts UTF-16 code units, as JavaScript does: most emoji count twice.
func UTF16(text []byte) int {
	n := utf8.RuneCount(text)
	for i, c := range text {
		if c < 0xF0 { // only these lead bytes begin a character of two units
			continue
		}
		if r, _ := utf8.DecodeRune(text[i:]); r > 0xFFFF {
			n++
		}
	}
	return n
}
