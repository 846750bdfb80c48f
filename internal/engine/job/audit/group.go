package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tend/internal/model/finding"
	"tend/internal/model/words"
)

// grouped makes one finding of those of one kind in one file, with the lines of all. A kind that is about the whole file
// has one anyway.
func grouped(list []finding.Finding) []finding.Finding {
	at := map[string]int{}
	var out []finding.Finding
	places := map[int][]finding.Finding{}
	for _, f := range list {
		i, ok := at[f.Code+" "+f.File]
		if !ok || f.File == "" {
			i = len(out)
			at[f.Code+" "+f.File] = i
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
		where = ", " + lineRanges(f.Lines)
	}
	f.Text = fmt.Sprintf("%s%s; the first: %s", words.Count(len(list), noun(f.Code)), where, list[0].Text)
	return f
}

// noun is what findings of a kind count.
func noun(code string) string {
	switch code {
	case finding.SecretAtRest.Code:
		return "secret"
	case finding.InjectionAtRest.Code:
		return "passage"
	case finding.DeadLink.Code, finding.DecisionLinks.Code:
		return "missing file"
	case finding.Expired.Code, finding.TwoHomes.Code:
		return "entry"
	}
	return "place"
}

// lineRanges formats lines in order: "line 3", "lines 16-18 and 40".
func lineRanges(lines []int) string {
	var parts []string
	for i := 0; i < len(lines); {
		j := i
		for j+1 < len(lines) && lines[j+1] == lines[j]+1 {
			j++
		}
		part := strconv.Itoa(lines[i])
		if j > i {
			part += "-" + strconv.Itoa(lines[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	const most = 12
	if len(parts) > most {
		parts = append(parts[:most], "…")
	}
	if len(lines) == 1 {
		return "line " + parts[0]
	}
	return "lines " + strings.Join(parts, ", ")
}
