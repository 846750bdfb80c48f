package referee

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// term is the hash of a word, or of a pair of characters in a script without blanks.
type term uint64

// pairBit tells a pair of characters from a word.
const pairBit = 1 << 63

func (t term) pair() bool { return t&pairBit != 0 }

// terms appends the terms of a canonical line to dst, in order.
func terms(dst []term, s string) []term {
	s = unannotated(s)
	h, n := uint64(basis), 0
	var before rune
	end := func() {
		if n > 0 {
			dst = append(dst, term(mix(h)&^pairBit))
		}
		h, n = basis, 0
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			before = 0
			switch {
			case c >= 'A' && c <= 'Z':
				c += 'a' - 'A'
			case c >= 'a' && c <= 'z':
			case c >= '0' && c <= '9':
			default:
				end()
				continue
			}
			h, n = step(h, rune(c)), n+1
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if packed(r) {
			end()
			if before != 0 {
				dst = append(dst, term(mix(step(step(basis, before), r))|pairBit))
			} else if next, _ := utf8.DecodeRuneInString(s[i:]); !packed(next) {
				dst = append(dst, term(mix(step(basis, r))&^pairBit))
			}
			before = r
			continue
		}
		before = 0
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) {
			end()
			continue
		}
		h, n = step(h, unicode.ToLower(r)), n+1
	}
	end()
	return dst
}

// whole is the hash of terms in their order.
func whole(list []term) uint64 {
	h := uint64(basis)
	for _, t := range list {
		h = (h ^ uint64(t)) * prime
	}
	return mix(h)
}

// FNV-1a over characters.
const (
	basis = 14695981039346656037
	prime = 1099511628211
)

func step(h uint64, r rune) uint64 { return (h ^ uint64(r)) * prime }

func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	return h ^ h>>33
}

// unannotated returns a line without what a program noted at its end for itself, such as "[score=0.81 source=a.md:4]" and
// comments after it: it is no part of the statement, and where the statement stands elsewhere it is missing.
func unannotated(s string) string {
	for strings.HasSuffix(s, "-->") {
		i := strings.LastIndex(s, "<!--")
		if i <= 0 {
			return s
		}
		s = strings.TrimRight(s[:i], " ")
	}
	if !strings.HasSuffix(s, "]") {
		return s
	}
	i := strings.LastIndexByte(s, '[')
	if i < 0 {
		return s
	}
	for p := range strings.FieldsSeq(s[i+1 : len(s)-1]) {
		if strings.IndexByte(p, '=') < 0 {
			return s
		}
	}
	return s[:i]
}
