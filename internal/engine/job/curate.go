package job

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"tend/internal/disk/vault"
	"tend/internal/engine/curator"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// Curate reads the daily logs and the buffer. What its writer marked by a tag of the protocol is promoted, whole; what a
// label, a heading or an imperative marks is proposed. At most curate.max_per_night a night; the others stay pending.
// Nothing else is judged: what is worth keeping is the writer's, a person's or a curator's to say. It leaves receipts for
// what it has read, and cuts nothing from the logs.
//
// With a curator's answers it carries out what they ask for instead, see [Judged].
func Curate(in Input) plan.Plan {
	d := newDraft(in, "curate")
	d.curate("curate")
	return d.plan()
}

func (d *draft) curate(job string) {
	if len(d.Judged) > 0 {
		d.judge(job)
		return
	}
	rs := d.readings()
	if len(rs) == 0 {
		d.pl.Summary = "nothing new to read"
		return
	}
	p := d.promotion(job, policy.CurateMaxPerNight.Of(d.Policy)-d.Facts.Remembered.Today)
	var done []plan.Receipt // left all at once: there may be thousands of logs
	for _, r := range rs {
		take := r.all
		for _, c := range r.marked {
			if p.decide(c) == pending {
				take = take.without(extent{c.start, c.end})
			}
		}
		for _, x := range take {
			if !r.done.covers(x.from, x.to) {
				done = append(done, receipts(job, r.doc, extents{x})...)
			}
		}
	}
	d.consume(done...)
	if d.pl.Summary = p.summary(); d.pl.Summary == "" {
		d.pl.Summary = "nothing marked to keep"
	}
	if p.full > 0 {
		d.find(finding.HotOver.In(string(d.Sole(layout.Hot)), "no room for %s of the logs: the harness would cut the file", entries(p.full)))
	}
	d.Facts.Remembered.Today += p.counts[promoted] + p.counts[proposed]
}

// fate is what became of a candidate.
type fate uint8

const (
	pending  fate = iota // there was no room tonight
	promoted             // written to memory
	proposed             // a person decides
	known                // memory says it already
	declined             // its owner deleted or rejected it
)

// promotion gathers what one run promotes.
type promotion struct {
	*draft
	job     string
	memory  func() *standing // read when the first candidate is met: most nights have none
	deleted func() *nearby
	room    int
	wrote   map[vault.Path]int // entries added, by target
	renewed map[vault.Path]int // entries replaced by a newer version
	counts  [declined + 1]int
	full    int // candidates that no file had room for
}

func (d *draft) promotion(job string, room int) *promotion {
	return &promotion{
		draft: d, job: job, room: room, wrote: map[vault.Path]int{}, renewed: map[vault.Path]int{},
		memory:  sync.OnceValue(d.standing),
		deleted: sync.OnceValue(func() *nearby { return deletions(d.Facts.Remembered.Deleted) }),
	}
}

// decide promotes a candidate, proposes it, or says why not.
func (p *promotion) decide(c candidate) fate {
	f := p.choose(c, []candidate{c})
	p.counts[f]++
	return f
}

// The similarity from which two texts are the same statement, one is a newer version of the other, and one says again
// what was deleted. Numbers must be equal except for a newer version.
const (
	sameAt    = 0.85
	NewerAt   = 0.6
	deletedAt = 0.5
)

// wasDeleted reports whether a candidate, or the entry made of it, says what its owner deleted or rejected.
func (p *promotion) wasDeleted(c candidate, entry string) bool {
	return len(p.deleted().again(c.normal())) > 0 || len(p.deleted().again(entry)) > 0
}

// choose promotes a candidate that comes from some entries, or says why not.
func (p *promotion) choose(c candidate, from []candidate) fate {
	entry := p.written(c)
	normal := note.Normal(entry)
	if p.memory().says(normal) || p.Facts.Remembered.Promoted.Has(MarkOf(normal)) || p.Facts.Remembered.Promoted.Has(MarkOf(c.normal())) {
		return known
	}
	if p.wasDeleted(c, normal) {
		return declined
	}
	target := p.home(c)
	if target == "" {
		return pending
	}
	if p.room <= 0 {
		return pending
	}
	older, stale := p.memory().versionOf(target, entry, c.day)
	if stale {
		return known
	}
	if older != nil && curator.Early(older.text, entry, c.day, p.Today()) != 0 {
		older = nil // it stands beside the line until then
	}
	replaces := older != nil
	why := flagged(entry, from)
	switch {
	case why != "":
	case c.said != "":
		why = c.said
	case !c.sure:
		why = c.marked + ", but it has no tag"
	case policy.Promotion.Of(p.Policy) == policy.PromotionPropose:
		why = "promotion is propose"
	case replaces && !older.ours:
		why = "it looks like a newer version of a line that Tend did not write"
	}
	text := p.withEntry(target, c.day, entry, older.raw(replaces && why == ""))
	if !p.fits(target, text) {
		p.full++
		return pending
	}
	if why != "" {
		return p.propose(c, entry, target, why, older.raw(replaces), from)
	}
	p.room--
	if replaces {
		p.archiveReplaced(target, older, entry)
		p.renewed[target]++
		p.set(target, text, "replace "+entries(p.renewed[target]))
	} else {
		p.wrote[target]++
		p.set(target, text, "promote "+entries(p.wrote[target]))
	}
	p.memory().add(normal, stood{path: target, text: entry, day: c.day, ours: true})
	for _, c := range from {
		p.promoted(c.source(target, normal))
	}
	return promoted
}

// archiveReplaced keeps an entry of Tend's own that a newer version of it replaces, with what replaced it.
func (p *promotion) archiveReplaced(target vault.Path, older *stood, entry string) {
	p.pl.Archives = append(p.pl.Archives, plan.Archive{
		File: target, Kind: "superseded", Text: []byte(older.text + "\n"), Why: "Replaced by: " + scan.Quote(entry, briefRunes),
	})
	p.find(finding.Superseded.In(string(target), "%s → %s", scan.Quote(older.text, briefRunes), scan.Quote(entry, briefRunes)))
	p.memory().drop(older)
}

// home is the file that a candidate is promoted to: the one that the layout names for decisions or lessons, else the hot
// file. "" if neither takes entries.
func (p *promotion) home(c candidate) vault.Path {
	for tag, class := range map[string]string{"decision": "decisions", "lesson": "lessons"} {
		if c.has(tag) {
			if owner := p.owned(class); owner != "" {
				return owner
			}
		}
	}
	if hot := p.Sole(layout.Hot); hot != "" && p.open(hot) {
		return hot
	}
	return ""
}

// flagged says what a scan sees in an entry or in those it comes from.
func flagged(entry string, from []candidate) string {
	texts := []string{entry}
	for _, c := range from {
		texts = append(texts, string(c.raw))
	}
	if rules := curator.Flags(texts...); rules != "" {
		return plan.FlaggedWhy + rules
	}
	return ""
}

// mostWaiting is how many proposals may wait for a person before no more are made: a longer list is not read.
const mostWaiting = 20

// propose leaves an entry to a person. Secrets are masked: a proposal is not a place for them either.
func (p *promotion) propose(c candidate, entry string, target vault.Path, why, replaces string, from []candidate) fate {
	if p.Facts.Remembered.Waiting+len(p.pl.Proposals) >= mostWaiting {
		return pending
	}
	text := string(scan.Mask([]byte(entry)))
	normal := note.Normal(text)
	pr := plan.Proposal{
		ID: plan.ProposalID(target, normal), Job: p.job, Text: text, Tags: c.tags, Target: target, Day: c.day.String(), Why: why,
		Replaces: string(scan.Mask([]byte(replaces))),
	}
	for _, c := range from {
		c.text = string(scan.Mask([]byte(c.text))) // the normal form of a secret does not look like one any more
		pr.Sources = append(pr.Sources, c.source(target, normal))
	}
	if p.Facts.Remembered.Proposed[pr.ID] {
		return known
	}
	p.room--
	p.memory().add(normal, stood{text: entry})
	p.pl.Proposals = append(p.pl.Proposals, pr)
	p.find(finding.ProposalMade.In(string(from[0].path), "%s waits for a person: %s", pr.ID, why).AtLine(from[0].line))
	return proposed
}

// summary says what happened, in one line.
func (p *promotion) summary() string {
	parts := slices.Concat(byTarget("promoted", "to", p.wrote), byTarget("replaced", "in", p.renewed))
	for _, x := range []struct {
		fate fate
		text string
	}{{proposed, "proposed"}, {pending, "pending"}, {known, "known already"}, {declined, "deleted before"}} {
		if n := p.counts[x.fate]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, x.text))
		}
	}
	return strings.Join(parts, "; ")
}

// byTarget says what was done to which files.
func byTarget(did, to string, counts map[vault.Path]int) []string {
	var where []string
	for _, t := range slices.Sorted(maps.Keys(counts)) {
		where = append(where, fmt.Sprintf("%d %s %s", counts[t], to, t))
	}
	if len(where) == 0 {
		return nil
	}
	return []string{did + " " + strings.Join(where, ", ")}
}
