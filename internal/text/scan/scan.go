// Package scan finds secrets, text that tries to steer its reader, and text that nobody can see, and says what it found, where,
// and what to do about it.
//
// It is a pure function over bytes: no files, no clock, no state, and work that grows no faster than the text. [Text] scans one
// text, [Mask] removes secrets from it, [Quote] makes a part of it fit to be shown. The rules are in rules.txt.
//
// A hit is a signal for a person, not a defence: an attacker can rephrase the text. What happens to a flagged entry depends on
// who owns the file it would be loaded from.
package scan

import (
	"cmp"
	"fmt"
	"slices"
)

// Class says what kind of thing a rule looks for.
type Class string

// The classes, in the order reports list them.
const (
	Secret    Class = "secret"    // a credential that must not be in a note
	Injection Class = "injection" // text that tries to steer its reader
	Exfil     Class = "exfil"     // text that tries to carry data out
	Hidden    Class = "hidden"    // characters a person cannot see
)

// Severity is the weight of a hit; it never decides alone what happens to an entry.
type Severity string

// Low deserves a look, Medium a decision, High a refusal unless the operator allows it.
const (
	Low    Severity = "low"
	Medium Severity = "medium"
	High   Severity = "high"
)

// Info describes a rule without running it.
type Info struct {
	Rule     string   `json:"rule"`
	Class    Class    `json:"class"`
	Severity Severity `json:"severity"`
	What     string   `json:"what"`
	Remedy   string   `json:"remedy"`
}

// Hit is one finding. Start and End are byte offsets into the scanned text, Line counts from 1.
// What, Remedy and Excerpt are safe to print and to log: they contain no secret value and no
// character that could act on a terminal.
type Hit struct {
	Rule     string   `json:"rule"`
	Class    Class    `json:"class"`
	Severity Severity `json:"severity"`
	Start    int      `json:"start"`
	End      int      `json:"end"`
	Line     int      `json:"line"`
	What     string   `json:"what"`
	Remedy   string   `json:"remedy"`
	Excerpt  string   `json:"excerpt"`
}

func (h Hit) String() string {
	return fmt.Sprintf("line %d: %s: %s (%s)", h.Line, h.Rule, h.What, h.Excerpt)
}

// Options limit what is reported. The zero value is for text that lies in memory: it reports what an owner should act on.
type Options struct {
	Allow   []string // codes of rules the operator has switched off
	Classes []Class  // only these; empty means all
	// Incoming is set for a text that somebody else may have written and that is about to be taken over: then wording of
	// attacks is also reported where a note may only be describing it, and characters that nobody needs to type.
	Incoming bool
}

func (o Options) reports(r *rule) bool {
	return (len(o.Classes) == 0 || slices.Contains(o.Classes, r.Class)) && !slices.Contains(o.Allow, r.Rule)
}

// Text scans b and returns the hits in text order. It never fails: a text that is not readable as UTF-8 is one hit, see
// [Unreadable].
func Text(b []byte, opts Options) []Hit {
	s := all()
	found := s.search(b, false)
	secrets := newCensor(b, found)
	found = append(believable(b, mostExact(found), opts.Incoming), s.hidden(b, opts.Incoming)...)
	slices.SortFunc(found, func(a, b spot) int { return cmp.Or(a.lo-b.lo, a.hi-b.hi, a.rank-b.rank) })
	x := explainer{text: b, secrets: secrets, line: 1}
	var hits []Hit
	lines := make([]int, len(s.rules)) // of the last hit of each rule
	for _, f := range found {
		if !opts.reports(f.rule) {
			continue
		}
		// Every secret must be dealt with; for the rest one look at the line is enough.
		if line := x.lineOf(f); f.rule.Class == Secret || line != lines[f.rank] {
			lines[f.rank] = line
			hits = append(hits, x.hit(f))
		}
	}
	return hits
}

// mostExact drops secrets that overlap one of a lower rank.
func mostExact(in []spot) []spot {
	slices.SortFunc(in, func(a, b spot) int { return cmp.Or(a.lo-b.lo, a.rank-b.rank, b.hi-a.hi) })
	var out []spot
	last := -1 // the last secret in out
	for _, f := range in {
		if f.rule.Class != Secret {
			out = append(out, f)
			continue
		}
		if last >= 0 && f.lo < out[last].hi {
			if f.rank < out[last].rank {
				out[last] = f
			}
			continue
		}
		last = len(out)
		out = append(out, f)
	}
	return out
}
