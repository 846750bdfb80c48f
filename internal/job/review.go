package job

import (
	"fmt"
	"strings"
	"time"

	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// NothingNew is the summary of a review that had nothing to do.
const NothingNew = "No meaningful changes"

// Review is the weekly look back: decisions and lessons of the last days go to their
// files, friction that recurs becomes a lesson, old logs are archived, a buffer that
// was left behind is taken in. While the agent is at work it does nothing.
func Review(in Input) plan.Plan {
	d := newDraft(in, "review")
	buffer := d.File(d.Sole(layout.Buffer))
	b := note.ParseBuffer(buffer.Data, d.Now.Location())
	if gate := policy.BufferStale.Of(d.Policy).Std(); gate > 0 && !b.LastActive.IsZero() && d.Now.Sub(b.LastActive) < gate {
		d.pl.Summary = fmt.Sprintf("put off: the agent was active %s ago", d.Now.Sub(b.LastActive).Round(time.Minute))
		return d.pl
	}
	var did []string
	report := func(part string, changed bool) {
		if changed && part != "" {
			did = append(did, part)
		}
	}
	part := d.rotate()
	report(part, d.changed())
	promote := Allows(d.Policy, "curate")
	if promote {
		report(d.gather())
	} else if n := d.ungathered(); n > 0 {
		report(entries(n)+" left for a person: the automation level does not allow promotion", true)
	}
	report(d.friction(promote))
	d.learnings()
	n := len(d.old)
	part = d.archiveLogs()
	report(part, len(d.old) > n)
	report(d.archiveScratch())
	if hot := d.Sole(layout.Hot); d.changed() && d.File(hot).Version != vault.Absent {
		d.freshen(hot)
	}
	if d.pl.Summary = strings.Join(did, "; "); len(did) == 0 {
		d.pl.Summary = NothingNew
	}
	return d.plan()
}

// gather promotes the decisions and lessons of the days under review, where the layout
// has files for them. What seven nights could have promoted is the most.
func (d *draft) gather() (string, bool) {
	if d.owned("decisions") == "" && d.owned("lessons") == "" {
		return "", false // they are in the hot file already
	}
	span := policy.ReviewDays.Of(d.Policy)
	p := d.promotion("review", span*policy.CurateMaxPerNight.Of(d.Policy))
	for _, log := range d.Logs() {
		if age := d.Today().Sub(log.Day); age < 0 || age > span {
			continue // a week ago counts: that day's log was still being written when it was last reviewed
		}
		r, ok := d.read(log)
		if !ok {
			continue
		}
		take := r.all
		for _, c := range r.pending {
			if !c.has("decision") && !c.has("lesson") || p.decide(c) == outstanding {
				take = take.without(extent{c.start, c.end})
			}
		}
		for _, x := range take {
			if log.Day < d.Today() && !r.done.covers(x.from, x.to) {
				d.consume(receipts("review", r.doc, extents{x})...)
			}
		}
	}
	if p.counts[taken]+p.counts[waiting] == 0 {
		return "", false
	}
	p.counts[old], p.counts[outstanding] = 0, 0
	return p.summary(), true
}

// ungathered counts the decisions and lessons under review that nobody has read yet.
func (d *draft) ungathered() int {
	n := 0
	for _, log := range d.Logs() {
		if age := d.Today().Sub(log.Day); age < 0 || age > policy.ReviewDays.Of(d.Policy) {
			continue
		}
		r, _ := d.read(log)
		for _, c := range r.pending {
			if c.has("decision") || c.has("lesson") {
				n++
			}
		}
	}
	return n
}

// freshen dates the hot file where its header carries such a line. That somebody looked
// whether it still holds is another matter, which no job can say.
func (d *draft) freshen(hot vault.Path) {
	doc := d.Parse(d.File(hot))
	h, ok := doc.Header("last_updated")
	if !ok || h.Value == d.Today().String() || d.Owned(d.File(hot)) > h.Start {
		return
	}
	if _, changed := d.old[hot]; changed {
		d.edit(hot, "date it", doc.SetHeader("last_updated", d.Today().String(), false))
	}
}
