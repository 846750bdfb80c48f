package job

import (
	"fmt"

	"tend/internal/model/finding"
	"tend/internal/state/plan"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// ByAgent is the job name of proposals that the agent itself made: changes of text that is
// not its own.
const ByAgent = "agent"

// Approve writes what a person approved to its file, in the place of the line it replaces, if any. An agent's
// proposal may go to files that no job writes to, since a person has read it, but a baseline
// is only ever changed where the operator keeps it.
func Approve(in Input, p plan.Proposal) plan.Plan {
	d := newDraft(in, "approve")
	if _, guarded := d.Baselines[p.Target]; guarded && p.Job == ByAgent {
		d.find(finding.InBaseline.In(string(p.Target), "%s is for a file that has a baseline", p.ID))
		return d.pl
	}
	if hits := scan.Text([]byte(p.Text), scan.Options{Classes: []scan.Class{scan.Hidden}, Incoming: true}); len(hits) > 0 {
		d.find(finding.HiddenProposal.In(string(p.Target), "%s holds what a person cannot see (%s): %s", p.ID, hits[0].Rule, hits[0].Excerpt))
		return d.pl
	}
	if !d.open(p.Target) && p.Job != ByAgent {
		d.find(finding.NoPlace.In(string(p.Target), "it takes no entries; %s stays a proposal", p.ID))
		return d.pl
	}
	normal := note.Normal(p.Text)
	for _, e := range d.Parse(d.File(p.Target)).Entries(0) {
		if e.Normal() == normal {
			d.pl.Summary = fmt.Sprintf("%s has it already", p.Target)
			return d.pl
		}
	}
	day, err := note.ParseDay(p.Day)
	if err != nil {
		day = d.Today()
	}
	if p.Replaces != "" && p.Job != ByAgent {
		d.pl.Archives = append(d.pl.Archives, plan.Archive{File: p.Target, Kind: "superseded", Text: []byte(p.Replaces + "\n"), Why: "Replaced by what was approved: " + scan.Quote(p.Text, briefRunes)})
		d.set(p.Target, d.withEntry(p.Target, day, p.Text, p.Replaces), "approved by a person")
	} else {
		d.set(p.Target, d.withEntry(p.Target, day, p.Text, ""), "approved by a person")
	}
	d.promoted(p.Sources...)
	d.pl.Summary = fmt.Sprintf("%s approved: to %s", p.ID, p.Target)
	return d.plan()
}
