package job

import (
	"fmt"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

// Compare looks for contradictions within and across files: the same subject with different values, a fact in two
// files, links to missing files. It changes nothing.
func Compare(in Input) plan.Plan {
	pl := plan.Plan{Job: "compare"}
	v := view{in}
	pl.Findings = slices.Concat(v.twoHomes(), deadLinks(in))
	finding.Sort(pl.Findings)
	pl.Summary = "nothing contradicts"
	if n := len(pl.Findings); n > 0 {
		pl.Summary = fmt.Sprintf("%d to look at", n)
	}
	return pl
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
