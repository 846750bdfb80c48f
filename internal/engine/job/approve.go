package job

import (
	"fmt"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/state/plan"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// ByAgent is the job name of proposals that the agent itself made: changes of text that is
// not its own.
const ByAgent = "agent"

// ByGuard is the job name of proposals for a rewrite that the keeper held.
const ByGuard = "guard"

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
	if p.Text == "" {
		d.approveRemoval(p)
		return d.plan()
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
	if _, stands := d.passage(p.Target, p.Replaces); p.Replaces != "" && !stands && p.Job != ByAgent {
		d.find(finding.NoPlace.In(string(p.Target), "the line that %s would replace is no longer there: %s", p.ID,
			scan.Quote(p.Replaces, briefRunes)))
		return d.pl
	}
	if p.Replaces != "" && p.Job != ByAgent {
		d.pl.Archives = append(d.pl.Archives, plan.Archive{
			File: p.Target, Kind: "superseded", Text: []byte(p.Replaces + "\n"),
			Why: "Replaced by what was approved: " + scan.Quote(p.Text, briefRunes),
		})
		d.set(p.Target, d.withEntry(p.Target, day, p.Text, p.Replaces), "approved by a person")
		for _, more := range p.Removes {
			if it, ok := d.passage(p.Target, more); ok {
				d.archiveRetired(p.Target, it.raw, p)
				d.cut(p.Target, it)
			}
		}
	} else {
		d.set(p.Target, d.under(p.Target, p.Under, day, p.Text), "approved by a person")
	}
	d.promoted(p.Sources...)
	d.pl.Summary = fmt.Sprintf("%s approved: to %s", p.ID, p.Target)
	return d.plan()
}

// approveRemoval takes lines off a page that a person agreed to lose, or moves them to another file.
func (d *draft) approveRemoval(p plan.Proposal) {
	it, ok := d.passage(p.Target, p.Replaces)
	if !ok {
		d.find(finding.NoPlace.In(string(p.Target), "what %s would remove is no longer there: %s", p.ID, scan.Quote(p.Replaces, briefRunes)))
		return
	}
	if p.MoveTo != "" {
		d.relocate(p.Target, p.MoveTo, it, "", strings.HasPrefix(it.raw, "#"), nil)
		d.pl.Summary = fmt.Sprintf("%s approved: moved to %s", p.ID, p.MoveTo)
		return
	}
	d.archiveRetired(p.Target, it.raw, p)
	d.cut(p.Target, it)
	d.pl.Summary = fmt.Sprintf("%s approved: off %s", p.ID, p.Target)
}

func (d *draft) archiveRetired(page vault.Path, raw string, p plan.Proposal) {
	d.pl.Archives = append(d.pl.Archives,
		plan.Archive{File: page, Kind: "retired", Text: []byte(raw + "\n"), Why: "A person approved " + p.ID + ": " + p.Why})
}

// passage finds lines in a file, secrets masked or not. The operator's part does not count.
func (d *draft) passage(page vault.Path, raw string) (passageAt, bool) {
	doc := d.File(page)
	return locateLines(doc, d.page(doc, 1), raw, 0, d.Owned(doc))
}
