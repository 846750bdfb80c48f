package job

import (
	"fmt"

	"tend/internal/finding"
	"tend/internal/note"
	"tend/internal/plan"
)

// Approve writes what a person approved to its file, under the day of the approval.
func Approve(in Input, p plan.Proposal) plan.Plan {
	d := newDraft(in, "approve")
	if !d.open(p.Target) {
		d.find(finding.NoPlace.In(string(p.Target), "it takes no entries; %s stays a proposal", p.ID))
		return d.pl
	}
	normal := note.Normal(p.Text)
	for _, e := range d.Syntax().Parse(d.File(p.Target).Data).Entries(0) {
		if e.Normal() == normal {
			d.pl.Summary = fmt.Sprintf("%s has it already", p.Target)
			return d.pl
		}
	}
	d.set(p.Target, d.shelved(p.Target, d.Today(), []string{p.Text}), "approved by a person")
	d.promoted(p.Sources...)
	d.pl.Summary = fmt.Sprintf("%s approved: to %s", p.ID, p.Target)
	return d.plan()
}
