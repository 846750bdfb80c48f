package search

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"tend/internal/text/note"
	"tend/internal/text/transcript"
)

// Markdown reads a file's text into a document: each entry is a unit, and so is every code block, table, header line or
// heading without an entry, so that search can find everything. The day dates units that have no date of their own.
func Markdown(name string, tier Tier, day note.Day, syntax note.Syntax, text []byte) Doc {
	d := syntax.Parse(text)
	doc := Doc{Path: name, Title: titleOf(name, d), Tier: tier, Date: midnight(day)}
	entries := d.Entries(day)
	section, next := -1, 0
	pending := -1 // a heading with nothing below it so far
	flush := func() {
		if pending >= 0 {
			doc.Units = append(doc.Units, headingUnit(d, pending, day))
		}
		pending = -1
	}
	for _, b := range d.Parts {
		switch {
		case b.Kind == note.Heading:
			section++
			if pending >= 0 && d.Sections[section].Level <= d.Sections[pending].Level {
				flush()
			}
			pending = section
			continue
		case b.IsEntry():
			e := entries[next]
			next++
			doc.Units = append(doc.Units, Unit{
				Tags: append(slices.Clone(e.Tags), hashtags(e.Raw)...), Headings: headings(d, section), Body: string(e.Raw),
				Line: e.Line, EndLine: e.Line + note.Lines(e.Raw) - 1, Date: midnight(e.Day),
			})
		case silent(b.Kind):
			continue
		default:
			for _, p := range pieces(b, d.Raw(b)) {
				p.Headings, p.Date = headings(d, section), midnight(day)
				doc.Units = append(doc.Units, p)
			}
		}
		pending = -1
	}
	flush()
	return doc
}

// pieceLines is how many lines of code make a unit: enough to tell what it is about, few enough to say where.
const pieceLines = 24

// pieces cuts a block other than an entry into units: a table into rows, long code into runs of lines.
func pieces(b note.Part, raw []byte) []Unit {
	size := pieceLines
	switch b.Kind {
	case note.Table:
		size = 1
	case note.Code:
		if transcript.Fenced(raw) {
			return statements(b, raw)
		}
	default:
		size = note.Lines(raw)
	}
	var out []Unit
	at, n := 0, 0 // bytes and lines of the piece so far
	line := b.Line
	flush := func(end int) {
		if text := string(raw[at:end]); strings.IndexFunc(text, wordRune) >= 0 {
			out = append(out, Unit{Body: text, Line: line, EndLine: line + n - 1, Code: b.Kind == note.Code})
		}
		at, line, n = end, line+n, 0
	}
	end := 0
	for l := range bytes.Lines(raw) {
		end += len(l)
		if n++; n == size {
			flush(end)
		}
	}
	if n > 0 {
		flush(end)
	}
	return out
}

// statements cuts an imported session into what was said.
func statements(b note.Part, raw []byte) (out []Unit) {
	for _, l := range transcript.Lines(raw) {
		line := b.Line + l.Line - 1
		out = append(out, Unit{Body: l.Text, Line: line, EndLine: line + strings.Count(l.Text, "\n")})
	}
	return out
}

// silent reports whether a kind of block has no words.
func silent(k note.Kind) bool {
	return k == note.Blank || k == note.Rule || k == note.SeparatorLine || k == note.Delimiter
}

func headingUnit(d *note.Doc, i int, day note.Day) Unit {
	s := d.Sections[i]
	if !s.Day.IsZero() {
		day = s.Day
	}
	return Unit{Headings: headings(d, s.Parent), Body: s.Title, Line: s.Line, EndLine: s.Line, Date: midnight(day)}
}

func headings(d *note.Doc, section int) []string {
	var out []string
	for ; section >= 0; section = d.Sections[section].Parent {
		out = append(out, d.Sections[section].Title)
	}
	slices.Reverse(out)
	return out
}

// titleOf is the file's first heading of the first level, else its name.
func titleOf(name string, d *note.Doc) string {
	for _, s := range d.Sections {
		if s.Level == 1 && s.Title != "" {
			return s.Title
		}
	}
	base := path.Base(name)
	return strings.TrimSuffix(base, path.Ext(base))
}

// hashtags finds #words; a heading's marks and colours such as #fff in code look alike and do no harm.
func hashtags(raw []byte) []string {
	if !bytes.ContainsRune(raw, '#') {
		return nil
	}
	var out []string
	for w := range strings.FieldsSeq(string(raw)) {
		tag, ok := strings.CutPrefix(w, "#")
		if !ok {
			continue
		}
		tag = strings.TrimRight(tag, ".,;:!?)")
		if tag != "" && strings.IndexFunc(tag, wordRune) == 0 && !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	return out
}
