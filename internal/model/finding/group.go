package finding

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tend/internal/model/textfmt"
)

// Group is what was found of one kind in one agent's files.
type Group struct {
	Agent    string
	Code     string
	Severity Severity
	Remedy   string
	New      int // how many of its findings the last night did not have
	List     []Finding
}

// Groups returns the findings by agent and kind, the costliest first.
func Groups(list []Finding) []Group {
	list = slices.Clone(list)
	Rank(list)
	type key struct{ agent, code string }
	at := map[key]int{}
	var out []Group
	for _, f := range list {
		k := key{f.Agent, f.Code}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, Group{Agent: f.Agent, Code: f.Code, Remedy: f.Remedy})
		}
		g := &out[i]
		g.List = append(g.List, f)
		g.Severity = max(g.Severity, f.Severity)
		if !f.Known {
			g.New++
		}
	}
	return out
}

// Places is in how many places the group was found.
func (g Group) Places() int {
	n := 0
	for _, f := range g.List {
		n += f.Places()
	}
	return n
}

// String describes the group on one line: "3 secrets in MEMORY.md: lines 16-18", "12 secrets in 9 files: MEMORY.md, …".
func (g Group) String() string {
	first := g.List[0]
	if len(g.List) == 1 && first.Places() == 1 {
		return first.Where() + first.Text
	}
	what := textfmt.Count(g.Places(), Noun(g.Code))
	files := g.files()
	switch {
	case len(files) == 0:
		return fmt.Sprintf("%s; the first: %s", what, first.Text)
	case len(files) == 1 && len(first.Lines) > 0:
		return fmt.Sprintf("%s in %s: %s", what, files[0], LineRanges(first.Lines))
	case len(files) == 1:
		return fmt.Sprintf("%s in %s", what, files[0])
	}
	const most = 2
	var shown []string
	for _, name := range files[:min(most, len(files))] {
		shown = append(shown, g.placesIn(name))
	}
	names := strings.Join(shown, "; ")
	if more := len(files) - most; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s in %d files: %s", what, len(files), names)
}

// Finding is the group as one finding.
func (g Group) Finding() Finding {
	f := g.List[0]
	if len(g.List) > 1 {
		f.File, f.Line, f.Lines, f.Diff = "", 0, nil, ""
		f.Severity, f.Text = g.Severity, g.String()
	}
	return f
}

// placesIn is a file with the lines at which the group was found in it: "MEMORY.md:16-18, 40".
func (g Group) placesIn(file string) string {
	var lines []int
	for _, f := range g.List {
		switch {
		case f.File != file:
		case len(f.Lines) > 0:
			lines = append(lines, f.Lines...)
		case f.Line > 0:
			lines = append(lines, f.Line)
		}
	}
	if len(lines) == 0 {
		return file
	}
	slices.Sort(lines)
	return file + ":" + ranges(lines)
}

// files lists the files of a group, those with the most places first.
func (g Group) files() (names []string) {
	places := map[string]int{}
	for _, f := range g.List {
		if f.File == "" {
			continue
		}
		if places[f.File] == 0 {
			names = append(names, f.File)
		}
		places[f.File] += f.Places()
	}
	slices.SortStableFunc(names, func(a, b string) int { return places[b] - places[a] })
	return names
}

// Where is the file and line of a finding with a colon behind, empty if it is about no file.
func (f Finding) Where() string {
	switch {
	case f.File == "":
		return ""
	case f.Line > 0:
		return fmt.Sprintf("%s:%d: ", f.File, f.Line)
	}
	return f.File + ": "
}

// Noun is what findings of a kind count.
func Noun(code string) string {
	switch code {
	case SecretAtRest.Code:
		return "secret"
	case InjectionAtRest.Code:
		return "passage"
	case DeadLink.Code, DecisionLinks.Code:
		return "missing file"
	case Expired.Code:
		return "entry"
	}
	return "place"
}

// LineRanges formats lines in order: "line 3", "lines 16-18, 40".
func LineRanges(lines []int) string {
	if len(lines) == 1 {
		return "line " + ranges(lines)
	}
	return "lines " + ranges(lines)
}

// ranges formats lines in order, the first dozen of them: "16-18, 40".
func ranges(lines []int) string {
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
	return strings.Join(parts, ", ")
}
