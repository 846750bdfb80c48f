package scan

import (
	"bytes"
	"cmp"
	"slices"
)

// masked replaces a secret. Its marks occur in no value that a rule matches, so a masked text
// contains no new secret.
const masked = "«masked»"

// Mask returns text with every secret replaced, including repetitions of its value. It is
// idempotent.
func Mask(text []byte) []byte {
	for range 8 {
		secrets := newCensor(text, detect(text))
		if len(secrets.spans) == 0 {
			return text
		}
		text = secrets.within(0, len(text))
	}
	return text
}

type span struct{ lo, hi int }

// A censor knows the positions of all secrets of one text.
type censor struct {
	text  []byte
	spans []span // sorted, not overlapping
}

func newCensor(b []byte, all []found) *censor {
	c := &censor{text: b}
	for _, f := range all {
		if f.rule.Class == Secret {
			c.spans = append(c.spans, span{f.lo, f.hi})
		}
	}
	if len(c.spans) > 0 {
		c.spans = merge(append(c.spans, copies(b, c.spans)...))
	}
	return c
}

// shortestCopy is the minimum length of a value that is searched elsewhere: a shorter one may be
// part of any word.
const shortestCopy = 6

// mostTwins limits how many values with the same prefix are searched elsewhere, to limit the cost
// of texts full of them.
const mostTwins = 256

// copies finds repetitions of the values of the given spans.
func copies(b []byte, of []span) []span {
	values := map[string][][]byte{}
	for _, s := range of {
		v := b[s.lo:s.hi]
		if len(v) < shortestCopy {
			continue
		}
		head := string(v[:shortestCopy])
		if len(values[head]) < mostTwins && !slices.ContainsFunc(values[head], func(w []byte) bool { return bytes.Equal(v, w) }) {
			values[head] = append(values[head], v)
		}
	}
	var out []span
	for i := 0; i+shortestCopy <= len(b); i++ {
		for _, v := range values[string(b[i:i+shortestCopy])] {
			if bytes.HasPrefix(b[i:], v) {
				out = append(out, span{i, i + len(v)})
			}
		}
	}
	return out
}

func merge(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(a.lo-b.lo, b.hi-a.hi) })
	kept := spans[:1]
	for _, s := range spans[1:] {
		if last := &kept[len(kept)-1]; s.lo < last.hi {
			last.hi = max(last.hi, s.hi)
			continue
		}
		kept = append(kept, s)
	}
	return kept
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
		out = append(out, masked...)
		at = s.hi
	}
	if at < to {
		out = append(out, c.text[at:to]...)
	}
	return out
}
