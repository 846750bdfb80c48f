package scan

import (
	"unicode"
	"unicode/utf8"
)

const (
	blackFlag = 0x1f3f4 // followed by tag letters, the flag of a region
	joiner    = 0x200d
	nonJoiner = 0x200c
)

func isTag(r rune) bool { return r >= 0xe0000 && r <= 0xe007f }

func isSelector(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180d
}

func isZeroWidth(r rune) bool {
	switch r {
	case 0x00ad, 0x034f, 0x061c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180e, 0x3164, 0xffa0:
		return true
	}
	return r >= 0x200b && r <= 0x200f || r >= 0x2060 && r <= 0x2064 || r >= 0x206a && r <= 0x206f || r >= 0x1d173 && r <= 0x1d17a
}

// flagTags is the length of the tag letters that make a black flag the flag of England, Scotland
// or Wales; anything else after a flag is hidden text.
func flagTags(b []byte) int {
	n, letters := 0, 0
	for n < len(b) {
		r, size := utf8.DecodeRune(b[n:])
		if r == 0xe007f && letters >= 3 {
			return n + size
		}
		if letters == 6 || r < 0xe0061 || r > 0xe007a {
			return 0
		}
		letters++
		n += size
	}
	return 0
}

// selectorFits reports whether a selector has a base whose look it can choose.
func selectorFits(base, selector rune) bool {
	switch {
	case selector == 0xfe0f || selector == 0xfe0e:
		return pictograph(base) || base >= '0' && base <= '9' || base == '#' || base == '*' || unicode.Is(unicode.Han, base)
	case selector >= 0x180b && selector <= 0x180d:
		return unicode.Is(unicode.Mongolian, base)
	case selector >= 0xe0100:
		return unicode.Is(unicode.Han, base)
	}
	return unicode.Is(unicode.Han, base) || unicode.Is(unicode.Sm, base) || unicode.Is(unicode.Myanmar, base) || base >= 0x3000 && base <= 0x303f || base >= 0xff00 && base <= 0xff1f
}

// zeroWidthFits reports whether a single zero-width rune has a function in its script or emoji.
func zeroWidthFits(b []byte, i int, r rune, size int) bool {
	prev, next := before(b, i), after(b, i+size)
	switch r {
	case joiner:
		return joins(prev) || pictograph(emojiBase(b, i)) && pictograph(next)
	case nonJoiner:
		return joins(prev) && (joins(next) || !unicode.IsLetter(next))
	case 0x200b: // scripts without spaces mark where a line may break
		return unbroken(prev) || unbroken(next)
	case 0x200e, 0x200f, 0x061c:
		return rightToLeftNear(b, i, size)
	case 0x180e:
		return unicode.Is(unicode.Mongolian, prev)
	case 0x115f, 0x1160:
		return unicode.Is(unicode.Hangul, prev) || unicode.Is(unicode.Hangul, next)
	case 0x17b4, 0x17b5:
		return unicode.Is(unicode.Khmer, prev)
	}
	return false
}

// joins reports scripts whose letters join or stack, where a joiner or non-joiner shapes words.
func joins(r rune) bool {
	return r >= 0x0600 && r <= 0x08ff || r >= 0x0900 && r <= 0x0dff || r >= 0x1000 && r <= 0x109f ||
		r >= 0x1780 && r <= 0x18af || r >= 0x1a00 && r <= 0x1cff || r >= 0xa840 && r <= 0xabff || r >= 0xfb50 && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefe ||
		r >= 0x11000 && r <= 0x11fff || r >= 0x1e900 && r <= 0x1e95f
}

func unbroken(r rune) bool {
	return r >= 0x0e00 && r <= 0x0eff || r >= 0x0f00 && r <= 0x0fff || r >= 0x1000 && r <= 0x109f || r >= 0x1780 && r <= 0x17ff || r >= 0x3040 && r <= 0x30ff || unicode.Is(unicode.Han, r)
}

func rightToLeft(r rune) bool {
	return r >= 0x0590 && r <= 0x08ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefe
}

func rightToLeftNear(b []byte, i, size int) bool {
	lo, hi := max(0, i-48), min(len(b), i+size+48)
	for lo < hi {
		r, n := utf8.DecodeRune(b[lo:hi])
		if rightToLeft(r) && r != 0x061c {
			return true
		}
		lo += n
	}
	return false
}

// pictograph reports runes of the blocks of emoji and their text forms.
func pictograph(r rune) bool {
	return r >= 0x2600 && r <= 0x27bf || r >= 0x1f000 && r <= 0x1faff || r >= 0x2190 && r <= 0x23ff || r >= 0x2b00 && r <= 0x2bff ||
		r >= 0x25a0 && r <= 0x25ff || r >= 0x2460 && r <= 0x24ff || r == 0xa9 || r == 0xae || r == 0x203c || r == 0x2049 || r == 0x2122 || r == 0x2139 ||
		r == 0x3030 || r == 0x303d || r == 0x3297 || r == 0x3299 || r >= 0x2934 && r <= 0x2935
}

// emojiBase is the rune before i, without skin tones and selectors.
func emojiBase(b []byte, i int) rune {
	for i > 0 {
		r, n := utf8.DecodeLastRune(b[:i])
		if r != 0xfe0f && (r < 0x1f3fb || r > 0x1f3ff) {
			return r
		}
		i -= n
	}
	return 0
}

func before(b []byte, i int) rune {
	r, n := utf8.DecodeLastRune(b[:i])
	if n == 0 {
		return 0
	}
	return r
}

func after(b []byte, i int) rune {
	if i >= len(b) {
		return 0
	}
	r, _ := utf8.DecodeRune(b[i:])
	return r
}
