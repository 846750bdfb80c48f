package scan

import (
	"cmp"
	"slices"
	"sort"
	"unicode/utf8"
)

// A view is a text as a reader takes it: invisible characters gone, tag letters made plain,
// look-alike and styled letters made ASCII. The text is nil where that changes nothing.
type view struct {
	text  []byte
	marks []mark
}

// A mark says that from at in the view on, the origin is from, and that this stretch of the view
// was copied byte for byte (or stands for one rune of the original).
type mark struct{ at, from int }

// origin maps an offset in the view to one in the original text.
func (v view) origin(at int) int {
	i := sort.Search(len(v.marks), func(i int) bool { return v.marks[i].at > at })
	m := v.marks[i-1]
	return m.from + at - m.at
}

// end maps the end of a stretch of the view to the end of the rune it came from.
func (v view) end(b []byte, hi int) int {
	at := v.origin(hi - 1)
	if utf8.RuneStart(b[at]) {
		_, n := utf8.DecodeRune(b[at:])
		return at + n
	}
	return at + 1
}

func fold(b []byte, hidden []found) view {
	if apart := spacedOut(b); apart != nil {
		hidden = append(slices.Clone(hidden), apart...)
		slices.SortFunc(hidden, func(a, b found) int { return cmp.Or(a.lo-b.lo, a.hi-b.hi) })
	}
	if len(hidden) == 0 && !styledAnywhere(b) {
		return view{}
	}
	v := view{text: make([]byte, 0, len(b))}
	copied := func(lo, hi int) {
		if lo < hi {
			v.marks = append(v.marks, mark{len(v.text), lo})
			v.text = append(v.text, b[lo:hi]...)
		}
	}
	to := unstyled
	if slices.ContainsFunc(hidden, func(h found) bool { return h.rank == homoglyph }) {
		to = func(r rune) byte { return cmp.Or(unstyled(r), twins[r]) }
	}
	at := 0
	for _, h := range hidden {
		if h.lo < at {
			continue
		}
		v.replace(b, at, h.lo, copied, to)
		switch h.rank {
		case tags:
			v.each(b, h.lo, h.hi, func(r rune) byte {
				if r >= 0xe0020 && r < 0xe007f {
					return byte(r - 0xe0000)
				}
				return 0
			})
		case homoglyph:
			v.replace(b, h.lo, h.hi, copied, to)
		case control, lineSeparator:
			v.marks = append(v.marks, mark{len(v.text), h.lo})
			v.text = append(v.text, ' ')
		}
		at = h.hi
	}
	v.replace(b, at, len(b), copied, to)
	return v
}

// each appends what to makes of every rune of b[lo:hi], leaving out those it makes nothing of.
func (v *view) each(b []byte, lo, hi int, to func(rune) byte) {
	for lo < hi {
		r, n := utf8.DecodeRune(b[lo:hi])
		if c := to(r); c != 0 {
			v.marks = append(v.marks, mark{len(v.text), lo})
			v.text = append(v.text, c)
		}
		lo += n
	}
}

// replace copies b[lo:hi], with the runes to knows replaced by the byte it gives for them.
func (v *view) replace(b []byte, lo, hi int, copied func(lo, hi int), to func(rune) byte) {
	from := lo
	for i := lo; i < hi; {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:hi])
		if c := to(r); c != 0 {
			copied(from, i)
			v.marks = append(v.marks, mark{len(v.text), i})
			v.text = append(v.text, c)
			from = i + n
		}
		i += n
	}
	copied(from, hi)
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

// styledAnywhere looks for the lead bytes of styled letters before any decoding.
func styledAnywhere(b []byte) bool {
	for i := 0; i+2 < len(b); i++ {
		switch {
		case b[i] == 0xef && (b[i+1] == 0xbc || b[i+1] == 0xbd):
			if r, _ := utf8.DecodeRune(b[i:]); unstyled(r) != 0 {
				return true
			}
		case b[i] == 0xf0 && b[i+1] == 0x9d:
			if r, _ := utf8.DecodeRune(b[i:]); unstyled(r) != 0 {
				return true
			}
		}
	}
	return false
}
