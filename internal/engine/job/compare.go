package job

import (
	"fmt"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/claim"
	"tend/internal/text/note"
)

// Compare looks for contradictions within and across files: the same subject with different values, a fact in two
// files, links to missing files. It changes nothing.
func Compare(in Input) plan.Plan {
	pl := plan.Plan{Job: "compare"}
	v := view{in}
	pl.Findings = slices.Concat(contradictions(v.said()), v.twoHomes(), deadLinks(in))
	finding.Sort(pl.Findings)
	pl.Summary = "nothing contradicts"
	if n := len(pl.Findings); n > 0 {
		pl.Summary = fmt.Sprintf("%d to look at", n)
	}
	return pl
}

// statement is an entry with its place and what it claims.
type statement struct {
	claim.Statement
	path  vault.Path
	line  int
	event bool // from a log: it tells what happened, not what is true now
}

// said lists the statements of all long-term files, and those of recent logs that say that something changed.
func (in view) said() []statement {
	var out []statement
	take := func(doc vault.Doc, day note.Day, event bool) {
		d := in.Parse(doc)
		for _, e := range d.Entries(day) {
			when := note.Day(0)
			if dated(e) {
				when = e.Day
			}
			s := claim.ReadUnder(e.Text(), heading(d, e), when)
			if len(s.Claims) > 0 && (!event || s.Changed) {
				out = append(out, statement{Statement: s, path: doc.Path, line: e.Line, event: event})
			}
		}
	}
	for _, doc := range in.Of(longTerm()...) {
		if !in.formerly(doc.Path) {
			take(doc, 0, false)
		}
	}
	for _, log := range in.Logs() {
		if age := in.Today().Sub(log.Day); age >= 0 && age < policy.ReviewDays.Of(in.Policy) {
			take(log.Doc, log.Day, true)
		}
	}
	return out
}

// heading is the title above an entry, if it says what the entry is about.
func heading(d *note.Doc, e note.Entry) string {
	if e.Section < 0 || d.Sections[e.Section].Day != 0 || d.Sections[e.Section].Level < 2 {
		return ""
	}
	return d.Sections[e.Section].Title
}

// crowded is how many statements may share a word before it is too common to relate them.
const crowded = 40

// contradictions finds pairs of statements that cannot both be true. A log contradicts a file, but not another log.
func contradictions(said []statement) []finding.Finding {
	byWord := map[string][]int{}
	for i, s := range said {
		for _, w := range claim.Words(s.Statement) {
			byWord[w] = append(byWord[w], i)
		}
	}
	var out []finding.Finding
	for i, a := range said {
		compared := map[int]bool{}
		for _, w := range claim.Words(a.Statement) {
			if len(byWord[w]) > crowded {
				continue
			}
			for _, j := range byWord[w] {
				if j <= i || compared[j] {
					continue
				}
				compared[j] = true
				b := said[j]
				if a.event && b.event {
					continue
				}
				if no, _ := claim.Contradict(a.Statement, b.Statement); no && !bothHold(a, b, said) {
					out = append(out, disagree(a, b))
				}
			}
		}
	}
	return out
}

// bothHold reports whether the subject has several values: the file of one statement also says what the other says, or
// the values are ports, of which a service may have two. It does not if a statement says that something changed.
func bothHold(a, b statement, said []statement) bool {
	if a.path == b.path && !a.Changed && !b.Changed {
		if cs := claim.Conflicts(a.Statement, b.Statement); len(cs) > 0 && cs[0].Old.Kind == claim.Port {
			return true
		}
	}
	return slices.ContainsFunc(said, func(s statement) bool {
		return a.path != b.path && !s.event && (s.path == b.path && claim.Same(s.Statement, a.Statement) || s.path == a.path && claim.Same(s.Statement, b.Statement)) &&
			!s.Changed && !a.Changed && !b.Changed
	})
}

// disagree quotes both statements and names the newer one. The finding points to the one to correct.
func disagree(a, b statement) finding.Finding {
	if a.event || !b.event && b.Day != 0 && (a.Day == 0 || b.Day < a.Day) {
		a, b = b, a // a is the older one, or the one that is not from a log
	}
	if a.Day > b.Day && !b.event {
		a, b = b, a
	}
	newer := "neither is dated"
	switch {
	case b.event || b.Day > a.Day:
		newer = "the second is newer"
	case a.Day > b.Day:
		newer = "the first is newer"
	case a.Day != 0:
		newer = "both are of the same day"
	}
	return finding.Contradiction.In(string(a.path), "%s, but %s:%d says %s; %s",
		quoted(a), b.path, b.line, quoted(b), newer).AtLine(a.line)
}

// quoted returns a statement in quotes, with its day.
func quoted(s statement) string {
	text := briefText(s.Text)
	if s.Day == 0 {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%q (%s)", text, s.Day)
}

// twoHomes finds entries that are in two long-term files.
func (in view) twoHomes() []finding.Finding {
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
				continue // a few words may be repeated anywhere
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
