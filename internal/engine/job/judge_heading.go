package job

import (
	"fmt"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/engine/curator"
	"tend/internal/text/note"
	"tend/internal/text/referee"
	"tend/internal/text/scan"
)

// nearest shortens a subject to the heading right above an entry, and those further up that are needed to understand it: where
// the nearer one only says what kind of entries follow ("Status"), and what turns a statement around.
func nearest(subject string) string {
	said := false
	var keep []string
	for _, title := range slices.Backward(strings.Split(subject, " › ")) {
		short := gist(title)
		if short == "" || said && !turns(title) {
			continue
		}
		keep = append(keep, short)
		said = said || announces(short) == unmarked
	}
	slices.Reverse(keep)
	return strings.Join(keep, " › ")
}

// besides leaves out of a subject what the heading says that an entry gets, and what the entry says itself.
func besides(subject, heading, text string) string {
	above, said := " "+note.Normal(heading)+" ", " "+note.Normal(text)+" "
	parts := slices.DeleteFunc(strings.Split(subject, " › "), func(p string) bool {
		words := " " + note.Normal(p) + " "
		return strings.Contains(above, words) || strings.Contains(said, words) && !turns(p)
	})
	for i := range parts {
		parts[i] = strings.TrimRight(parts[i], ":： ")
	}
	return strings.Join(parts, " › ")
}

// reversed turns into a proposal what a heading of the page would turn around: "use Redis" below "Forbidden".
func (j *judging) reversed(dec *curator.Decision, page vault.Path, under string) {
	path, d := []string{under}, j.Parse(j.File(page))
	if i := slices.IndexFunc(d.Sections, func(s note.Section) bool { return note.Normal(s.Title) == note.Normal(under) }); i >= 0 {
		path = d.HeadingPath(i)
	}
	i := slices.IndexFunc(path, func(title string) bool { return (turns(title) || forbids(title)) && !dec.Below(title) })
	if dec.Verdict == curator.Accepted && i >= 0 && turned(*dec) == "" && referee.Limits(dec.Passage) == 0 {
		dec.Verdict, dec.Reason = curator.Proposed, fmt.Sprintf("it would stand below %q", scan.Quote(path[i], briefRunes))
	}
}

// forbids reports a title with a negation.
func forbids(title string) bool {
	return slices.ContainsFunc(referee.Values(title), func(v referee.Value) bool { return v.Kind == referee.Negation })
}

// turned returns a heading above a source that turns around what stands below it, "" if none does.
func turned(dec curator.Decision) string {
	for _, s := range dec.Sources {
		if i := slices.IndexFunc(s.Path, turns); i >= 0 {
			return s.Path[i]
		}
	}
	return ""
}

// heading returns the title of a heading that the page has, that the log has, or that says what kind of entries follow. Any
// other one would be the model's own words.
func (j *judging) heading(target vault.Path, title string) string {
	same := func(t string) bool { return note.Normal(t) == note.Normal(title) }
	doc := j.File(target)
	owned := j.Owned(doc)
	if slices.ContainsFunc(j.Parse(doc).Sections, func(s note.Section) bool { return s.Start < owned && same(s.Title) }) {
		return "" // it would look like the operator's
	}
	known := general(title) || announces(title).lasting() ||
		slices.ContainsFunc(j.Parse(doc).Sections, func(s note.Section) bool { return same(s.Title) }) ||
		slices.ContainsFunc(j.current.Request.Log, func(e curator.Entry) bool {
			return slices.ContainsFunc(e.Path, func(t string) bool { return same(t) || same(gist(t)) })
		})
	if !known {
		return ""
	}
	return title
}
