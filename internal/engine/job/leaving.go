package job

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/text/claim"
	"tend/internal/text/note"
)

// leaver is an entry that may leave the hot file.
type leaver struct {
	note.Entry
	why  string
	to   vault.Path // the file it moves to; "" if it leaves memory altogether
	loss bool       // counts against the loss caps
}

// leaving lists the entries that may leave the hot file, in that order: expired ones, repeated ones, finished tasks,
// superseded ones, then dated ones from the least to the most useful, and last those without a date, which people write
// by hand. An entry that has a tag or no date stays in memory, unless it is expired or repeated: it moves to the file
// that owns it.
func (in places) leaving(doc vault.Doc, text *note.Doc) []leaver {
	v := in.veterans(doc, text)
	var out []leaver
	listed := map[int]bool{}
	add := func(e note.Entry, why string, loss bool) {
		if listed[e.Start] {
			return
		}
		l := leaver{Entry: e, why: why, loss: loss}
		if len(e.Tags) > 0 || !dated(e) || why == spareFact && in.Facts.Past.Promoted.Has(MarkOf(e.Normal())) {
			if l.to, l.loss = in.lower(fact{text: e.Text(), tags: e.Tags}), false; l.to == "" {
				return
			}
		}
		listed[e.Start] = true
		out = append(out, l)
	}
	for _, e := range v {
		if e.Expired(in.Today()) {
			listed[e.Start] = true
			out = append(out, leaver{Entry: e, why: expired, loss: true})
		}
	}
	for _, e := range in.repeated(text, v) {
		if !listed[e.Start] {
			listed[e.Start] = true
			out = append(out, leaver{Entry: e, why: saidTwice})
		}
	}
	done := days(policy.PruneDoneAfter.Of(in.Policy))
	for _, e := range v {
		if e.Task == note.DoneTask && done > 0 && in.Today().Sub(in.since(doc, e)) >= done {
			add(e, "finished", true)
		}
	}
	for _, e := range in.superseded(text, v) {
		add(e, "superseded", true)
	}
	rest := slices.DeleteFunc(slices.Clone(v), func(e note.Entry) bool { return e.Task == note.OpenTask })
	value, hands := make(map[int]int, len(rest)), handwrittenOf(in.memory().list)
	for _, e := range rest {
		value[e.Start] = in.value(doc, e, hands)
	}
	slices.SortStableFunc(rest, func(a, b note.Entry) int { return cmp.Compare(value[a.Start], value[b.Start]) })
	for _, e := range rest {
		switch {
		case !dated(e):
		case len(e.Tags) == 0:
			add(e, spareFact, true)
		default:
			add(e, "least useful", false)
		}
	}
	for _, e := range rest {
		if !dated(e) {
			add(e, "no room", false)
		}
	}
	return out
}

// value is how useful an entry is in the hot file: the weight of its words and tags, less its age and, where characters
// are scarce, its length. Rules hardly age. A repeated fact gets the new date, so it counts as young.
func (in places) value(doc vault.Doc, e note.Entry, hands handwritten) int {
	c := candidate{fact: fact{text: e.Text(), tags: e.Tags, day: in.since(doc, e)}}.read("")
	age := min(in.Today().Sub(c.day), 365)
	n := 4 * (c.merit() + hands.bonus(c))
	switch {
	case c.firmForm(), c.has("human"):
		n += 12 - age/24 // a rule is needed every day, and so is what somebody asked for
	case len(e.Tags) == 0:
		n -= age / 4
	default:
		n -= age / 8
	}
	if in.scarce() {
		n -= len([]rune(c.text)) / 8
	}
	return n
}

// Reasons to remove an entry.
const (
	spareFact = "without a tag"
	saidTwice = "said twice"
	expired   = "past its date"
)

// veterans are the entries that pruning may touch, oldest first: not the operator's, not
// pinned, and older than prune.immunity.
func (in places) veterans(doc vault.Doc, text *note.Doc) []note.Entry {
	line := in.Owned(doc)
	type aged struct {
		*note.Entry
		since note.Day
	}
	var list []aged
	for i, e := range text.Entries(0) {
		if e.Start >= line && !e.Pinned && !preamble(text, e) && !elsewhere(text, e) && !in.immune(doc, e) {
			list = append(list, aged{&text.Entries(0)[i], in.since(doc, e)})
		}
	}
	slices.SortStableFunc(list, func(a, b aged) int { return cmp.Compare(a.since, b.since) })
	out := make([]note.Entry, len(list))
	for i := range list {
		out[i] = *list[i].Entry
	}
	return out
}

// preamble is the text under a file's title that says what the file is for.
func preamble(text *note.Doc, e note.Entry) bool {
	return !e.Bullet && !dated(e) && text.Syntax.Style == note.Bullets && (e.Section < 0 || text.Sections[e.Section].Level == 1)
}

// dated reports whether an entry's date says when it was written. A date that its text merely
// mentions does not.
func dated(e note.Entry) bool { return e.Day != 0 && e.DayFrom != note.Mentioned }

// immune reports whether an entry may be younger than prune.immunity.
func (in places) immune(doc vault.Doc, e note.Entry) bool {
	return in.Now.Sub(in.writtenBy(doc, e)) < policy.PruneImmunity.Of(in.Policy).Std()
}

// writtenBy is the latest time at which an entry can have been written: the earlier of when it was first seen and its
// date, or its file's time if it has no date.
func (in view) writtenBy(doc vault.Doc, e note.Entry) time.Time {
	latest := doc.ModTime
	if dated(e) {
		latest = e.Latest(in.Now.Location())
	}
	if seen, ok := in.Facts.Past.Seen[MarkOf(e.Normal())]; ok && (seen.Before(latest) || latest.IsZero()) {
		return seen
	}
	if latest.IsZero() {
		return in.Now // unknown
	}
	return latest
}

// since is the day from which an entry's age counts.
func (in view) since(doc vault.Doc, e note.Entry) note.Day {
	if dated(e) {
		return min(e.Day, in.Today())
	}
	return min(note.DayOf(in.writtenBy(doc, e), in.Now.Location()), in.Today()) // a clock may be ahead
}

// repeated returns those entries of list that another entry of the text repeats. Of two, the one
// with the tags of both stays; of equals, the newer one.
func (in places) repeated(text *note.Doc, list []note.Entry) []note.Entry {
	similar := policy.CurateSimilar.Of(in.Policy)
	all := text.Entries(0)
	gists := make([]note.Gist, len(all))
	at := make(map[int]int, len(all))
	for i := range all {
		gists[i] = all[i].Gist()
		at[all[i].Start] = i
	}
	gone := make([]bool, len(all))
	var out []note.Entry
	for _, e := range list {
		i := at[e.Start]
		for j := range all {
			if i == j || gone[j] || all[j].Task != e.Task || !gists[i].Alike(gists[j], similar) || !hasTags(all[j].Tags, e.Tags) {
				continue
			}
			if len(all[j].Normal()) < len(e.Normal()) {
				continue // e may have words that no other entry has
			}
			gone[i] = true
			out = append(out, e)
			break
		}
	}
	return out
}

// hasTags reports whether a list of tags has all of another one.
func hasTags(tags, of []string) bool {
	return !slices.ContainsFunc(of, func(t string) bool { return !slices.Contains(tags, t) })
}

// superseded returns those entries of list that say so themselves, or that a later entry of the text replaces.
func (in places) superseded(text *note.Doc, list []note.Entry) []note.Entry {
	var later []claim.Statement
	for _, e := range text.Entries(0) {
		if dated(e) {
			if s := claim.ReadUnder(e.Text(), heading(text, e), e.Day); s.Changed || s.Ended {
				later = append(later, s)
			}
		}
	}
	var out []note.Entry
	for _, e := range list {
		if saysSuperseded(e) || dated(e) && in.overtaken(claim.ReadUnder(e.Text(), heading(text, e), e.Day), later) {
			out = append(out, e)
		}
	}
	return out
}

func (in places) overtaken(s claim.Statement, later []claim.Statement) bool {
	return slices.ContainsFunc(later, func(n claim.Statement) bool {
		over, _ := claim.Supersedes(n, s)
		return over && n.Day > s.Day
	})
}

func saysSuperseded(e note.Entry) bool {
	status, _ := e.Meta("status")
	if strings.EqualFold(status, "superseded") || strings.EqualFold(status, "obsolete") {
		return true
	}
	for _, word := range []string{"superseded:", "obsolete:", "outdated:"} {
		if text := e.Text(); len(text) > len(word) && strings.EqualFold(text[:len(word)], word) {
			return true
		}
	}
	return false
}
