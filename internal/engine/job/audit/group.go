package audit

import (
	"fmt"
	"slices"

	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
)

// grouped makes one finding of those of one kind in one file, with the lines of all. A kind that is about the whole file
// has one anyway.
func grouped(list []finding.Finding) []finding.Finding {
	at := map[string]int{}
	var out []finding.Finding
	places := map[int][]finding.Finding{}
	for _, f := range list {
		key := f.Code + " " + f.File
		if f.Code == finding.WorldDrift.Code {
			key += " " + f.Text // each has an answer of its own
		}
		i, ok := at[key]
		if !ok || f.File == "" {
			i = len(out)
			at[key] = i
			out = append(out, f)
		}
		places[i] = append(places[i], f)
	}
	for i, of := range places {
		if len(of) > 1 {
			out[i] = joined(of)
		}
	}
	return out
}

// joined is one finding for several in one file.
func joined(list []finding.Finding) finding.Finding {
	f := list[0]
	for _, g := range list {
		if g.Line > 0 {
			f.Lines = append(f.Lines, g.Line)
		}
		f.Severity = max(f.Severity, g.Severity)
	}
	slices.Sort(f.Lines)
	f.Lines = slices.Compact(f.Lines)
	where := ""
	if len(f.Lines) > 0 {
		f.Line = f.Lines[0]
		where = ", " + finding.LineRanges(f.Lines)
	}
	f.Text = fmt.Sprintf("%s%s; the first: %s", textfmt.Count(len(list), finding.Noun(f.Code)), where, list[0].Text)
	return f
}

// Place is one place of a finding that is open.
type Place struct {
	finding.Finding
	Digest string // of the line's text; empty if the finding is about no line
}

// Places returns the places of a report's findings that need attention, one by one.
func Places(in job.Input, r Report) []Place {
	l := newInspection(in)
	var out []Place
	for _, f := range r.Findings() {
		if f.Severity == finding.Info {
			continue
		}
		lines := f.Lines
		if len(lines) == 0 {
			lines = []int{f.Line}
		}
		for _, n := range lines {
			p := Place{Finding: f}
			p.Line, p.Lines = n, nil
			if n > 0 {
				p.Digest = l.lineDigest(f.File, n)
			}
			out = append(out, p)
		}
	}
	return out
}
