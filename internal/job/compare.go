package job

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tend/internal/finding"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// Compare looks across files for what cannot all be true: the same subject with
// different values, a fact with two homes, links to files that are gone. It changes
// nothing.
func Compare(in Input) plan.Plan {
	pl := plan.Plan{Job: "compare"}
	said := in.said()
	pl.Findings = slices.Concat(contradictions(said), in.twoHomes(), in.deadLinks())
	finding.Sort(pl.Findings)
	pl.Summary = "nothing contradicts"
	if n := len(pl.Findings); n > 0 {
		pl.Summary = fmt.Sprintf("%d to look at", n)
	}
	return pl
}

// statement is a claim with its place.
type statement struct {
	claim
	path  vault.Path
	line  int
	event bool // stands in a log, which tells what happened and not what holds
	day   note.Day
}

// said lists the claims of all long-term files and of the last days' logs.
func (in Input) said() []statement {
	var out []statement
	take := func(doc vault.Doc, day note.Day, event bool) {
		d := in.Parse(doc)
		for _, e := range d.Entries(day) {
			context := ""
			if e.Section >= 0 && d.Sections[e.Section].Day == 0 && d.Sections[e.Section].Level > 1 {
				context = d.Sections[e.Section].Title
			}
			for _, c := range claims(e.Text(), context) {
				out = append(out, statement{claim: c, path: doc.Path, line: e.Line, event: event, day: e.Day})
			}
		}
	}
	for _, doc := range in.Of(longTerm()...) {
		take(doc, 0, false)
	}
	for _, log := range in.Logs() {
		if age := in.Today().Sub(log.Day); age >= 0 && age < policy.ReviewDays.Of(in.Policy) {
			take(log.Doc, log.Day, true)
		}
	}
	return out
}

// contradictions finds subjects for which two files share no value. A log contradicts a
// file, but not another log.
func contradictions(said []statement) []finding.Finding {
	byKey := map[claimKey][]statement{}
	for _, s := range said {
		byKey[s.claimKey] = append(byKey[s.claimKey], s)
	}
	var out []finding.Finding
	for _, key := range slices.SortedFunc(maps.Keys(byKey), func(a, b claimKey) int {
		return cmp.Or(strings.Compare(a.subject, b.subject), strings.Compare(string(a.kind), string(b.kind)))
	}) {
		byFile := map[vault.Path][]statement{}
		for _, s := range byKey[key] {
			byFile[s.path] = append(byFile[s.path], s)
		}
		files := slices.Sorted(maps.Keys(byFile))
		for i, a := range files {
			for _, b := range files[i+1:] {
				if f, ok := disagree(key, byFile[a], byFile[b]); ok {
					out = append(out, f)
				}
			}
		}
	}
	return out
}

func disagree(key claimKey, a, b []statement) (finding.Finding, bool) {
	if a[0].event && b[0].event {
		return finding.Finding{}, false
	}
	for _, x := range a {
		if slices.ContainsFunc(b, func(y statement) bool { return y.value == x.value }) {
			return finding.Finding{}, false
		}
	}
	x, y := a[len(a)-1], b[len(b)-1]
	if x.event { // the finding stands at the file that is to be corrected
		x, y = y, x
	}
	newer := ""
	if y.event {
		newer = ", which is newer"
	}
	return finding.Contradiction.In(string(x.path), "%s of %s: %s here, %s in %s:%d%s",
		key.kind, key.subject, x.value, y.value, y.path, y.line, newer).AtLine(x.line), true
}

// twoHomes finds entries that stand in two long-term files.
func (in Input) twoHomes() []finding.Finding {
	type place struct {
		path  vault.Path
		entry note.Entry
	}
	seen := map[string]place{}
	var out []finding.Finding
	for _, doc := range in.Of(longTerm()...) {
		line := in.Owned(doc)
		for _, e := range in.Parse(doc).Entries(0) {
			normal := e.Normal()
			if e.Start < line || strings.Count(normal, " ") < 3 {
				continue // a few words may stand anywhere
			}
			first, ok := seen[normal]
			if !ok {
				seen[normal] = place{doc.Path, e}
				continue
			}
			if first.path != doc.Path {
				out = append(out, finding.TwoHomes.In(string(doc.Path), "also in %s:%d: %s", first.path, first.entry.Line, briefly(e)).AtLine(e.Line))
			}
		}
	}
	return out
}

// archived reports whether a path belongs to the archive.
func (in Input) archived(p vault.Path) bool {
	r, ok := in.Layout.RoleOf(string(p))
	return ok && r == layout.Archive
}
