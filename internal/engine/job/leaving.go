package job

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// leaver is an entry that may leave the hot file, by the rules of a protocol that limits its lines.
type leaver struct {
	note.Entry
	why  string
	to   vault.Path // the file it moves to; "" if it leaves memory altogether
	loss bool       // counts against the loss caps: Tend did not write it
}

// leaving lists the entries that may leave the hot file, in that order: expired ones, repeated ones, finished tasks, then
// dated ones without a tag, the oldest first, then tagged ones and last those without a date. An entry that has a tag or no
// date stays in memory, unless it is expired or repeated: it moves to the file that owns it.
func (in homes) leaving(doc vault.Doc, text *note.Doc) []leaver {
	v := in.veterans(doc, text)
	var out []leaver
	listed := map[int]bool{}
	add := func(e note.Entry, why string) {
		if listed[e.Start] {
			return
		}
		l := leaver{Entry: e, why: why, loss: !in.wrote(e)}
		if len(e.Tags) > 0 || !dated(e) {
			if l.to = in.shelf(e.Tags); l.to == "" {
				return
			}
		}
		listed[e.Start] = true
		out = append(out, l)
	}
	for _, e := range v {
		if e.Expired(in.Today()) {
			listed[e.Start] = true
			out = append(out, leaver{Entry: e, why: expired, loss: !in.wrote(e)})
		}
	}
	for _, e := range repeated(text, v) {
		if !listed[e.Start] {
			listed[e.Start] = true
			out = append(out, leaver{Entry: e, why: saidTwice})
		}
	}
	done := days(policy.PruneDoneAfter.Of(in.Policy))
	for _, e := range v {
		if e.Task == note.DoneTask && done > 0 && in.Today().Sub(in.since(doc, e)) >= done {
			add(e, "finished")
		}
	}
	for _, rank := range []func(note.Entry) bool{
		func(e note.Entry) bool { return dated(e) && len(e.Tags) == 0 },
		dated,
		func(note.Entry) bool { return true },
	} {
		for _, e := range v {
			if e.Task != note.OpenTask && rank(e) {
				add(e, "no room")
			}
		}
	}
	return out
}

// Reasons to remove an entry whatever the file's size.
const (
	saidTwice = "said twice"
	expired   = "past its date"
)

// shelf returns where an entry goes that no longer fits into the hot file: the file that owns its tag, else one named for
// it. "" if the layout has no place below the hot file.
func (in homes) shelf(tags []string) vault.Path {
	hot := in.Sole(layout.Hot)
	tag := ""
	for _, t := range policy.TagsEntry.Of(in.Policy) {
		if slices.Contains(tags, t) {
			tag = t
			break
		}
	}
	name, ok := shelves[tag]
	if !ok {
		name = tag
	}
	if p := in.owned(name); p != "" {
		return p
	}
	for _, r := range []layout.Role{map[string]layout.Role{"decision": layout.Decisions, "lesson": layout.Lessons}[tag], layout.Semantic} {
		if p := in.named(r, name); r != "" && p != "" && p != hot && in.open(p) {
			return p
		}
	}
	return ""
}

// shelves are the names of files for entries without an owner in the layout, by the tag that says what they are.
var shelves = map[string]string{
	"decision": "decisions", "lesson": "lessons", "human": "people", "surprise": "surprises", "identity": "self", "": "notes",
}

// veterans are the entries that pruning may touch, oldest first: not the operator's, not
// pinned, and older than prune.immunity.
func (in homes) veterans(doc vault.Doc, text *note.Doc) []note.Entry {
	line := in.Owned(doc)
	type aged struct {
		*note.Entry
		since note.Day
	}
	var list []aged
	all := text.Entries(0)
	for i, e := range all {
		if e.Start >= line && !e.Pinned && !preamble(text, e) && !in.immune(doc, e) {
			list = append(list, aged{&all[i], in.since(doc, e)})
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
func (in homes) immune(doc vault.Doc, e note.Entry) bool {
	return in.Now.Sub(in.writtenBy(doc, e)) < policy.PruneImmunity.Of(in.Policy).Std()
}

// writtenBy is the latest time at which an entry can have been written: the earlier of when it was first seen and its
// date, or its file's time if it has no date.
func (in view) writtenBy(doc vault.Doc, e note.Entry) time.Time {
	latest := doc.ModTime
	if dated(e) {
		latest = e.Latest(in.Now.Location())
	}
	if seen, ok := in.Facts.Remembered.Seen[MarkOf(e.Normal())]; ok && (seen.Before(latest) || latest.IsZero()) {
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

// repeated returns those entries of list whose words stand in the text again with the same tags, or with tags where they
// have none. Of equals, the newest stays.
func repeated(text *note.Doc, list []note.Entry) []note.Entry {
	key := func(e note.Entry) string { return fmt.Sprint(e.Normal(), "\x00", e.Task, e.Tags) }
	count, tagged := map[string]int{}, map[string]int{}
	for _, e := range text.Entries(0) {
		count[key(e)]++
		if len(e.Tags) > 0 {
			tagged[e.Normal()]++
		}
	}
	var out []note.Entry
	for _, e := range list {
		if k := key(e); strings.Contains(e.Normal(), " ") && (count[k] > 1 || len(e.Tags) == 0 && tagged[e.Normal()] > 0) {
			out = append(out, e)
			count[k]--
		}
	}
	return out
}
