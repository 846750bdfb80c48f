// Package textfmt turns numbers and untrusted text into text for people.
package textfmt

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count formats a number with its noun: "1 agent", "3 entries".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(stem, "a") && !strings.HasSuffix(stem, "e") {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Thousands formats a number with commas: 1,234,567.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Minute is the layout for printed times.
const Minute = "2006-01-02 15:04"

// Clip shortens a text to n characters, ending in … if it was cut.
func Clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}

// Brief puts a text on one line, clipped to n characters.
func Brief(s string, n int) string { return Clip(strings.Join(strings.Fields(s), " "), n) }

// FirstLine returns a text up to its first line break.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Safe makes untrusted text safe for a terminal and a reader: control characters and invisible characters are written
// out as <U+202E>. Line breaks and tabs stay.
func Safe(s string) string {
	if !needsEscape(s) {
		return s
	}
	var b strings.Builder
	before := rune(0)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		rest := s[i+n:]
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "<%02X>", s[i])
		case r == '\n', r == '\t':
			b.WriteRune(r)
		case r == '\r' && strings.HasPrefix(rest, "\n"): // the line end of other systems
		case Unseen(r) && !isJoinNeeded(before, r, rest):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
		before = r
		i += n
	}
	return b.String()
}

// needsEscape reports whether Safe would change anything.
func needsEscape(s string) bool {
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd") || r != '\n' && r != '\t' && Unseen(r) {
			return true
		}
	}
	return false
}

// isJoinNeeded reports whether a joiner or a variation selector is where scripts and emoji need it.
func isJoinNeeded(before, r rune, rest string) bool {
	after, _ := utf8.DecodeRuneInString(rest)
	switch r {
	case 0x200c, 0x200d:
		return before >= 0x600 && after >= 0x600 && !Unseen(after) && (!Unseen(before) || before == 0xfe0f)
	case 0xfe0f, 0xfe0e:
		keycap := before == '#' || before == '*' || before >= '0' && before <= '9'
		return keycap || before >= 0x2000 && !Unseen(before)
	}
	return false
}

// InLine is Safe for text that must stay on one line: a file name may contain a line break, and what follows it must
// not look like our own output.
func InLine(s string) string {
	if !strings.ContainsAny(s, "\n\r") {
		return Safe(s)
	}
	var b strings.Builder
	for part := range strings.SplitAfterSeq(s, "\n") {
		part, broken := strings.CutSuffix(part, "\n")
		b.WriteString(Safe(part))
		if broken {
			b.WriteString("<U+000A>")
		}
	}
	return b.String()
}

// Unseen reports whether a character is one that a terminal acts on or a person cannot see.
func Unseen(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7f:
		return false
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xffa0:
		// blanks that are letters or marks
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef, r >= 0x180b && r <= 0x180f: // variation selectors
		return true
	}
	return !unicode.IsGraphic(r)
}

// ShellQuote quotes a word for a shell, if that is needed.
func ShellQuote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:@%,=") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
