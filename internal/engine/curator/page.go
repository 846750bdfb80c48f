package curator

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// itemKind is what a line is a part of.
type itemKind uint8

const (
	otherItem   itemKind = iota // front matter, a comment, a rule: nothing that may leave or change
	headingItem                 // a heading with its section
	entryItem                   // a bullet with everything nested, or a paragraph
	nestedItem                  // a bullet inside another one
	blockItem                   // a table or code: only whole
)

// Item is what an operation on a line acts on: never less than a whole bullet, table or section.
type Item struct {
	Page     int
	From, To int // ids of its lines
	Kind     itemKind
	By       Author
	Pinned   bool
	Text     string // its lines, secrets masked
	Heading  string // the title above it
}

// Whole reports an item that is a whole section.
func (i Item) Whole() bool { return i.Kind == headingItem }

// statement is what an item says, without the day that Tend put to it.
func (i Item) statement() string {
	if i.By == ByTend {
		return note.WithoutDay(i.Text)
	}
	return i.Text
}

// NewPage reads a file as a page. The ids of its lines begin with first. by says who wrote the entry that begins at an offset.
func NewPage(file string, doc *note.Doc, first int, by func(note.Entry) Author, owned int) Page {
	p := Page{File: file}
	raw, shown := lines(doc.Text), Masked(doc.Text)
	at, starts := 0, make([]int, 0, len(raw))
	for i, l := range raw {
		line := Line{ID: first + i, Text: shown[i]}
		if at < owned {
			line.By = Operator
		}
		p.Lines = append(p.Lines, line)
		starts = append(starts, at)
		at += len(l) + 1
	}
	for _, e := range doc.Entries(0) {
		if e.Start < owned {
			continue
		}
		author := by(e)
		for i := lineAt(starts, e.Start); i < len(starts) && starts[i] < e.End; i++ {
			p.Lines[i].By, p.Lines[i].pinned = author, e.Pinned || annotated(e)
		}
	}
	var b strings.Builder
	for _, l := range shown {
		p.starts = append(p.starts, b.Len())
		b.WriteString(l)
		b.WriteByte('\n')
	}
	p.doc = doc.Syntax.Parse([]byte(b.String()))
	return p
}

// annotated reports a comment by which OpenClaw recalls an entry. Its own consolidation keeps such an entry as it is.
func annotated(e note.Entry) bool {
	for _, key := range []string{"trigger", "importance", "project"} {
		if _, ok := e.Meta(key); ok {
			return true
		}
	}
	return false
}

// lines splits a text into lines without their ends.
func lines(text []byte) []string {
	s := strings.TrimSuffix(string(text), "\n")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// Masked returns the lines of a text without its secrets. One that goes over several lines is masked in each of them, so
// that every line keeps its number.
func Masked(text []byte) []string {
	out, hidden := lines(text), scan.Mask(text)
	if bytes.Equal(hidden, text) {
		return out
	}
	if same := lines(hidden); len(same) == len(out) {
		return same
	}
	still := map[string]bool{}
	for _, l := range lines(hidden) {
		still[l] = true
	}
	for i, l := range out {
		if still[l] {
			continue
		}
		if out[i] = string(scan.Mask([]byte(l))); out[i] == l {
			out[i] = scan.Masked
		}
	}
	return out
}

// item returns what an operation on a line acts on.
func (r Request) item(id int) (Item, bool) {
	page, _, ok := r.line(id)
	if !ok {
		return Item{}, false
	}
	p := r.Pages[page]
	it := itemAt(p, id-p.Lines[0].ID)
	it.Page = page
	for i := it.From - p.Lines[0].ID; i <= it.To-p.Lines[0].ID; i++ {
		l := p.Lines[i]
		it.Pinned = it.Pinned || l.pinned
		it.By = weaker(it.By, l.By, i == it.From-p.Lines[0].ID)
	}
	return it, true
}

// weaker is the author who must be asked for both: the operator, then a person, then the agent, then Tend.
func weaker(a, b Author, first bool) Author {
	rank := map[Author]int{Operator: 0, Unknown: 1, ByAgent: 2, ByTend: 3}
	if first || rank[b] < rank[a] {
		return b
	}
	return a
}

// itemAt finds the item around a line of a page.
func itemAt(p Page, at int) Item {
	first := p.Lines[0].ID
	numbers := func(from, to int) (int, int) { // of the lines of some bytes
		to -= len(p.doc.Text[from:to]) - len(bytes.TrimRight(p.doc.Text[from:to], "\n"))
		return first + lineAt(p.starts, from), first + lineAt(p.starts, max(from, to-1))
	}
	i, _ := slices.BinarySearchFunc(p.doc.Parts, p.starts[at], func(b note.Part, at int) int {
		switch {
		case b.End <= at:
			return -1
		case b.Start > at:
			return 1
		}
		return 0
	})
	part := p.doc.Parts[i]
	it := Item{Text: strings.TrimRight(string(p.doc.Raw(part)), "\n")}
	it.From, it.To = numbers(part.Start, part.End)
	section, _ := slices.BinarySearchFunc(p.doc.Sections, part.End, func(s note.Section, end int) int { return s.Start - end })
	if section--; section >= 0 {
		it.Heading = p.doc.Sections[section].Title
	}
	switch part.Kind {
	case note.Heading:
		s := p.doc.Sections[section]
		it.Kind, it.Text = headingItem, strings.TrimRight(string(p.doc.Text[s.Start:s.End]), "\n")
		it.From, it.To = numbers(s.Start, s.End)
	case note.Table, note.Code:
		it.Kind = blockItem
	case note.Paragraph:
		it.Kind = entryItem
	case note.Bullet:
		it.Kind = entryItem
		if first+at > it.From {
			it = nested(p, it, at)
		}
	}
	return it
}

// lineAt returns the index of the line that has an offset.
func lineAt(starts []int, offset int) int {
	i, found := slices.BinarySearch(starts, offset)
	if !found {
		i--
	}
	return i
}

// nested narrows a bullet to the bullet inside it that has a line.
func nested(p Page, whole Item, at int) Item {
	first := p.Lines[0].ID
	for i := at; i > whole.From-first; i-- {
		depth, bullet := indentOf(p.Lines[i].Text)
		if own, _ := indentOf(p.Lines[at].Text); !bullet || i < at && depth >= own {
			continue
		}
		end := i
		for j := i + 1; j <= whole.To-first; j++ {
			d, _ := indentOf(p.Lines[j].Text)
			if strings.TrimSpace(p.Lines[j].Text) != "" && d <= depth {
				break
			}
			if strings.TrimSpace(p.Lines[j].Text) != "" {
				end = j
			}
		}
		if end < at {
			break
		}
		n := Item{Kind: nestedItem, From: first + i, To: first + end, Heading: whole.Heading}
		var b []string
		for _, l := range p.Lines[i : end+1] {
			b = append(b, l.Text)
		}
		n.Text = strings.Join(b, "\n")
		return n
	}
	return whole
}

// indentOf returns a line's indentation, and whether it begins a bullet.
func indentOf(line string) (int, bool) {
	text := strings.TrimLeft(line, " \t")
	return len(line) - len(text), marker(text) > 0
}

// marker returns the length of a list's marker at the start of a line, with the blank after it.
func marker(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	switch {
	case n > 0 && n < 5 && (strings.HasPrefix(s[n:], ". ") || strings.HasPrefix(s[n:], ") ")):
		return n + 2
	case n == 0 && len(s) > 1 && strings.IndexByte("-*+", s[0]) >= 0 && s[1] == ' ':
		return 2
	}
	if sign, size := utf8.DecodeRuneInString(s); n == 0 && strings.ContainsRune("•·▪◦‣", sign) && strings.HasPrefix(s[size:], " ") {
		return size + 1
	}
	return 0
}

// headings are the titles of a page.
func (p Page) headings() []string {
	var out []string
	for _, s := range p.doc.Sections {
		out = append(out, s.Title)
	}
	return out
}
