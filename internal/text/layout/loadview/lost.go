package loadview

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tend/internal/text/layout"
)

// account determines which parts of the file the model does not get.
func (in *Injected) account(data []byte, whole source, p piece, u layout.Unit) {
	kept := 0
	for _, k := range p.shown {
		in.Intact = append(in.Intact, k.ranges()...)
		kept += count(k.text, u)
	}
	in.Intact = tidy(in.Intact)
	if !in.Cut {
		return
	}
	in.Lost = max(0, in.Raw-kept)
	fine := slices.Concat(in.Intact, gaps(tidy(whole.ranges()), len(data)))
	slices.SortFunc(fine, func(a, b Range) int { return a.From - b.From })
	in.Lines = lost(data, tidy(fine), p.rules)
}

// tidy merges ranges that touch or overlap; they are sorted by their start.
func tidy(ranges []Range) []Range {
	var out []Range
	for _, r := range ranges {
		switch n := len(out); {
		case r.From >= r.To:
		case n > 0 && r.From <= out[n-1].To:
			out[n-1].To = max(out[n-1].To, r.To)
		default:
			out = append(out, r)
		}
	}
	return out
}

// gaps returns the bytes outside the ranges: the harness never meant to show them, so they are not lost.
func gaps(ranges []Range, size int) []Range {
	var out []Range
	at := 0
	for _, r := range ranges {
		out = append(out, Range{at, r.From})
		at = r.To
	}
	return append(out, Range{at, size})
}

// longestRule limits the lines searched in a digest, which shows short ones.
const longestRule = 64 << 10

// lost lists the lines of the file that are not completely shown. White space does not count, nor does a line that a
// digest shows completely. Blank lines between two lost ones belong to the same span.
func lost(data []byte, fine []Range, rules []string) []Span {
	digest := map[string]bool{}
	for _, r := range rules {
		digest[r] = true
	}
	var out []Span
	number, at, open := 0, 0, false // open: only blank lines since the last lost one
	for line := range bytes.Lines(data) {
		number++
		switch {
		case len(bytes.TrimFunc(line, space)) == 0:
		case covered(at, line, fine), len(digest) > 0 && len(line) <= longestRule && digest[squeeze(string(line))]:
			open = false
		case open:
			out[len(out)-1].To = number
		default:
			out = append(out, Span{number, number})
			open = true
		}
		at += len(line)
	}
	return out
}

// LostLines describes the lines that are not shown.
func (in Injected) LostLines() string { return Lines(in.Lines) }

// Lines describes lines for people, at most a few spans: "12, 40-90 and 7 more ranges up to line 200".
func Lines(spans []Span) string {
	const few = 3
	var parts []string
	for _, s := range spans[:min(few, len(spans))] {
		if s.From == s.To {
			parts = append(parts, strconv.Itoa(s.From))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", s.From, s.To))
		}
	}
	text := strings.Join(parts, ", ")
	if more := len(spans) - few; more > 0 {
		text += fmt.Sprintf(" and %d more ranges up to line %d", more, spans[len(spans)-1].To)
	}
	return text
}

// covered reports whether the line, without white space at its ends, is within one of the ranges, which neither touch
// nor overlap.
func covered(at int, line []byte, ranges []Range) bool {
	left := bytes.TrimLeftFunc(line, space)
	from := at + len(line) - len(left)
	to := from + len(bytes.TrimRightFunc(left, space))
	if from >= to {
		return true
	}
	i, _ := slices.BinarySearchFunc(ranges, from, func(r Range, at int) int { return r.To - at - 1 })
	return i < len(ranges) && ranges[i].From <= from && ranges[i].To >= to
}

// clip returns what is still shown of the kept parts if the text ends at the given byte. The first part is at the start
// of the text, the last at its end.
func clip(p piece, end int) []source {
	if len(p.shown) == 0 {
		return nil
	}
	end = max(end, 0)
	top := p.shown[0]
	out := []source{top.slice(0, min(end, len(top.text)))}
	if len(p.shown) > 1 {
		last := p.shown[len(p.shown)-1]
		if start := len(p.text) - len(last.text); end > start {
			out = append(out, last.slice(0, end-start))
		}
	}
	return out
}

func blank(s string) bool { return strings.TrimFunc(s, space) == "" }
