package job

import (
	"bytes"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/text/claim"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// placed returns a file's text with an entry added where it belongs: under the heading that shares its words, else under
// one for its sort. A missing file is begun.
func (in places) placed(p vault.Path, f fact, raw string) []byte {
	text := in.File(p).Data
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte(in.freshFile(p))
	}
	d := in.Syntax(p).Parse(text)
	if in.Delimits(p) {
		return spliced(text, d.Append(raw))
	}
	line := in.Owned(vault.Doc{Path: p, Data: text, Version: "new"})
	if role, _ := in.Layout.RoleOf(string(p)); !slices.Contains([]layout.Role{layout.Hot, layout.User, layout.Tools}, role) {
		return spliced(text, d.Append(raw)) // the whole file is of one sort
	}
	if i := in.section(d, line, f); i >= 0 {
		return spliced(text, d.AppendTo(ownSection(d, i), raw))
	}
	title := in.sort(d, p, f)
	for i, s := range d.Sections {
		if s.Level == 2 && s.Start >= line && strings.EqualFold(s.Title, title) {
			return spliced(text, d.AppendTo(ownSection(d, i), raw))
		}
	}
	if i := slices.IndexFunc(d.Sections, func(s note.Section) bool { return s.Start >= line && s.Title == elsewhereTitle }); i >= 0 {
		nl := note.Newline(text)
		return spliced(text, note.Edit{At: d.Sections[i].Start, Text: "## " + title + nl + strings.ReplaceAll(raw, "\n", nl) + nl + nl})
	}
	return spliced(text, d.AppendSection("## "+title, raw))
}

// ownSection returns a section up to its first subsection.
func ownSection(d *note.Doc, i int) note.Section {
	s := d.Sections[i]
	if i+1 < len(d.Sections) && d.Sections[i+1].Start < s.End {
		s.End = d.Sections[i+1].Start
	}
	return s
}

// section finds the heading an entry belongs under, -1 if there is none: a list of rules for a rule, else the one under
// which most of its words are used. Promoted entries do not count there: one stray entry would attract others.
func (in places) section(d *note.Doc, line int, f fact) int {
	s := claim.Read(f.text, 0)
	mine := s.Subject.Strong
	best, most := -1, 2
	form := claim.WorthOf(f.text, f.day).Form
	rule := form == "rule" || form == "agreement"
	if rule { // it needs a better reason to go elsewhere
		if best = slices.IndexFunc(d.Sections, func(sec note.Section) bool {
			return sec.Level >= 2 && sec.Start >= line && claim.Rules(sec.Title)
		}); best >= 0 {
			most = 3
		}
	}
	for i, sec := range d.Sections {
		if sec.Level < 2 || sec.Start < line || sec.Day != 0 || sec.Title == elsewhereTitle || slices.Contains(sortTitles(), sec.Title) {
			continue
		}
		if !rule && claim.Rules(sec.Title) {
			continue
		}
		score := 0
		title := claim.Read(sec.Title, 0).Subject.Strong
		for _, w := range mine {
			if slices.Contains(title, w) {
				score += 2
			}
		}
		used := map[string]bool{}
		for _, e := range d.Entries(0) {
			if e.Section != i || dated(e) || !slices.ContainsFunc(claim.Terms(e.Text()), func(w string) bool { return slices.Contains(mine, w) }) {
				continue
			}
			for _, w := range claim.Read(e.Text(), 0).Subject.Strong {
				used[w] = true
			}
		}
		for _, w := range mine {
			if used[w] {
				score++
			}
		}
		if score > most {
			best, most = i, score
		}
	}
	return best
}

// sorts are the headings for entries that belong under no other, by tag.
var sorts = []struct{ tag, title string }{
	{"identity", "Who I am"}, {"human", "What people want"}, {"decision", "Decisions"}, {"lesson", "Lessons"}, {"surprise", "Good to know"}, {"", notesTitle},
}

func sortTitles() []string {
	var out []string
	for _, s := range sorts {
		out = append(out, s.title)
	}
	return out
}

// sort returns the heading for an entry that belongs under no other. A file that is nearly full gets no more headings.
func (in places) sort(d *note.Doc, p vault.Path, f fact) string {
	title := in.sortOf(f)
	if p == in.Sole(layout.Hot) && !in.below(p, spare) && !slices.ContainsFunc(d.Sections, func(s note.Section) bool { return strings.EqualFold(s.Title, title) }) {
		return notesTitle
	}
	return title
}

func (in places) sortOf(f fact) string {
	for _, s := range sorts {
		if s.tag != "" && f.has(s.tag) {
			return s.title
		}
	}
	if len(f.tags) > 0 {
		return title(f.tags[0])
	}
	return notesTitle
}

// elsewhereTitle is the heading of the index that Tend keeps at the end of the hot file.
const elsewhereTitle = "Where the rest is"

// The ends of the lines of the index, which distinguish them from lines that somebody adds below them.
const (
	shelfWords  = ": what is not needed every day"
	formerWords = ": what used to be true, and what replaced it"
	sourceWords = "the date behind an entry names the daily log it comes from"
)

// elsewhere reports whether an entry is part of that index.
func elsewhere(d *note.Doc, e note.Entry) bool {
	return e.Section >= 0 && d.Sections[e.Section].Title == elsewhereTitle && indexLine(e.Raw)
}

func indexLine(raw []byte) bool {
	line := strings.TrimSpace(string(raw))
	return strings.HasSuffix(line, shelfWords) || strings.HasSuffix(line, formerWords) || line == "- "+sourceWords
}

// writeIndex maintains the short list of where the rest of memory is, at the end of the hot file, once there is a rest.
// Lines that somebody has added below it get a heading of their own.
func (d *draft) writeIndex() {
	hot := d.Sole(layout.Hot)
	doc := d.File(hot)
	if doc.Version == vault.Absent || d.Delimits(hot) || !d.open(hot) {
		return
	}
	want := d.elsewhereText(hot)
	if want == "" {
		return
	}
	text := d.Parse(doc)
	line := d.Owned(doc)
	i := slices.IndexFunc(text.Sections, func(s note.Section) bool { return s.Title == elsewhereTitle && s.Start >= line })
	if i < 0 {
		if after := spliced(doc.Data, text.AppendSection("## "+elsewhereTitle, want)); d.over(hot, after) == "" {
			d.set(hot, after, "say where the rest is")
		}
		return
	}
	s := text.Sections[i]
	own := s.Body // where our lines end
	for own < s.End {
		end := own + bytes.IndexByte(append(slices.Clip(doc.Data[own:s.End]), '\n'), '\n') + 1
		end = min(end, s.End)
		if !indexLine(doc.Data[own:end]) {
			break
		}
		own = end
	}
	nl := note.Newline(doc.Data)
	switch {
	case len(bytes.TrimSpace(doc.Data[own:s.End])) > 0:
		edits := []note.Edit{{At: s.Start, Cut: own - s.Start, Text: "## " + notesTitle + nl}}
		if j := slices.IndexFunc(text.Sections, func(s note.Section) bool { return s.Title == notesTitle && s.Level == 2 && s.Start >= line }); j >= 0 && j < i {
			edits = []note.Edit{text.AppendTo(ownSection(text, j), strings.TrimSpace(string(doc.Data[own:s.End]))), {At: s.Start, Cut: s.End - s.Start}}
		}
		text = d.Syntax(hot).Parse(spliced(doc.Data, edits...))
		d.set(hot, spliced(text.Text, text.AppendSection("## "+elsewhereTitle, want)), "say where the rest is")
	case strings.TrimSpace(strings.ReplaceAll(string(doc.Data[s.Body:own]), "\r\n", "\n")) != want:
		d.set(hot, spliced(doc.Data, note.Edit{At: s.Body, Cut: own - s.Body, Text: strings.ReplaceAll(want, "\n", nl) + nl}), "say where the rest is")
	}
}

// shown reports whether the harness loads a file.
func (in places) shown(p vault.Path) bool {
	return slices.ContainsFunc(in.Layout.Show.Files, func(s layout.Shown) bool { return s.Name == string(p) })
}

// elsewhereText lists the shelves with entries.
func (d *draft) elsewhereText(hot vault.Path) string {
	var shelves []string
	former := ""
	for _, doc := range d.Of(layout.Semantic, layout.Procedural, layout.Decisions, layout.Lessons) {
		switch {
		case doc.Path == hot || len(doc.Data) == 0 || d.shown(doc.Path) || doc.Path == d.Sole(layout.User):
		case d.formerly(doc.Path):
			former = string(doc.Path)
		default:
			shelves = append(shelves, string(doc.Path))
		}
	}
	var out []string
	if len(shelves) > 8 {
		shelves = append(shelves[:8], "…")
	}
	if len(shelves) > 0 {
		out = append(out, "- "+strings.Join(shelves, ", ")+shelfWords)
	}
	if former != "" && !(d.scarce() && len(out) > 0) {
		out = append(out, "- "+former+formerWords)
	}
	if len(out) > 0 && d.Layout.Has(layout.Daily) && !d.scarce() {
		out = append(out, "- "+sourceWords)
	}
	return strings.Join(out, "\n")
}
