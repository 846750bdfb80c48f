package job

import (
	"fmt"
	"slices"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/claim"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// Pick is what a curator chose: words for an entry, and the entries they come from. It
// was checked against those before it got here.
type Pick struct {
	Text    string
	Tag     string
	Sources []string // as [Offered.Ref]
}

// Curate brings long-term memory up to date with the daily logs and the buffer. Entries are read in the order of their
// days: a newer statement takes the place of an older one of the same subject, a repetition confirms it, and what is new
// and worth keeping is promoted, at most curate.max_per_night a night. The others stay outstanding. It leaves receipts for
// what it has read, and cuts nothing from the logs.
func Curate(in Input) plan.Plan {
	d := newDraft(in, "curate")
	d.curate("curate")
	return d.plan()
}

func (d *draft) curate(job string) {
	rs := d.readings()
	edited := d.handEdits()
	if len(rs) == 0 && len(edited) == 0 {
		d.pl.Summary = "nothing new to read"
		return
	}
	p := d.promotion(job, policy.CurateMaxPerNight.Of(d.Policy)-d.Facts.Past.Today)
	p.edits(edited)
	p.picks(rs)
	later := p.overtaken(rs)
	var done []plan.Receipt // left all at once: there may be thousands of logs
	for _, r := range rs {
		for _, line := range r.unread {
			d.find(finding.TagUnread.In(string(r.doc.Path), "no entry belongs to the tag").AtLine(line))
		}
		take := r.all
		for _, c := range r.inOrder() {
			if later[c.key()] {
				p.counts[old]++
				continue
			}
			if p.decide(c) == outstanding && (len(c.tags) > 0 || c.lasting()) {
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
	d.pl.Summary = p.summary()
	if d.pl.Summary == "" {
		d.pl.Summary = "nothing worth promoting"
	}
	if p.full > 0 {
		hot := d.Sole(layout.Hot)
		d.find(finding.HotOver.In(string(hot), "%s wait where they are: the harness takes no more text in it (over_limit is refuse)", entries(p.full)))
	}
	if n := p.counts[outstanding] - p.full; n > 0 {
		d.find(finding.Outstanding.In("", "%s wait for a later night: one adds at most %d", entries(n), policy.CurateMaxPerNight.Of(d.Policy)))
	}
	d.Facts.Past.Today += p.counts[taken]
	d.writeIndex()
}

// overtaken are candidates that a later one of the same reading contradicts or repeats.
func (p *promotion) overtaken(rs []reading) map[string]bool {
	out := map[string]bool{}
	byWord := map[string][]candidate{}
	for _, r := range slices.Backward(rs) {
		for _, c := range slices.Backward(r.inOrder()) {
			if c.worth.Passing != "" {
				continue
			}
			for _, w := range claim.Words(c.st) {
				for _, n := range byWord[w] {
					over, _ := claim.Supersedes(n.st, c.st)
					out[c.key()] = out[c.key()] || over && n.replaces(c.st) && (n.day > c.day || n.st.Changed)
				}
			}
			for _, w := range claim.Words(c.st) {
				byWord[w] = append(byWord[w], c)
			}
		}
	}
	return out
}

// key tells candidates apart.
func (c candidate) key() string { return fmt.Sprintf("%s:%d:%s", c.path, c.start, c.text) }

// inOrder are the candidates of a reading in the order of its text: the tagged ones, and of the others those that the rules
// may take.
func (r reading) inOrder() []candidate {
	out := slices.Clone(r.pending)
	for _, c := range r.plain {
		if c.worth.Passing == "" && (c.informs() || c.merit() >= leastTold) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return a.start - b.start })
	return out
}

// leastTold is what an entry must merit to be considered that only tells what happened: a rule may be told as a story.
const leastTold = 4

// picks promotes what a curator chose, before the rules fill up what is left. A pick
// whose entries are no longer there, or were consumed meanwhile, falls away.
func (p *promotion) picks(rs []reading) {
	if len(p.Picks) == 0 {
		return
	}
	byRef := map[string]candidate{}
	for _, r := range rs {
		for _, c := range slices.Concat(r.pending, r.plain) {
			byRef[c.ref()] = c
		}
	}
	for _, pick := range p.Picks {
		var from []candidate
		for _, ref := range pick.Sources {
			if c, ok := byRef[ref]; ok {
				from = append(from, c)
			}
		}
		if len(from) < len(pick.Sources) || len(from) == 0 {
			p.find(finding.CuratorRejected.In("", "an entry that a pick comes from is no longer there: %q", pick.Text))
			continue
		}
		if f := p.choose(fact{text: pick.Text, tags: []string{pick.Tag}, day: from[len(from)-1].day}, note.NoTask, from); f == taken || f == waiting {
			p.counts[f]++
			for _, c := range from { // said in other words now
				p.known.add(c.normal(), func() note.Gist { return note.NewGist(c.text) })
			}
		}
	}
}

// Offered is an entry a curator may pick.
type Offered struct {
	Ref  string
	Path vault.Path
	Line int
	Day  note.Day
	Tags []string
	Text string
}

// Offer lists what a curator may pick from: every outstanding entry, tagged ones first,
// at most so many.
func Offer(in Input, most int) []Offered {
	var tagged, plain []Offered
	v := view{in}
	k := v.known()
	add := func(list []Offered, cs []candidate) []Offered {
		for _, c := range cs {
			if !k.says(c.normal(), note.NewGist(c.text)) && flagged(c.fact, []candidate{c}) == "" {
				list = append(list, Offered{Ref: c.ref(), Path: c.path, Line: c.line, Day: c.day, Tags: c.tags, Text: c.text})
			}
		}
		return list
	}
	for _, r := range v.readings() {
		tagged, plain = add(tagged, r.pending), add(plain, r.plain)
	}
	list := slices.Concat(tagged, plain)
	return list[:min(len(list), most)]
}
