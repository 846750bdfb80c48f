// Package words turns numbers and untrusted text into text for people.
package words

import (
	"fmt"
	"strconv"
	"strings"
)

// Count is a number with its noun: "1 agent", "3 entries".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(stem, "a") && !strings.HasSuffix(stem, "e") {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Thousands writes a number with commas: 1,234,567.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Minute is how moments are printed.
const Minute = "2006-01-02 15:04"

// Clip shortens a text to n characters, with … for what is cut.
func Clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}

// FirstLine is a text up to its first line break.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Safe makes text from a workspace harmless to a terminal: an agent must not be able to
// move the operator's cursor.
func Safe(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && Obeyed(r) {
			return '\ufffd'
		}
		return r
	}, s)
}

// InLine is Safe for text that must stay on its line: a file name may contain a line
// break, and what follows it must not look like a line of ours.
func InLine(s string) string { return strings.ReplaceAll(Safe(s), "\n", "\ufffd") }

// Obeyed reports whether a terminal acts on a character instead of showing it.
func Obeyed(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
