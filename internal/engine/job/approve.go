package job

import (
	"fmt"

	"tend/internal/model/finding"
	"tend/internal/state/plan"
	"tend/internal/text/claim"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// ByAgent is the job name of proposals that the agent itself made: changes of text that is
// not its own.
const ByAgent = "agent"

// Approve writes what a person approved to its file, and retires what it replaces. An agent's
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
	f := fact{text: p.Text, tags: p.Tags}
	if p.Job == ByAgent {
		d.set(p.Target, d.shelved(p.Target, d.Today(), []string{p.Text}), "approved by a person")
	} else {
		d.retireFor(p)
		d.set(p.Target, d.placed(p.Target, f, p.Text), "approved by a person")
	}
	d.promoted(p.Sources...)
	d.pl.Summary = fmt.Sprintf("%s approved: to %s", p.ID, p.Target)
	return d.plan()
}

// retireFor retires the statements that an approved entry replaces.
func (d *draft) retireFor(p plan.Proposal) {
	text := p.Text
	if e := d.Syntax(p.Target).Parse([]byte(text)).Entries(0); len(e) > 0 {
		text = e[0].Text()
	}
	newer := claim.Read(text, d.Today())
	for _, h := range d.memory().near(text) {
		if over, why := claim.Supersedes(newer, h.said()); over && h.open && h.day <= d.Today() {
			d.retire(h, text, d.Today(), why, "")
		}
	}
}
