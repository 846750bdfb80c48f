package note

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Merge applies the changes from base to theirs to ours, line by line, and counts the
// places that both changed differently: there, ours stays.
//
// Where both only added, both stay, theirs first, since it is the older text. With both
// set, everything that either side wrote stays, as is right for logs. A line that one side
// deleted and the other left alone is gone, even if a line beside it was changed.
func Merge(base, ours, theirs []byte, both bool) (merged []byte, conflicts int) {
	text := string(base)
	mine, other := udiff.Lines(text, string(ours)), udiff.Lines(text, string(theirs))
	mine, other = withDeletions(text, mine, other), withDeletions(text, other, mine)
	var out strings.Builder
	at := 0
	for len(mine) > 0 || len(other) > 0 {
		lo, hi := nextEdit(mine, other)
		m, o := 0, 0
		for grown := true; grown; {
			grown = false
			if m < len(mine) && touches(mine[m], lo, hi) {
				hi, grown = max(hi, mine[m].End), true
				m++
			}
			if o < len(other) && touches(other[o], lo, hi) {
				hi, grown = max(hi, other[o].End), true
				o++
			}
		}
		out.WriteString(text[at:lo])
		a, b := applied(text, lo, hi, mine[:m]), applied(text, lo, hi, other[:o])
		switch {
		case o == 0:
			out.WriteString(a)
		case m == 0:
			out.WriteString(b)
		default:
			s, ok := resolve(a, b, both || lo == hi)
			if !ok {
				conflicts++
			}
			out.WriteString(s)
		}
		at, mine, other = hi, mine[m:], other[o:]
	}
	out.WriteString(text[at:])
	return []byte(out.String()), conflicts
}

// withDeletions adds to a side's edits the deletions of the other side, except of lines that this side changed itself. Text
// that was replaced is not deleted.
func withDeletions(text string, edits, others []udiff.Edit) []udiff.Edit {
	all, i := slices.Clone(edits), 0
	for _, o := range others {
		if o.New != "" {
			continue
		}
		at := o.Start
		for line := range strings.Lines(text[o.Start:o.End]) {
			start, end := at, at+len(line)
			at = end
			for i < len(edits) && edits[i].End <= start {
				i++
			}
			if i == len(edits) || edits[i].Start >= end {
				all = append(all, udiff.Edit{Start: start, End: end})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b udiff.Edit) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	return all
}

// nextEdit returns the range of the first edit.
func nextEdit(mine, other []udiff.Edit) (lo, hi int) {
	if len(mine) == 0 {
		return other[0].Start, other[0].End
	}
	if len(other) == 0 {
		return mine[0].Start, mine[0].End
	}
	e := mine[0]
	if o := other[0]; o.Start < e.Start || o.Start == e.Start && o.End < e.End {
		e = o
	}
	return e.Start, e.End
}

// touches reports whether an edit changes the range, or adds at the same place.
func touches(e udiff.Edit, lo, hi int) bool {
	return e.Start < hi || e.Start == lo && e.End == hi
}

// applied returns a range of text after some edits in it.
func applied(text string, lo, hi int, edits []udiff.Edit) string {
	var b strings.Builder
	for _, e := range edits {
		b.WriteString(text[lo:e.Start])
		b.WriteString(e.New)
		lo = e.End
	}
	b.WriteString(text[lo:hi])
	return b.String()
}

// resolve merges a place that both changed; ok is false if ours had to win.
func resolve(ours, theirs string, both bool) (text string, ok bool) {
	a, b := slices.Collect(strings.Lines(ours)), slices.Collect(strings.Lines(theirs))
	switch {
	case holds(a, b):
		return ours, true
	case holds(b, a):
		return theirs, true
	case !both:
		return ours, false
	}
	if !strings.HasSuffix(theirs, "\n") {
		theirs += "\n"
	}
	// Theirs, plus every line of ours that it does not have.
	var out strings.Builder
	at := 0
	for _, e := range udiff.Lines(theirs, ours) {
		out.WriteString(theirs[at:e.End])
		out.WriteString(e.New)
		at = e.End
	}
	out.WriteString(theirs[at:])
	return out.String(), true
}

// holds reports whether all has the lines of some, in their order.
func holds(all, some []string) bool {
	for _, line := range all {
		if len(some) > 0 && strings.TrimSuffix(line, "\n") == strings.TrimSuffix(some[0], "\n") {
			some = some[1:]
		}
	}
	return len(some) == 0
}
