package scan

import (
	"cmp"
	"slices"
	"sort"
	"unicode/utf8"
)

// A view is the parts of a text with hidden, look-alike or styled characters, as a reader sees
// them: without invisible characters, with tag letters and look-alikes as ASCII. It is empty if
// the text has none.
type view struct {
	text  []byte
	marks []mark
}

// A mark maps the bytes of the view from at on to the original from from on.
type mark struct{ at, from int }

// origin maps an offset in the view to one in the original text.
func (v *view) origin(at int) int {
	i := sort.Search(len(v.marks), func(i int) bool { return v.marks[i].at > at })
	m := v.marks[i-1]
	return m.from + at - m.at
}

// end maps the end of a range of the view to the end of the rune it came from.
func (v *view) end(b []byte, hi int) int {
	at := v.origin(hi - 1)
	if utf8.RuneStart(b[at]) {
		_, n := utf8.DecodeRune(b[at:])
		return at + n
	}
	return at + 1
}

// styled is the rank of letters that fold to ASCII but are not a hit.
const styled = -1

// context is how much text around a hidden character is scanned again without it.
const context = 512

// fold builds the view from the hits of the hidden rules, which are in order.
func fold(b []byte, hidden []found) view {
	var v view
	odd := slices.Concat(hidden, styledLetters(b))
	slices.SortFunc(odd, func(a, b found) int { return cmp.Or(a.lo-b.lo, a.hi-b.hi) })
	for len(odd) > 0 {
		lo, hi, n := max(0, odd[0].lo-context), odd[0].hi+context, 1
		for n < len(odd) && odd[n].lo-context <= hi {
			hi = max(hi, odd[n].hi+context)
			n++
		}
		v.region(b, lo, min(hi, len(b)), odd[:n])
		odd = odd[n:]
	}
	return v
}

// region appends b[lo:hi] without its odd characters, and then a separator that no expression matches.
func (v *view) region(b []byte, lo, hi int, odd []found) {
	to := unstyled
	if slices.ContainsFunc(odd, func(h found) bool { return h.rank == homoglyph }) {
		to = func(r rune) byte { return cmp.Or(unstyled(r), twins()[r]) }
	}
	at := lo
	for _, h := range odd {
		if h.lo < at {
			continue
		}
		v.replace(b, at, h.lo, to)
		at = h.hi
		switch h.rank {
		case styled, homoglyph:
			v.replace(b, h.lo, h.hi, to)
		case tags:
			v.tags(b, h.lo, h.hi)
		case control, lineSeparator:
			v.put(' ', h.lo)
		}
	}
	v.replace(b, at, hi, to)
	for _, c := range []byte("\n\x00\n") {
		v.put(c, hi-1)
	}
}

// put appends one byte for the rune at from.
func (v *view) put(c byte, from int) {
	v.marks = append(v.marks, mark{len(v.text), from})
	v.text = append(v.text, c)
}

// tags appends the text that tag characters spell.
func (v *view) tags(b []byte, lo, hi int) {
	for lo < hi {
		r, n := utf8.DecodeRune(b[lo:hi])
		if r >= 0xe0020 && r < 0xe007f {
			v.put(byte(r-0xe0000), lo)
		}
		lo += n
	}
}

// replace appends b[lo:hi] and replaces the runes for which to returns a byte.
func (v *view) replace(b []byte, lo, hi int, to func(rune) byte) {
	from := lo
	for i := lo; i < hi; {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:hi])
		if c := to(r); c != 0 {
			v.copy(b, from, i)
			v.put(c, i)
			from = i + n
		}
		i += n
	}
	v.copy(b, from, hi)
}

func (v *view) copy(b []byte, lo, hi int) {
	if lo < hi {
		v.marks = append(v.marks, mark{len(v.text), lo})
		v.text = append(v.text, b[lo:hi]...)
	}
}

// unstyled maps full-width and mathematical letters to ASCII, and everything else to 0.
func unstyled(r rune) byte {
	switch {
	case r >= 0xff21 && r <= 0xff3a:
		return byte(r - 0xff21 + 'A')
	case r >= 0xff41 && r <= 0xff5a:
		return byte(r - 0xff41 + 'a')
	case r >= 0x1d400 && r < 0x1d400+13*52: // thirteen styles of A to Z and a to z
		n := byte((r - 0x1d400) % 52)
		if n < 26 {
			return 'A' + n
		}
		return 'a' + n - 26
	case r >= 0x1d7ce && r <= 0x1d7ff:
		return '0' + byte((r-0x1d7ce)%10)
	}
	return 0
}

// styledLetters finds runs of such letters by their lead bytes, before decoding.
func styledLetters(b []byte) []found {
	var out []found
	for i := 0; i+2 < len(b); i++ {
		if b[i] != 0xef && b[i] != 0xf0 {
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if unstyled(r) == 0 {
			continue
		}
		if k := len(out); k > 0 && out[k-1].hi == i {
			out[k-1].hi = i + n
		} else {
			out = append(out, found{rank: styled, lo: i, hi: i + n})
		}
		i += n - 1
	}
	return out
}
