package job

import (
	"fmt"
	"slices"

	"tend/internal/claim"
	"tend/internal/finding"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/policy"
	"tend/internal/vault"
)

// bout is one thing that was met more than once.
type bout struct {
	text  string
	gist  note.Gist
	said  claim.Statement
	count int
	last  note.Day
	from  candidate
}

// tally counts texts, taking those that say the same as one.
func tally(list []bout, text string, from candidate, similar float64) []bout {
	g := note.NewGist(text)
	said := claim.Read(text, from.day)
	for i := range list {
		if list[i].gist.Alike(g, similar) || claim.Alike(said, list[i].said) {
			list[i].count++
			list[i].last = max(list[i].last, from.day)
			return list
		}
	}
	return append(list, bout{text: text, gist: g, said: said, count: 1, last: from.day, from: from})
}

// friction reports what held the agent up again and again in the days under review, as
// its #friction: marks tell, and makes lessons of it if it may.
func (d *draft) friction(promote bool) (string, bool) {
	similar := policy.CurateSimilar.Of(d.Policy)
	var met []bout
	count := func(doc vault.Doc, day note.Day) {
		for _, e := range d.Parse(doc).Entries(day) {
			for _, text := range e.Friction() {
				if text != "" {
					met = tally(met, text, d.candidate(doc, e, ""), similar)
				}
			}
		}
	}
	for _, log := range d.Logs() {
		if age := d.Today().Sub(log.Day); age >= 0 && age <= policy.ReviewDays.Of(d.Policy) {
			count(log.Doc, log.Day)
		}
	}
	if buffer := d.File(d.Sole(layout.Buffer)); buffer.Version != vault.Absent {
		count(buffer, d.Today())
	}
	recur := policy.LearningsRecur.Of(d.Policy)
	met = slices.DeleteFunc(met, func(b bout) bool { return recur == 0 || b.count < recur })
	for _, b := range met {
		d.find(finding.Friction.In(string(b.from.path), "%d times: %s", b.count, b.text).AtLine(b.from.line))
	}
	if len(met) == 0 || !promote {
		return "", false
	}
	p := d.promotion("review", policy.CurateMaxPerNight.Of(d.Policy))
	for _, b := range met {
		f := p.choose(fact{text: b.text, tags: []string{"lesson"}, day: b.last}, note.NoTask, []candidate{b.from})
		p.counts[f]++
	}
	if p.counts[taken]+p.counts[waiting] == 0 {
		return "", false
	}
	return several(p.counts[taken]+p.counts[waiting], "recurring friction") + " noted", true
}

// learnings proposes what recurs in the scratch notes of failures and corrections. They
// are never promoted without a person.
func (d *draft) learnings() {
	recur := policy.LearningsRecur.Of(d.Policy)
	if recur == 0 || !d.Layout.Has(layout.Learnings) {
		return
	}
	similar := policy.CurateSimilar.Of(d.Policy)
	var met []bout
	for _, doc := range d.Of(layout.Learnings) {
		for _, e := range d.Parse(doc).Entries(0) {
			if len(e.Friction()) == 0 && e.Normal() != "" {
				met = tally(met, e.Text(), d.candidate(doc, e, ""), similar)
			}
		}
	}
	met = slices.DeleteFunc(met, func(b bout) bool { return b.count < recur })
	if len(met) == 0 {
		return
	}
	p := d.promotion("review", 0)
	for _, b := range met {
		f := fact{text: b.text, tags: []string{"lesson"}, day: b.last}
		target := p.target(f, note.NoTask)
		if target == "" || p.known.says(note.Normal(b.text), b.gist) {
			continue
		}
		p.propose(f, note.NoTask, target, fmt.Sprintf("it recurs %d times", b.count), []candidate{b.from})
	}
}
