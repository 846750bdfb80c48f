package loadview

import (
	"strings"
	"unicode/utf8"

	"tend/internal/text/layout"
)

// width is how many units a rune takes.
func width(r rune, size int, u layout.Unit) int {
	switch {
	case u == layout.Bytes:
		return size
	case u == layout.UTF16 && r > 0xFFFF:
		return 2
	}
	return 1
}

// count is the size of a text in the unit.
func count(s string, u layout.Unit) int {
	switch u {
	case layout.Bytes:
		return len(s)
	case layout.Runes:
		return utf8.RuneCountInString(s)
	}
	n := 0
	for i := range len(s) {
		// Every byte that begins a character counts one, and one that begins a character of four bytes counts one more.
		switch c := s[i]; {
		case c >= 0xF0:
			n += 2
		case c < 0x80 || c >= 0xC0:
			n++
		}
	}
	return n
}

// head is the byte offset after the first n units. A character that would be split is left out.
func head(s string, n int, u layout.Unit) int {
	if n <= 0 {
		return 0
	}
	if n >= len(s) {
		return len(s)
	}
	for i, r := range s {
		if n -= width(r, utf8.RuneLen(r), u); n < 0 {
			return i
		}
	}
	return len(s)
}

// tail is the byte offset of the last n units. A character that would be split is left out.
func tail(s string, n int, u layout.Unit) int {
	if n <= 0 {
		return len(s)
	}
	i := len(s)
	for i > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		if n -= width(r, size, u); n < 0 {
			break
		}
		i -= size
	}
	return i
}

// half is shown for a character that was split.
const half = "\uFFFD"

// space is white space as in JavaScript's trim; Rust and Python differ only in characters nobody types.
func space(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r == ' ', r == 0xA0, r == 0x1680, r >= 0x2000 && r <= 0x200A,
		r == 0x2028, r == 0x2029, r == 0x202F, r == 0x205F, r == 0x3000, r == 0xFEFF:
		return true
	}
	return false
}

// fill replaces {name} in a template by its value, and {name:,} by the value with grouped digits.
func fill(template string, values ...string) string {
	pairs := make([]string, 0, 2*len(values))
	for i := 0; i+1 < len(values); i += 2 {
		pairs = append(pairs, "{"+values[i]+"}", values[i+1], "{"+values[i]+":,}", group(values[i+1]))
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

func group(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
