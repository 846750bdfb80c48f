package job

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// NothingNew is the summary of a review that had nothing to do.
const NothingNew = "No meaningful changes"

// Review is the weekly review: decisions and lessons of the last days go to their files,
// recurring friction becomes a lesson, old logs are archived, an abandoned buffer is taken
// in. It does nothing while the agent is working.
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
	promote := mayCurate(d.Policy)
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

// gather promotes the decisions and lessons of the days under review, if the layout has
// files for them, at most as many as seven nights could have promoted.
func (d *draft) gather() (string, bool) {
	if d.owned("decisions") == "" && d.owned("lessons") == "" {
		return "", false // they are in the hot file already
	}
	span := policy.ReviewDays.Of(d.Policy)
	p := d.promotion("review", span*policy.CurateMaxPerNight.Of(d.Policy))
	for _, log := range d.underReview() {
		r, ok := d.read(log, d.Facts.Receipts)
		if !ok {
			continue
		}
		take := r.all
		for _, c := range r.marked {
			if !c.decided() || p.decide(c) == pending {
				take = take.without(extent{c.start, c.end})
			}
		}
		for _, x := range take {
			if log.Day < d.Today() && !r.done.covers(x.from, x.to) {
				d.consume(receipts("review", r.doc, extents{x})...)
			}
		}
	}
	if p.counts[promoted]+p.counts[proposed] == 0 {
		return "", false
	}
	p.counts[known], p.counts[pending] = 0, 0
	return p.summary(), true
}

// underReview lists the logs of the days under review. A week ago counts: that log was still being written at the last one.
func (d *draft) underReview() []Log {
	return slices.DeleteFunc(slices.Clone(d.Logs()), func(log Log) bool {
		age := d.Today().Sub(log.Day)
		return age < 0 || age > policy.ReviewDays.Of(d.Policy)
	})
}

// ungathered counts the decisions and lessons under review that were not read yet.
func (d *draft) ungathered() (n int) {
	for _, log := range d.underReview() {
		r, _ := d.read(log, d.Facts.Receipts)
		n += len(slices.DeleteFunc(r.marked, func(c candidate) bool { return !c.decided() }))
	}
	return n
}

// freshen updates the date in the hot file's header, if it has one. It does not claim that
// somebody verified the content.
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

// Replay uses quiet time: an abandoned or full buffer goes to the day's log, and pending
// tagged entries are promoted. It does nothing while the agent is working.
func Replay(in Input) plan.Plan {
	d := newDraft(in, "replay")
	if idle := policy.ReplayIdle.Of(in.Policy).Std(); idle > 0 {
		if quiet := in.Now.Sub(lastWork(in)); quiet < idle {
			d.pl.Summary = fmt.Sprintf("the agent worked %s ago; it is quiet after %s", quiet.Round(time.Second), idle)
			return d.pl
		}
	}
	did := []string{d.rotate()}
	if mayCurate(in.Policy) {
		d.curate("replay")
		did = append(did, d.pl.Summary)
		if cut := d.cutBuffer("replay"); cut != "" {
			did = append(did, cut)
		}
	}
	obs := d.File(d.Sole(layout.Observations))
	if most := policy.ObservationsMaxLines.Of(in.Policy); most > 0 && note.Lines(obs.Data) > most && mayCurate(in.Policy) {
		did = append(did, d.pruneObservations())
	} else if most > 0 && note.Lines(obs.Data) > most {
		d.find(finding.ObservationsSize.In(string(obs.Path), "%d lines, the limit is %d", note.Lines(obs.Data), most))
	}
	d.pl.Summary = strings.Join(did, "; ")
	return d.plan()
}

// lastWork is when the agent last touched its log, its buffer or its session. A file's time far in the future is ignored;
// one slightly in the future comes from a host whose clock is ahead.
func lastWork(in Input) time.Time {
	var last time.Time
	for _, doc := range in.WithRoles(layout.Daily, layout.Buffer, layout.Session) {
		if doc.ModTime.After(last) && !doc.ModTime.After(in.Now.Add(quietBuffer)) {
			last = doc.ModTime
		}
		if b := note.ParseBuffer(doc.Data, in.Now.Location()); b.LastActive.After(last) && !b.LastActive.After(in.Now) {
			last = b.LastActive
		}
	}
	return last
}

// recurrence is something that was said more than once.
type recurrence struct {
	count int
	first candidate // as it was said first, with the day on which it was said last
}

// recurrences counts texts; those that say the same count as one.
type recurrences struct {
	list []recurrence
	near nearby
}

func (r *recurrences) add(c candidate) {
	if same := r.near.like(c.normal(), NewerAt); len(same) > 0 {
		met := &r.list[same[0]]
		met.count++
		met.first.day = max(met.first.day, c.day)
		return
	}
	r.near.add(c.normal())
	r.list = append(r.list, recurrence{1, c})
}

// atLeast lists what recurs so often; 0 is never.
func (r *recurrences) atLeast(n int) []recurrence {
	return slices.DeleteFunc(r.list, func(x recurrence) bool { return n == 0 || x.count < n })
}

// lessonFrom is a candidate for a lesson that an entry teaches.
func lessonFrom(doc vault.Doc, e note.Entry, text string, day note.Day) candidate {
	return candidate{text: text, tags: []string{"lesson"}, sure: true, day: max(e.Day, day), raw: e.Raw, path: doc.Path,
		line: e.Line, start: e.Start, end: e.End}
}

// friction reports what delayed the agent again and again in the days under review, by its
// #friction: marks, and turns it into lessons if allowed.
func (d *draft) friction(promote bool) (string, bool) {
	var met recurrences
	count := func(doc vault.Doc, day note.Day) {
		for _, e := range d.Parse(doc).Entries(day) {
			for _, said := range e.Friction() {
				if said != "" {
					met.add(lessonFrom(doc, e, said, day))
				}
			}
		}
	}
	for _, log := range d.underReview() {
		count(log.Doc, log.Day)
	}
	if buffer := d.File(d.Sole(layout.Buffer)); buffer.Version != vault.Absent {
		count(buffer, d.Today())
	}
	list := met.atLeast(policy.LearningsRecur.Of(d.Policy))
	for _, x := range list {
		d.find(finding.Friction.In(string(x.first.path), "%d times: %s", x.count, scan.Quote(x.first.text, briefRunes)).AtLine(x.first.line))
	}
	if len(list) == 0 || !promote {
		return "", false
	}
	p := d.promotion("review", policy.CurateMaxPerNight.Of(d.Policy))
	for _, x := range list {
		p.decide(x.first)
	}
	if p.counts[promoted]+p.counts[proposed] == 0 {
		return "", false
	}
	return several(p.counts[promoted]+p.counts[proposed], "recurring friction") + " noted", true
}

// learnings proposes what recurs in the scratch notes of failures and corrections. They are
// never promoted without a person.
func (d *draft) learnings() {
	recur := policy.LearningsRecur.Of(d.Policy)
	if recur == 0 || !d.Layout.Has(layout.Learnings) {
		return
	}
	var met recurrences
	for _, doc := range d.WithRoles(layout.Learnings) {
		for _, e := range d.Parse(doc).Entries(0) {
			if len(e.Friction()) == 0 && e.Normal() != "" {
				met.add(lessonFrom(doc, e, strings.TrimSpace(e.Text()), e.Day))
			}
		}
	}
	p := d.promotion("review", policy.CurateMaxPerNight.Of(d.Policy))
	for _, x := range met.atLeast(recur) {
		entry := p.written(x.first)
		normal := note.Normal(entry)
		if target := p.home(x.first); target != "" && !p.memory().says(normal) && !p.wasDeleted(x.first, normal) {
			p.propose(x.first, entry, target, fmt.Sprintf("it recurs %d times", x.count), "", []candidate{x.first})
		}
	}
}
