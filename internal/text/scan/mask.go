package scan

import (
	"bytes"
	"cmp"
	"slices"
)

// Masked stands where a secret was. Its marks occur in no value that a rule matches, so a masked text
// contains no new secret.
const Masked = "«masked»"

// Mask returns text with every secret replaced, including repetitions of its value and tokens of which the text shows only the
// beginning. Masking a masked text changes nothing.
func Mask(text []byte) []byte {
	// A value may have stood between a label and another value: masking it can bring these together.
	for range 8 {
		found := append(all().search(text, true), all().beginnings(text)...)
		secrets := newCensor(text, found)
		if len(secrets.spans) == 0 {
			return text
		}
		text = secrets.within(0, len(text))
	}
	return text
}

// beginnings finds issued tokens that are cut off: by the end of the text or by an ellipsis.
func (s *ruleset) beginnings(b []byte) []spot {
	var out []spot
	done := 0
	s.finder.each(b, func(key, at, _ int) {
		for _, id := range s.users[key] {
			p := &s.patterns[id]
			if p.cut == nil || at < done {
				continue
			}
			if hi, ok := p.cut(b, at); ok {
				out = append(out, spot{s.rules[p.rank], p.rank, at, hi})
				done = hi
			}
		}
	})
	return out
}

type span struct{ lo, hi int }

// A censor knows the positions of all secrets of one text.
type censor struct {
	text  []byte
	spans []span // sorted, not overlapping
}

func newCensor(b []byte, found []spot) *censor {
	c := &censor{text: b}
	for _, f := range found {
		if f.rule.Class == Secret {
			c.spans = append(c.spans, span{f.lo, f.hi})
		}
	}
	if len(c.spans) > 0 {
		c.spans = merge(append(c.spans, copies(b, c.spans)...))
	}
	return c
}

const (
	shortestCopy = 6 // of a value that is searched elsewhere: a shorter one may be part of any word
	mostAlike    = 8 // values with the same ending that are searched elsewhere, to bound the work
)

// copies finds repetitions of the values of the given spans. It looks values up by their last bytes: many begin alike.
func copies(b []byte, of []span) []span {
	values := map[string][][]byte{}
	for _, s := range of {
		v := b[s.lo:s.hi]
		if len(v) < shortestCopy {
			continue
		}
		tail := string(v[len(v)-shortestCopy:])
		if len(values[tail]) < mostAlike && !slices.ContainsFunc(values[tail], func(w []byte) bool { return bytes.Equal(v, w) }) {
			values[tail] = append(values[tail], v)
		}
	}
	var out []span
	for i := shortestCopy; i <= len(b); i++ {
		for _, v := range values[string(b[i-shortestCopy:i])] {
			if bytes.HasSuffix(b[:i], v) {
				out = append(out, span{i - len(v), i})
			}
		}
	}
	return out
}

func merge(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(a.lo-b.lo, b.hi-a.hi) })
	out := spans[:1]
	for _, s := range spans[1:] {
		if last := &out[len(out)-1]; s.lo < last.hi {
			last.hi = max(last.hi, s.hi)
			continue
		}
		out = append(out, s)
	}
	return out
}

// within returns the text from one offset to another with its secrets masked.
func (c *censor) within(from, to int) []byte {
	first, _ := slices.BinarySearchFunc(c.spans, from, func(s span, at int) int {
		if s.hi <= at {
			return -1
		}
		return 1
	})
	if first == len(c.spans) || c.spans[first].lo >= to {
		return c.text[from:to]
	}
	var out []byte
	at := from
	for _, s := range c.spans[first:] {
		if s.lo >= to {
			break
		}
		out = append(out, c.text[at:max(at, s.lo)]...)
		out = append(out, Masked...)
		at = s.hi
	}
	if at < to {
		out = append(out, c.text[at:to]...)
	}
	return out
}
