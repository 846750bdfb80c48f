package o200k

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is a class of runes in the splitting rules; kinds can be combined to sets.
type kind uint16

const (
	other kind = 1 << iota
	newline
	space // any other white space
	digit
	upper
	lower
	both // a letter without case, which counts as either
	mark // combining; like both, but not a letter
)

// kindAt returns the kind of the first rune and its length; 0 at the end of the text.
func kindAt(s string) (kind, int) {
	if s == "" {
		return 0, 0
	}
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case 'a' <= r && r <= 'z':
		return lower, n
	case 'A' <= r && r <= 'Z':
		return upper, n
	case r == '\r' || r == '\n':
		return newline, n
	case unicode.IsSpace(r):
		return space, n
	case unicode.IsNumber(r):
		return digit, n
	case r < utf8.RuneSelf:
		return other, n
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return upper, n
	case unicode.Is(unicode.Ll, r):
		return lower, n
	case unicode.In(r, unicode.Lm, unicode.Lo):
		return both, n
	case unicode.Is(unicode.M, r):
		return mark, n
	}
	return other, n
}

// run returns the length of the prefix that consists of these kinds.
func run(s string, of kind) int {
	end := 0
	for {
		k, n := kindAt(s[end:])
		if k&of == 0 {
			return end
		}
		end += n
	}
}

// piece returns the length of the first piece of a non-empty text. A token never spans
// two pieces. A piece is a word with the one character before it and the contraction
// after it, up to three digits, punctuation, or white space. The last character of
// white space before a word belongs to the word.
func piece(s string) int {
	first, n := kindAt(s)
	for _, word := range []func(string) int{mixedWord, capitals} {
		if first&(other|space|mark) != 0 {
			if end := word(s[n:]); end > 0 {
				return n + end
			}
		}
		if end := word(s); end > 0 {
			return end
		}
	}
	if first == digit {
		end := n
		for range 2 {
			if k, n := kindAt(s[end:]); k == digit {
				end += n
			}
		}
		return end
	}
	if end := punctuation(s); end > 0 {
		return end
	}
	return blank(s)
}

const (
	headKinds = upper | both | mark
	tailKinds = lower | both | mark
)

// mixedWord matches a word that ends in lower case: capitals, then at least one small letter.
func mixedWord(s string) int {
	head := run(s, headKinds)
	if tail := run(s[head:], tailKinds); tail > 0 {
		return contracted(s, head+tail)
	}
	last := 0 // the last letter of the head that may count as a small one
	for at := 0; at < head; {
		k, n := kindAt(s[at:])
		at += n
		if k != upper {
			last = at
		}
	}
	if last == 0 {
		return 0
	}
	return contracted(s, last)
}

// capitals matches the words that mixedWord does not.
func capitals(s string) int {
	head := run(s, headKinds)
	if head == 0 {
		return 0
	}
	return contracted(s, head+run(s[head:], tailKinds))
}

// contracted adds a contraction such as 's to the word before it.
func contracted(s string, end int) int {
	for _, c := range []string{"'s", "'ſ", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if rest := s[end:]; len(rest) >= len(c) && strings.EqualFold(rest[:len(c)], c) {
			return end + len(c)
		}
	}
	return end
}

func punctuation(s string) int {
	start := len(s) - len(strings.TrimPrefix(s, " "))
	end := start + run(s[start:], other|mark)
	if end == start {
		return 0
	}
	return len(s) - len(strings.TrimLeft(s[end:], "\r\n/"))
}

func blank(s string) int {
	end := run(s, space|newline)
	if line := strings.LastIndexAny(s[:end], "\r\n"); line >= 0 {
		return line + 1
	}
	_, n := utf8.DecodeLastRuneInString(s[:end])
	if end < len(s) && end > n {
		return end - n
	}
	return end
}
