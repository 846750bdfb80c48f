package note

import (
	"bytes"
	"slices"
)

// PutBackUnder puts a passage of an older text back under its headings: those that the current text no longer has come
// along. Of a section whose heading still stands only what is missing below it is put back.
func PutBackUnder(now, was *Doc, from, to int) []byte {
	i := slices.IndexFunc(was.Sections, func(s Section) bool { return s.Start == from && s.End == to })
	if i < 0 || findSection(now, was, i) < 0 {
		return putEntryBack(now, was, from, to)
	}
	there := standing(now)
	var run extent // adjacent parts that are missing
	flush := func() {
		if run.to > run.from {
			now = now.Syntax.Parse(putEntryBack(now, was, run.from, run.to))
		}
		run = extent{}
	}
	for _, b := range was.Parts {
		if b.Start < from || b.End > to || b.Kind == Blank {
			continue
		}
		if b.Kind == Heading || there.has(was, b) {
			flush()
		}
		switch {
		case b.Kind == Heading && headsText(was, b), there.has(was, b): // what stands below brings its heading along
		case run.to > 0:
			run.to = b.End
		default:
			run = extent{b.Start, b.End}
		}
	}
	flush()
	return now.Text
}

// putEntryBack puts one passage back. Headings that are gone are put where their section was.
func putEntryBack(now, was *Doc, from, to int) []byte {
	var gone []Section // the innermost first
	for i := sectionAround(was, from); i >= 0 && findSection(now, was, i) < 0; i = was.Sections[i].Parent {
		gone = append(gone, was.Sections[i])
	}
	if len(gone) == 0 {
		return PutBack(now.Text, was.Text, from, to)
	}
	var block []byte
	for _, s := range slices.Backward(gone) {
		block = append(block, was.Text[s.Start:s.Body]...)
		if blankFirst(was.Text[s.Body:]) {
			block = append(block, '\n')
		}
	}
	block = append(bytes.TrimRight(append(block, was.Text[from:to]...), " \t\r\n"), '\n')
	top := gone[len(gone)-1]
	return insertApart(now.Text, boundary(now, was, top), block)
}

// boundary returns where a section of an older text belongs in the current one: behind the section in which the nearest
// line above it stands.
func boundary(now, was *Doc, s Section) int {
	at, _, ok := nearest(now.Text, linesOf(was.Text[:s.Start]), true)
	if !ok {
		if at, _, ok = nearest(now.Text, linesOf(was.Text[s.End:]), false); ok {
			return at
		}
		return len(now.Text)
	}
	for _, next := range now.Sections {
		if next.Start >= at && next.Level <= s.Level {
			return next.Start
		}
	}
	return len(now.Text)
}

// insertApart inserts a block with a blank line before and behind it.
func insertApart(text []byte, at int, block []byte) []byte {
	out := bytes.Clone(text[:at])
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n\n")) {
		out = append(out, '\n')
	}
	out = append(out, block...)
	if at < len(text) && !blankFirst(text[at:]) {
		out = append(out, '\n')
	}
	return append(out, text[at:]...)
}

// sectionAround returns the innermost section with a place below its heading, -1 if there is none.
func sectionAround(d *Doc, at int) int {
	in := -1
	for i, s := range d.Sections {
		if s.Body <= at && at < s.End {
			in = i
		}
	}
	return in
}

// findSection returns the section of the current text under the same headings, -1 if it has none.
func findSection(now, was *Doc, i int) int {
	for n := range now.Sections {
		if samePath(now, n, was, i) {
			return n
		}
	}
	return -1
}

// samePath reports whether two sections stand under the same headings; -1 is the text above all of them.
func samePath(a *Doc, i int, b *Doc, j int) bool {
	for i >= 0 && j >= 0 && a.Sections[i].same(b.Sections[j]) {
		i, j = a.Sections[i].Parent, b.Sections[j].Parent
	}
	return i < 0 && j < 0
}

func (s Section) same(w Section) bool {
	return s.Level == w.Level && Normal(s.Title) == Normal(w.Title)
}

// headsText reports whether a section has text or sections below its heading: they bring the heading along.
func headsText(d *Doc, heading Part) bool {
	i := slices.IndexFunc(d.Sections, func(s Section) bool { return s.Start == heading.Start })
	return i >= 0 && len(bytes.TrimSpace(d.Text[d.Sections[i].Body:d.Sections[i].End])) > 0
}

// extent is a byte range of a text.
type extent struct{ from, to int }

// standingParts finds the parts of a text by their words.
type standingParts struct {
	doc *Doc
	at  map[string][]int
}

func standing(d *Doc) standingParts {
	s := standingParts{d, map[string][]int{}}
	for _, b := range d.Parts {
		text := string(bytes.TrimSpace(d.Raw(b)))
		s.at[text] = append(s.at[text], b.Start)
	}
	return s
}

// has reports whether the text has a part of an older one under the same headings.
func (s standingParts) has(was *Doc, b Part) bool {
	if b.Kind == Heading {
		i := slices.IndexFunc(was.Sections, func(x Section) bool { return x.Start == b.Start })
		return i >= 0 && findSection(s.doc, was, i) >= 0
	}
	i := sectionAround(was, b.Start)
	return slices.ContainsFunc(s.at[string(bytes.TrimSpace(was.Raw(b)))], func(at int) bool {
		return samePath(s.doc, sectionAround(s.doc, at), was, i)
	})
}
