package note

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// BlockKind is the kind of a [Block].
type BlockKind uint8

const (
	BulletBlock    BlockKind = iota // one list item with everything nested in it
	ParagraphBlock                  // lines of text
	LabelledBlock                   // a label line with the list, text, table or code that it introduces
	TableBlock                      // a whole table
	CodeBlock                       // a whole code fence
)

// Block is the unit that is found, copied or moved: nothing inside it means anything alone. Its subject is its heading
// path, see [Doc.HeadingPath].
type Block struct {
	Kind       BlockKind
	Raw        []byte // unchanged, the last newline included
	Start, End int
	Line       int
	Section    int    // index into [Doc.Sections], -1 before the first heading
	Label      string // "Lesson" of "**Lesson:** …" or "Lesson: …", as written
	Tags       []string
	Task       Task // an open task inside it makes it open
	Day        Day
	DayFrom    DayFrom
	Minute     int // of the day as written, -1 without a time
	Pinned     bool
	Residue    bool // in a passage that a harness wrote about itself, see [SortOf]

	head *Entry // its first lines, nil for a table or code
}

// Text returns the block's words without bullet, checkbox, tags and timestamps of its first lines.
func (b Block) Text() string {
	if b.head == nil {
		return string(bytes.TrimSpace(b.Raw))
	}
	text := b.head.Text()
	if rest := bytes.TrimRight(b.Raw[len(b.head.Raw):], " \t\r\n"); len(rest) > 0 {
		text += Newline(b.Raw) + string(rest)
	}
	return strings.TrimLeft(text, "\r\n") // of "Lesson:" and its list, the list
}

// HeadingPath returns the titles above a section's text, the outermost first. It is empty for -1.
func (d *Doc) HeadingPath(section int) []string {
	var path []string
	for ; section >= 0; section = d.Sections[section].Parent {
		path = append(path, d.Sections[section].Title)
	}
	slices.Reverse(path)
	return path
}

// Blocks returns the units of the text in order. day is the document's own, as for [Doc.Entries].
func (d *Doc) Blocks(day Day) []Block {
	entries := d.Entries(day)
	n := len(entries)
	for _, p := range d.Parts {
		n += b2i(p.Kind == Table || p.Kind == Code)
	}
	out := make([]Block, 0, n)
	section, machine := -1, dreams(d.Text)
	for i := 0; i < len(d.Parts); {
		p := d.Parts[i]
		end := i + 1
		switch {
		case p.Kind == Heading:
			section++
		case p.IsEntry() || p.Kind == Table || p.Kind == Code:
			end = d.blockEnd(i)
			n := 0
			for _, q := range d.Parts[i:end] {
				n += b2i(q.IsEntry())
			}
			for len(machine) > 0 && machine[0][1] <= p.Start {
				machine = machine[1:]
			}
			b := d.block(d.Parts[i:end], entries[:n], section, day)
			b.Residue = len(machine) > 0 && machine[0][0] <= p.Start
			out = append(out, b)
			entries = entries[n:]
		}
		i = end
	}
	return out
}

// blockEnd returns the index after the last part of the block that begins with part i.
func (d *Doc) blockEnd(i int) int {
	p, next := d.Parts[i], i+1
	if !p.IsEntry() || d.Syntax.Style == Delimited {
		return next
	}
	raw := d.Raw(p)
	opens := introduces(raw)
	if next < len(d.Parts) && d.Parts[next].Kind == Blank && opens {
		next++
	}
	if next == len(d.Parts) {
		return i + 1
	}
	switch q := d.Parts[next]; {
	case opens && (q.Kind == Table || q.Kind == Code):
		return next + 1
	case p.Kind == Bullet:
	case q.Kind == Bullet && (opens || introduces(raw[:lineEnd(raw, 0)]) || labelOf(raw) != ""):
		return d.listEnd(next)
	case q.Kind == Paragraph && opens && labelOf(d.Raw(q)) == "" && !introduces(d.Raw(q)):
		return d.linesEnd(next)
	}
	return i + 1
}

// listEnd returns the index after the last bullet of the list that begins with part i.
func (d *Doc) listEnd(i int) int {
	end := i
	for ; i < len(d.Parts); i++ {
		switch d.Parts[i].Kind {
		case Bullet:
			end = i + 1
		case Blank:
		default:
			return end
		}
	}
	return end
}

// linesEnd returns the index after the lines of text that follow part i without a blank line.
func (d *Doc) linesEnd(i int) int {
	for i < len(d.Parts) && d.Parts[i].Kind == Paragraph {
		i++
	}
	return i
}

func (d *Doc) block(parts []Part, entries []Entry, section int, day Day) Block {
	first, last := parts[0], parts[len(parts)-1]
	b := Block{
		Raw: d.Text[first.Start:last.End], Start: first.Start, End: last.End, Line: first.Line, Section: section, Minute: -1,
	}
	switch first.Kind {
	case Table:
		b.Kind = TableBlock
	case Code:
		b.Kind = CodeBlock
	case Paragraph:
		b.Kind = ParagraphBlock
	}
	if n := lineEnd(b.Raw, 0); first.Kind == Paragraph && n < len(b.Raw) && (len(parts) > 1 || introduces(b.Raw[:n])) {
		b.Kind = LabelledBlock
	}
	if len(entries) == 0 {
		e := Entry{Section: section, Minute: -1}
		d.date(&e, day)
		b.Day, b.DayFrom, b.Minute = e.Day, e.DayFrom, e.Minute
		return b
	}
	e := &entries[0]
	b.head, b.Day, b.DayFrom, b.Minute = e, e.Day, e.DayFrom, e.Minute
	b.Label = labelOf(e.Raw)
	for _, e := range entries {
		b.Pinned = b.Pinned || e.Pinned
		for _, tag := range e.Tags {
			if !slices.Contains(b.Tags, tag) {
				b.Tags = append(b.Tags, tag)
			}
		}
		if b.Task != OpenTask && e.Task != NoTask {
			b.Task = e.Task
		}
	}
	return b
}

// introduces reports whether an entry is the label of what follows: its last line ends in a colon, or it is one line in
// bold.
func introduces(raw []byte) bool {
	text := bytes.TrimSpace(raw)
	last := text[bytes.LastIndexByte(text, '\n')+1:]
	if bare := bytes.TrimRight(last, "*_ "); bytes.HasSuffix(bare, []byte(":")) || bytes.HasSuffix(bare, []byte("：")) {
		return true
	}
	rest, bold := bytes.CutPrefix(text, []byte("**"))
	return bold && len(last) == len(text) && bytes.Index(rest, []byte("**")) == len(rest)-2 && len(rest) > 2
}

const (
	maxLabel      = 120 // bytes
	maxLabelWords = 6
)

// labelOf returns the label that an entry begins with, "" if there is none. It knows no words: a label is short, and a
// colon ends it, or bold type that a dash or the line's end follows.
func labelOf(raw []byte) string {
	_, i := indent(raw)
	i += markerLen(raw[i:])
	line := bytes.TrimSpace(raw[i:lineEnd(raw, i)])
	line = bytes.TrimLeftFunc(skipBox(line), ornament)
	for _, bold := range [...]string{"**", "__"} {
		if rest, ok := bytes.CutPrefix(line, []byte(bold)); ok {
			return boldLabel(rest, bold)
		}
	}
	end := colonAt(line[:min(len(line), maxLabel)])
	if end < 0 || bytes.ContainsAny(line[:end], ".!?`|/\\<>()[]{}=\"，。；！？（）「」【】") {
		return ""
	}
	return shortLabel(line[:end])
}

// boldLabel parses the label whose opening stars are before b.
func boldLabel(b []byte, bold string) string {
	n := bytes.Index(b[:min(len(b), maxLabel)], []byte(bold))
	if n <= 0 {
		return ""
	}
	word, rest := b[:n], bytes.TrimLeft(b[n+len(bold):], " \t")
	if end := colonAt(word); end >= 0 && utf8.RuneCount(word[end:]) == 1 {
		return shortLabel(word[:end])
	}
	for _, s := range [...]string{":", "：", "—", "–", "- "} {
		if bytes.HasPrefix(rest, []byte(s)) {
			return shortLabel(word)
		}
	}
	if len(rest) == 0 {
		return shortLabel(word)
	}
	return ""
}

// colonAt returns the offset of the first colon that ends a label: fullwidth, or before a blank or the end. -1: none.
func colonAt(b []byte) int {
	for i, r := range string(b) {
		if r == '：' || r == ':' && (i+1 == len(b) || bytes.IndexByte([]byte(" \t*"), b[i+1]) >= 0) {
			return i
		}
	}
	return -1
}

// shortLabel returns the words of a label, "" if they are too many or begin with no letter.
func shortLabel(b []byte) string {
	s := strings.Trim(strings.TrimFunc(string(b), ornament), "*_:： \t")
	if first, _ := utf8.DecodeRuneInString(s); !unicode.IsLetter(first) || len(strings.Fields(s)) > maxLabelWords {
		return ""
	}
	return s
}

// ornament reports blanks, emoji and the like around a label.
func ornament(r rune) bool {
	return strings.ContainsRune(" \t\ufe0f\u200d", r) || r > 0x2000 && unicode.IsSymbol(r)
}

// skipBox drops a checkbox or tag in brackets.
func skipBox(line []byte) []byte {
	if len(line) > 3 && line[0] == '[' && line[2] == ']' {
		return line[3:]
	}
	return line
}
