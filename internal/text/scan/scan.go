// Package scan finds secrets, prompt-injection patterns and invisible characters in a text, and
// reports what it found, where, and what to do about it.
//
// It is a pure function over bytes: no files, no clock, no state. [Text] scans one text, [Joined]
// finds secrets split across texts, [Mask] removes secrets from a text.
//
// A hit is a signal for an audit, not a defence: an attacker can rephrase the text. What happens to
// a flagged entry depends on who owns the file it would be loaded from.
package scan

import (
	"bytes"
	"cmp"
	"slices"
)

// Options limit what is reported. The zero value reports everything.
type Options struct {
	Allow   []string // codes of rules the operator has switched off
	Classes []Class  // only these; empty means all
}

func (o Options) reports(r *rule) bool {
	return (len(o.Classes) == 0 || slices.Contains(o.Classes, r.Class)) && !slices.Contains(o.Allow, r.Rule)
}

// Text scans b and returns the hits in text order. It never fails: invalid UTF-8 is a hit of its
// own.
func Text(b []byte, opts Options) []Hit {
	found := detect(b)
	if len(found) == 0 {
		return nil
	}
	x := newExplainer(b, found)
	var hits []Hit
	for _, f := range settle(found) {
		if opts.reports(f.rule) {
			hits = append(hits, x.hit(f))
		}
	}
	return hits
}

// detect returns everything any rule finds, overlaps included. Text with invisible or look-alike
// characters is scanned a second time without them.
func detect(b []byte) []found {
	s := all()
	out := s.hidden(b)
	v := fold(b, out)
	out = append(out, s.runs(b)...)
	out = append(out, s.search(b)...)
	if v.text == nil {
		return out
	}
	for _, f := range append(s.runs(v.text), s.search(v.text)...) {
		f.lo, f.hi = v.origin(f.lo), v.end(b, f.hi)
		out = append(out, f)
	}
	return out
}

// settle sorts hits, drops repeats of one rule at the same position, and keeps only the most exact
// of overlapping secrets.
func settle(in []found) []found {
	in = slices.Clone(in)
	slices.SortFunc(in, func(a, b found) int { return cmp.Or(a.rank-b.rank, a.lo-b.lo, b.hi-a.hi) })
	var out []found
	end := 0 // of the rule's last hit, whose hits are sorted by place
	var secrets []found
	for i, f := range in {
		if i == 0 || in[i-1].rank != f.rank {
			end = 0
		}
		if f.lo < end {
			continue
		}
		end = f.hi
		if f.rule.Class == Secret {
			secrets = append(secrets, f)
		} else {
			out = append(out, f)
		}
	}
	out = append(out, mostExact(secrets)...)
	slices.SortFunc(out, func(a, b found) int { return cmp.Or(a.lo-b.lo, a.hi-b.hi, a.rank-b.rank) })
	return out
}

// mostExact drops secrets that overlap one of lower rank.
func mostExact(in []found) []found {
	slices.SortFunc(in, func(a, b found) int { return cmp.Or(a.lo-b.lo, a.rank-b.rank) })
	var out []found
	for _, f := range in {
		if n := len(out); n > 0 && f.lo < out[n-1].hi {
			if f.rank < out[n-1].rank {
				out[n-1] = f
			}
			continue
		}
		out = append(out, f)
	}
	return out
}

// lineAt counts lines like editors do: every line feed ends one.
func lineAt(b []byte, from, line, to int) int {
	return line + bytes.Count(b[from:to], []byte{'\n'})
}
