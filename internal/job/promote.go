package job

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tend/internal/finding"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/scan"
	"tend/internal/vault"
)

// fate is what became of a candidate.
type fate uint8

const (
	outstanding fate = iota // there was no room tonight
	taken                   // promoted
	waiting                 // proposed to a person
	old                     // said already
)

// promotion gathers what one run promotes.
type promotion struct {
	*draft
	job    string
	known  *known
	room   int
	groups map[vault.Path][]string // entries as written, by target
	counts [4]int
	full   int // candidates that no file had room for
}

func (d *draft) promotion(job string, room int) *promotion {
	return &promotion{draft: d, job: job, known: d.known(), room: room, groups: map[vault.Path][]string{}}
}

// decide settles one candidate.
func (p *promotion) decide(c candidate) fate {
	f := p.choose(c.fact, c.task, []candidate{c})
	p.counts[f]++
	return f
}

// choose promotes a fact that comes from some entries, or says why not.
func (p *promotion) choose(f fact, task note.Task, from []candidate) fate {
	normal, gist := note.Normal(f.text), note.NewGist(f.text)
	if p.known.says(normal, gist) {
		return old
	}
	target := p.target(f, task)
	if target == "" {
		return outstanding
	}
	if why := flagged(f, from); why != "" {
		p.known.add(normal, gist)
		return p.propose(f, task, target, why, from)
	}
	if p.room <= 0 {
		return outstanding
	}
	p.room--
	p.known.add(normal, gist)
	if policy.Promotion.Of(p.Policy) == policy.PromotionPropose {
		return p.propose(f, task, target, "the policy wants a person to decide: promotion is propose", from)
	}
	p.groups[target] = append(p.groups[target], p.written(target, f, task))
	for _, c := range from {
		p.promoted(c.source(target, normal))
	}
	return taken
}

// target is the fact's home, or the hot file when the harness would cut what its home
// already holds.
func (p *promotion) target(f fact, task note.Task) vault.Path {
	target, hot := p.home(f), p.Sole(layout.Hot)
	if target == "" {
		return ""
	}
	fits := func(target vault.Path) bool {
		entries := append(slices.Clip(p.groups[target]), p.written(target, f, task))
		return p.fits(target, p.shelved(target, p.Today(), entries))
	}
	if fits(target) {
		return target
	}
	if target != hot && hot != "" && p.open(hot) && fits(hot) {
		return hot
	}
	p.full++
	return ""
}

// flagged says what a scan sees in a fact or in the entries it comes from.
func flagged(f fact, from []candidate) string {
	texts := [][]byte{[]byte(f.text)}
	for _, c := range from {
		texts = append(texts, c.raw)
	}
	var rules []string
	for _, t := range texts {
		for _, h := range scan.Text(t, scan.Options{}) {
			if !slices.Contains(rules, h.Rule) {
				rules = append(rules, h.Rule)
			}
		}
	}
	if len(rules) == 0 {
		return ""
	}
	return "the scan flags it: " + strings.Join(rules, ", ")
}

// propose leaves the fact to a person. Secrets are masked: a proposal is not a place
// for them either.
func (p *promotion) propose(f fact, task note.Task, target vault.Path, why string, from []candidate) fate {
	text := string(scan.Mask([]byte(p.written(target, f, task))))
	normal := note.Normal(text)
	pr := plan.Proposal{ID: plan.ProposalID(target, normal), Job: p.job, Text: text, Tags: f.tags, Target: target, Why: why}
	for _, c := range from {
		// Masked first: the normal form of a secret does not look like one any more.
		c.text = string(scan.Mask([]byte(c.text)))
		s := c.source(target, normal)
		pr.Sources = append(pr.Sources, s)
	}
	if p.Facts.Past.Proposed[pr.ID] {
		return old
	}
	p.pl.Proposals = append(p.pl.Proposals, pr)
	p.find(finding.ProposalMade.In(string(from[0].path), "%s waits for a person: %s", pr.ID, why).AtLine(from[0].line))
	return waiting
}

// write puts what was promoted into its files, each under the heading of the day.
func (p *promotion) write() {
	for _, target := range slices.Sorted(maps.Keys(p.groups)) {
		list := p.groups[target]
		p.set(target, p.shelved(target, p.Today(), list), fmt.Sprintf("promote %s", entries(len(list))))
	}
	clear(p.groups)
}

// summary says what happened, in one line.
func (p *promotion) summary(targets map[vault.Path]int) string {
	var parts []string
	if n := p.counts[taken]; n > 0 {
		var where []string
		for _, t := range slices.Sorted(maps.Keys(targets)) {
			where = append(where, fmt.Sprintf("%d to %s", targets[t], t))
		}
		parts = append(parts, "promoted "+strings.Join(where, ", "))
	}
	if n := p.counts[waiting]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d for a person to decide", n))
	}
	if n := p.counts[outstanding]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d outstanding", n))
	}
	if n := p.counts[old]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d known already", n))
	}
	return strings.Join(parts, "; ")
}

func (p *promotion) targets() map[vault.Path]int {
	out := map[vault.Path]int{}
	for t, list := range p.groups {
		out[t] = len(list)
	}
	return out
}
