package job

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/claim"
	"tend/internal/text/layout"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// fate is what became of a candidate.
type fate uint8

const (
	outstanding fate = iota // there was no room tonight
	taken                   // promoted
	waiting                 // proposed to a person
	old                     // said already, or out of date
	passed                  // not worth keeping
)

// promotion gathers what one run promotes.
type promotion struct {
	*draft
	job    string
	known  *known
	memory *memory
	hands  handwritten // nil until it is needed
	room   int
	wrote  map[vault.Path]int // entries written, by target
	counts [5]int
	full   int // candidates that no file had room for
}

func (d *draft) promotion(job string, room int) *promotion {
	return &promotion{draft: d, job: job, known: d.known(), memory: d.memory(), room: room, wrote: map[vault.Path]int{}}
}

// decide settles one candidate. Candidates come in the order of their days.
func (p *promotion) decide(c candidate) fate {
	f := p.settle(c)
	if f != passed || len(c.tags) > 0 { // most of a log is passing
		p.counts[f]++
	}
	return f
}

func (p *promotion) settle(c candidate) fate {
	if c.worth.Passing != "" && !c.firm() {
		return passed
	}
	fate, done, disputed := p.relate(c)
	if done {
		return fate
	}
	if !disputed && !p.worthy(c) {
		return passed
	}
	return p.choose(c.fact, c.task, []candidate{c})
}

// worthy reports whether a candidate is promoted. A tag asks for it; an entry without one must merit it.
func (p *promotion) worthy(c candidate) bool {
	if len(c.tags) > 0 {
		return c.lasting()
	}
	if p.hands == nil {
		p.hands = handwrittenOf(p.memory.list)
	}
	home := p.home(c.fact)
	least := fullMerit
	switch {
	case len(p.File(home).Data) > pageBytes:
		return false
	case p.below(home, half) && (c.lasting() || c.factual()):
		return true
	case p.below(home, spare) && c.factual():
		least = leastFact
	case p.below(home, spare):
		least = leastMerit
	}
	return c.merit()+p.hands.bonus(c) >= least
}

// relate compares a candidate with what memory says about the same subject: a repetition confirms it, a newer statement replaces it.
// It is disputed if it contradicts a hand-written line that stays: then the reader needs both.
func (p *promotion) relate(c candidate) (f fate, done, disputed bool) {
	var older, fuller []*held // what it replaces: another value, or less of the same
	var same *held
	terms := claim.Terms(c.text)
	for _, h := range p.memory.near(c.text) {
		over, _ := claim.Supersedes(c.st, h.said())
		odds := unlikely
		if over || c.st.Changed || len(c.tags) > 0 || c.factual() {
			odds = p.odds(c, h, over, terms)
		}
		ruled := over
		over = over || (odds >= certain || odds >= meant && len(c.tags) > 0 && c.st.Changed) && !claim.Same(c.st, h.said())
		if !c.st.Ended && !(over && c.st.Changed) && claim.Repeats(c.st, h.said()) {
			if c.revises(h.said()) {
				continue
			}
			if c.lasting() && claim.Adds(c.st, h.said()) && (len(c.tags) > 0 || !h.hand && !claim.Reminds(c.st)) {
				if !h.hand && h.open && h.day < c.day && !claim.Adds(h.said(), c.st) && hasTags(c.tags, h.Tags) {
					fuller = append(fuller, h)
				}
				continue // it says more
			}
			if same == nil || same.hand && !h.hand {
				same = h
			}
			continue
		}
		switch {
		case !over:
			disputed = disputed || h.hand && h.open && odds >= likely && (c.st.Changed || c.factual())
		case h.day > c.day:
			return old, true, false // a later statement is there already
		case h.day == c.day && !h.byHand() && !c.st.Changed && !c.st.Ended: // two of one day may both hold
		case aside(h, c):
		case h.open && (odds >= unlikely || c.st.Ended) && c.informs() && ((c.replaces(h.said()) || c.restates(h)) && mayRetire(h, c) || c.corrects(h)),
			h.open && (odds >= certain || odds >= meant && len(c.tags) > 0 && c.st.Changed) && (ruled || !h.hand) && c.succeeds(h),
			h.open && odds >= certain && ruled && !h.byHand() && c.informs() && mayRetire(h, c) && !c.measures(h):
			older = append(older, h)
		case h.hand && h.open && odds >= certain && (c.st.Changed || c.factual()):
			disputed = true
		case h.hand && h.open && c.factual() && c.replaces(h.said()) && len(claim.Conflicts(c.st, h.said())) > 0:
			disputed = true
		}
	}
	byPerson := flagged(c.fact, []candidate{c}) != "" || policy.Promotion.Of(p.Policy) == policy.PromotionPropose
	switch {
	case byPerson && same == nil:
		return 0, false, disputed // a person decides, and then the older one goes
	case len(older) > 0 && !byPerson:
		if f, done := p.replace(c, older, same != nil); done {
			return f, done, false
		}
	}
	if same != nil {
		p.confirm(same, c)
		return old, true, false
	}
	if len(fuller) > 0 && len(older) == 0 && !byPerson {
		return p.merge(c, fuller)
	}
	return 0, false, disputed
}

// odds is how likely it is that a candidate takes the place of an entry. What a person wrote down is of the sort that is updated, and
// an event seldom changes what holds.
func (p *promotion) odds(c candidate, h *held, over bool, terms []string) int {
	n := claim.Odds(c.st, h.said(), over, terms, h.terms(), func(w string) int { return len(p.memory.words[w]) })
	if h.hand {
		n += 10
	}
	if c.worth.Report {
		n -= 16
	}
	return n
}

// With odds of certain a statement replaces an entry though the rules are not sure, with odds of meant one that carries a tag and says that
// something changed. Below unlikely it does not though they are. One
// that is only likely to replace a hand-written line stands beside it.
const certain, meant, likely, unlikely = 25, 18, 10, -20

// merge puts a statement in the place of an entry that says less of the same.
func (p *promotion) merge(c candidate, less []*held) (f fate, done, disputed bool) {
	placed := false
	for _, h := range less {
		instead := ""
		if !placed {
			if instead = p.written(h.path, c.fact, c.task); !h.Bullet && !p.Delimits(h.path) {
				instead = strings.TrimPrefix(instead, "- ")
			}
		}
		if !p.retire(h, c.text, c.day, "the newer statement says the same and more", instead) {
			continue
		}
		p.memory.remove(h)
		if instead != "" {
			placed = true
			p.taken(c, h.path, instead, false)
		}
	}
	return taken, placed, false
}

// confirm dates an entry that was promoted and is said again. What the agent wrote and dated itself stays as it is.
func (p *promotion) confirm(h *held, c candidate) {
	if h.hand || !h.open || !p.Facts.Past.Promoted.Has(MarkOf(h.Normal())) || h.DayFrom != note.FromText || c.day <= h.day || h.path == c.path {
		return
	}
	was, now := "("+h.Entry.Day.String()+")", "("+c.day.String()+")"
	raw := string(h.Raw)
	i := strings.LastIndex(raw, was)
	doc := p.File(h.path)
	at := strings.Index(string(doc.Data), raw)
	if i < 0 || at < 0 {
		return
	}
	p.set(h.path, spliced(doc.Data, note.Edit{At: at + i, Cut: len(was), Text: now}), "date what was confirmed")
	h.Raw = []byte(raw[:i] + now + raw[i+len(was):])
	h.Entry.Day, h.day = c.day, c.day
	p.promoted(c.source(h.path, h.Normal()))
}

// replace retires older statements for a newer one, which takes the place of the first of them unless memory has it already. In a
// hand-written line only the value is exchanged, where that is possible.
func (p *promotion) replace(c candidate, older []*held, said bool) (fate, bool) {
	placed := said
	for _, h := range older {
		_, why := claim.Supersedes(c.st, h.said())
		if why == "" {
			why = "by its words and values the newer statement most likely updates it"
		}
		instead := ""
		ended, _ := claim.Ends(c.st, h.said())
		// An entry that reported a change goes as a whole: its reason belongs to the old value.
		if h.byHand() || !ended && !h.said().Changed && (saysMore(h, c.st) || len(remaining(h, c.st)) > 0) {
			instead = p.redated(replaced(h, c.st), h, c)
		}
		kept := instead != ""
		if instead == "" && !placed && (!ended || c.lasting()) {
			f := c.fact
			if after, more := carried(h, c.st); more != "" && len([]rune(f.text+more)) < longest {
				if !strings.HasSuffix(strings.TrimRight(after, `"”)`), ".") { // in the middle of a sentence
					f.text = strings.TrimRight(f.text, " ;,")
					if !strings.ContainsAny(f.text[len(f.text)-1:], ".!?") {
						f.text += "."
					}
					after = f.text
				}
				f.text = strings.Replace(f.text, after, after+" "+more, 1)
			}
			if h.hand { // without a date it is the last to leave, like the hand-written line it replaces
				f.day = 0
			}
			if len(f.tags) == 0 { // what changes a decision is one
				f.tags = h.Tags
			}
			instead = p.written(h.path, f, c.task)
			if !h.Bullet && !p.Delimits(h.path) {
				instead = strings.TrimPrefix(instead, "- ")
			}
		}
		if rest := remaining(h, c.st); instead == "" && len(rest) > 0 && (!ended || ruled(rest, h.day)) {
			instead, kept = p.redated(trimmed(h, rest), h, c), true
		}
		if !p.retire(h, c.text, c.day, why, instead) {
			continue
		}
		p.memory.remove(h)
		if instead != "" {
			placed = placed || h.byHand() || !kept || !addsMore(h, c.st)
			p.taken(c, h.path, instead, h.hand)
		}
	}
	if placed && !said {
		return taken, true
	}
	return 0, false
}

// ruled reports whether one of the sentences says how to act: that may outlive the thing or person it mentions.
func ruled(sentences []string, day note.Day) bool {
	return slices.ContainsFunc(sentences, func(s string) bool {
		form := claim.WorthOf(s, day).Form
		return ruling(form) || form == "trait"
	})
}

// redated is an entry in which a value was exchanged, with the day of the newer statement if it carries its own.
func (p *promotion) redated(raw string, h *held, c candidate) string {
	was := "(" + h.Entry.Day.String() + ")"
	if i := strings.LastIndex(raw, was); i >= 0 && !h.hand && c.day > h.Entry.Day {
		return raw[:i] + "(" + c.day.String() + ")" + raw[i+len(was):]
	}
	return raw
}

// taken records that a file has a candidate now.
func (p *promotion) taken(c candidate, target vault.Path, raw string, hand bool) {
	e := p.Syntax(target).Parse([]byte(raw + "\n")).Entries(0)
	if len(e) == 0 {
		return
	}
	h := &held{Entry: e[0], path: target, day: c.day, hand: hand, ours: true, open: true}
	h.Raw = []byte(raw + "\n")
	p.memory.add(h)
	p.known.add(e[0].Normal(), e[0].Gist)
	p.promoted(c.source(target, e[0].Normal()))
	p.wrote[target]++
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
		p.known.add(normal, func() note.Gist { return gist })
		return p.propose(f, task, target, why, from)
	}
	if p.room <= 0 {
		return outstanding
	}
	p.room--
	p.known.add(normal, func() note.Gist { return gist })
	if policy.Promotion.Of(p.Policy) == policy.PromotionPropose {
		return p.propose(f, task, target, "the policy asks for approval: promotion is propose", from)
	}
	raw := p.written(target, f, task)
	p.set(target, p.placed(target, f, raw), "promote "+entries(p.wrote[target]+1))
	for _, c := range from {
		p.promoted(c.source(target, normal))
	}
	p.taken(from[0], target, raw, false)
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
		return p.fits(target, p.placed(target, f, p.written(target, f, task)))
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
		for _, h := range scan.Text(t, scan.Options{Incoming: true}) {
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

// summary says what happened, in one line.
func (p *promotion) summary() string {
	targets := p.wrote
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
	if n := p.counts[passed]; n > 0 && len(parts) > 0 {
		parts = append(parts, fmt.Sprintf("%d passing", n))
	}
	return strings.Join(parts, "; ")
}
