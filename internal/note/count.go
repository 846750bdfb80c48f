package note

import "unicode/utf8"

// Runes counts Unicode code points, as Python and most people do; a broken byte counts as one.
func Runes(text []byte) int { return utf8.RuneCount(text) }

// UTF16 counts UTF-16 code units, as JavaScript does: most emoji count twice.
func UTF16(text []byte) int {
	n := utf8.RuneCount(text)
	for _, c := range text {
		// Only a valid sequence can begin with F0-F4 and stand for two units, which is checked where one is met.
		if c >= 0xF0 {
			return utf16Slow(text)
		}
	}
	return n
}

func utf16Slow(text []byte) int {
	n := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if n++; r > 0xFFFF {
			n++
		}
		text = text[size:]
	}
	return n
}
