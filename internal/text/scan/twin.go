package scan

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// twins maps Cyrillic and Greek letters to the Latin letters they look like.
var twins = sync.OnceValue(func() map[rune]byte {
	return map[rune]byte{
		'а': 'a', 'в': 'b', 'е': 'e', 'к': 'k', 'м': 'm', 'н': 'h', 'о': 'o', 'р': 'p', 'с': 'c', 'т': 't', 'у': 'y', 'х': 'x',
		'і': 'i', 'ј': 'j', 'ѕ': 's', 'һ': 'h', 'ԁ': 'd', 'ԛ': 'q', 'ԝ': 'w', 'ӏ': 'l', 'ѵ': 'v', 'г': 'r', 'п': 'n',
		'А': 'A', 'В': 'B', 'Е': 'E', 'К': 'K', 'М': 'M', 'Н': 'H', 'О': 'O', 'Р': 'P', 'С': 'C', 'Т': 'T', 'У': 'Y', 'Х': 'X',
		'І': 'I', 'Ј': 'J', 'Ѕ': 'S', 'Ԛ': 'Q', 'Ԝ': 'W', 'Ү': 'Y', 'Ӏ': 'I',
		'α': 'a', 'ε': 'e', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'χ': 'x', 'γ': 'y', 'η': 'n', 'ω': 'w',
		'Α': 'A', 'Β': 'B', 'Ε': 'E', 'Ζ': 'Z', 'Η': 'H', 'Ι': 'I', 'Κ': 'K', 'Μ': 'M', 'Ν': 'N', 'Ο': 'O', 'Ρ': 'P', 'Τ': 'T', 'Υ': 'Y', 'Χ': 'X',
	}
})

// twinScript reports letters of alphabets with Latin look-alikes.
func twinScript(r rune) bool {
	return r >= 0x0370 && r <= 0x03ff || r >= 0x0400 && r <= 0x052f
}

// word returns the bounds of the run of letters around i, looking back at most a long word.
func word(b []byte, i int) (lo, hi int) {
	lo, hi = i, i
	for lo > 0 && i-lo < 64 {
		r, n := utf8.DecodeLastRune(b[:lo])
		if !unicode.IsLetter(r) {
			break
		}
		lo -= n
	}
	for hi < len(b) {
		r, n := utf8.DecodeRune(b[hi:])
		if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) {
			break
		}
		hi += n
	}
	return lo, hi
}

// latinTwins are the Latin letters with a look-alike elsewhere.
const latinTwins = "aceopxyijsdqwlvrnkmtbhuABCEHKMOPTXYIJSZNQW"

// mixed reports whether letters of a word were swapped for look-alikes. People do mix alphabets: they
// put endings on foreign words and Greek letters before symbols. So the letters of the rarer alphabet
// must all be look-alikes, in places where neither habit puts them.
func mixed(w []byte) bool {
	var latin, other, greek, odd, oddLatin, turns int
	var last, first byte
	upper := true
	for i := 0; i < len(w); {
		r, n := utf8.DecodeRune(w[i:])
		i += n
		script := byte('l')
		switch {
		case twinScript(r):
			script = 'o'
			other++
			if twins()[r] == 0 {
				odd++
			}
			if r < 0x0400 {
				greek++
			}
		case unicode.Is(unicode.Latin, r):
			latin++
			upper = upper && unicode.IsUpper(r)
			if r > unicode.MaxASCII || strings.IndexByte(latinTwins, byte(r)) < 0 {
				oddLatin++
			}
		default:
			continue
		}
		if last != 0 && script != last {
			turns++
		}
		if first == 0 {
			first = script
		}
		last = script
	}
	if latin == 0 || other == 0 || latin+other < 4 {
		return false
	}
	if latin < other {
		return oddLatin == 0 && latin <= 2 && (turns >= 2 || first == 'l')
	}
	if odd > 0 {
		return false
	}
	if turns >= 2 {
		return true
	}
	return greek == 0 && (first == 'o' || other == 1 && !upper)
}
