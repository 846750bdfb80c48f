package job

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// earlierName is the name of the file that takes in sections of the hot file.
const earlierName = "earlier"

// movable is a dated section of the hot file.
type movable struct {
	note.Section
	entries int
}

// moveSections moves dated sections of a file that the harness would cut to a file that it finds on demand: the oldest
// first, each whole, with its heading and a link left behind. Nothing else leaves: not by age of a line, nor by what it
// says. Where that would not be enough for the harness to load the whole file, nothing moves. The loss caps count what left
// the page.
func (d *draft) moveSections(path vault.Path) string {
	doc := d.File(path)
	text := d.Parse(doc)
	to := d.named(layout.Semantic, earlierName)
	writable := to != "" && to != path && d.open(to) && !d.shown(to)
	if !writable || d.Delimits(path) || d.Delimits(to) {
		return fmt.Sprintf("%s is longer than the harness loads, and the layout has no place for the rest", path)
	}
	list := d.movable(doc, text, to)
	allowed := d.allowance(d.loaded(doc, text))
	size, limit := d.count(doc.Data), d.harnessLimit(path)
	saves := func(m movable) int { return d.count(text.Text[m.Body:m.End]) - d.count([]byte(link(to))) }
	least := size
	for _, m := range list {
		least -= saves(m)
	}
	if least > limit {
		return fmt.Sprintf("%s is longer than the harness loads, and without its dated sections it still would be", path)
	}
	// Some room is left, so that the next lines do not bring it over the limit again.
	most := int(policy.SizeFlagAt.Of(d.Policy) * float64(limit))
	var gone []movable
	for _, m := range list {
		if size <= most || m.entries > allowed {
			break
		}
		allowed -= m.entries
		size -= saves(m)
		gone = append(gone, m)
	}
	if len(gone) == 0 {
		return fmt.Sprintf("%s is longer than the harness loads; no dated section may move", path)
	}
	slices.SortFunc(gone, func(a, b movable) int { return cmp.Compare(a.Start, b.Start) })
	shorter := 0 // by how much the page is, above the next one
	for _, m := range gone {
		raw := strings.TrimRight(string(text.Text[m.Start:m.End]), "\r\n")
		d.relocate(path, to, passageAt{raw: raw, start: m.Start - shorter, line: m.Line}, "", true, nil)
		shorter = len(doc.Data) - len(d.File(path).Data)
	}
	return fmt.Sprintf("%s: %s moved to %s, %d → %d characters", path, several(len(gone), "section"), to,
		d.count(doc.Data), d.count(d.File(path).Data))
}

// movable lists the sections that may move, oldest first: outermost ones whose title begins with a date, as a diary's do.
// A date behind a title says when standing rules were last changed. Not the operator's, not of the last day, without a
// pinned entry, and long enough that a link in their place saves something.
func (in homes) movable(doc vault.Doc, text *note.Doc, to vault.Path) []movable {
	line, inside := in.Owned(doc), 0
	young := note.DayOf(in.Now.Add(-policy.PruneImmunity.Of(in.Policy).Std()), in.Now.Location())
	count, pinned := make([]int, len(text.Sections)), make([]bool, len(text.Sections))
	for _, e := range text.Entries(0) {
		for s := e.Section; s >= 0; s = text.Sections[s].Parent {
			count[s]++
			pinned[s] = pinned[s] || e.Pinned
		}
	}
	var out []movable
	for i, s := range text.Sections {
		if s.Level < 2 || s.Start < max(line, inside) || s.Day == 0 || !s.OfDay() {
			continue
		}
		if s.Day >= young || pinned[i] || lastingTitle(s.Title) || s.End-s.Body < 3*len(link(to)) {
			continue
		}
		inside = s.End
		out = append(out, movable{s, count[i]})
	}
	slices.SortStableFunc(out, func(a, b movable) int { return cmp.Compare(a.Day, b.Day) })
	return out
}

// lastingTitle reports a title that names decisions, lessons, rules or preferences, whatever else it says.
func lastingTitle(title string) bool {
	found, _ := marksIn(title)
	return found.lasting()
}

// link is what stands in the place of a section that moved.
func link(to vault.Path) string { return "Moved to " + string(to) + ", under the same heading." }

// shown reports whether the harness loads a file.
func (in homes) shown(p vault.Path) bool {
	return slices.ContainsFunc(in.Layout.Show.Files, func(s layout.Shown) bool { return s.Name == string(p) })
}
