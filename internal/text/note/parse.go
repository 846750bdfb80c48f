package note

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// Parse parses any text: what it does not recognise is a paragraph.
func (s Syntax) Parse(text []byte) *Doc {
	s.Separator = literal(s.Separator)
	p := parser{sep: s.Separator, text: text, line: 1, tags: s.Tags, lines: s.Lines}
	if p.tags == nil {
		p.tags = defaultTags[:]
	}
	if s.Style == Delimited && listed(text) {
		s.Style = Bullets
	}
	if s.Style == Delimited {
		p.delimited()
	} else {
		p.markdown()
	}
	d := &Doc{Text: text, Syntax: s, Parts: p.parts}
	d.Sections = sections(text, p.parts)
	return d
}

// listed reports whether a text that could have § lines is a markdown list instead: it has two bullets at the margin and
// no § line.
func listed(text []byte) bool {
	bullets := 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, " \t\r\n")
		if string(line) == "§" {
			return false
		}
		if len(line) > 2 && line[1] == ' ' && (line[0] == '-' || line[0] == '*' || line[0] == '+') {
			bullets++
		}
	}
	return bullets > 1
}

type parser struct {
	sep    string
	tags   []string
	lines  bool
	text   []byte
	pos    int // start of the line that is read next
	line   int // its number
	parts  []Part
	fences fences
	arrow  int // the first --> at or after the last position checked
	from   int // from here to eol is one line: many comments may end in the same one
	eol    int
	body   bool // after the title and header lines
}

// take ends a block at end and continues after it.
func (p *parser) take(kind Kind, level uint8, end int) {
	if n := len(p.parts) - 1; kind == Code && n >= 0 && p.parts[n].Kind == Code {
		p.parts[n].End = end // adjacent fences are one part, so that a file of nothing else takes little memory
	} else {
		p.parts = append(p.parts, Part{Kind: kind, Level: level, Line: p.line, Start: p.pos, End: end})
	}
	p.line += bytes.Count(p.text[p.pos:end], []byte{'\n'})
	p.pos = end
	switch {
	case kind == Heading && level == 1, kind == Blank, kind == HeaderLine, kind == FrontMatterBlock, kind == Comment:
	default:
		p.body = true
	}
}

func (p *parser) markdown() {
	if f, ok := FrontMatter(p.text); ok {
		p.take(FrontMatterBlock, 0, f.End)
	}
	for p.pos < len(p.text) {
		e := lineEnd(p.text, p.pos)
		line := p.text[p.pos:e]
		if isBlank(line) {
			p.take(Blank, 0, p.blanks(e))
		} else if kind, level, end := p.special(p.pos, e); kind != Paragraph {
			p.take(kind, level, end)
		} else if col, ok := bulletAt(line); ok {
			p.take(Bullet, 0, p.item(e, col))
		} else {
			p.take(Paragraph, 0, p.paragraph(p.pos, e))
		}
	}
}

// delimited parses the style with a line of § between entries.
func (p *parser) delimited() {
	for p.pos < len(p.text) {
		e := lineEnd(p.text, p.pos)
		line := p.text[p.pos:e]
		if isBlank(line) {
			p.take(Blank, 0, p.blanks(e))
			continue
		}
		if isSeparator(line, "§") {
			p.take(Delimiter, 0, e)
			continue
		}
		end := e
		for e < len(p.text) {
			n := lineEnd(p.text, e)
			if isSeparator(p.text[e:n], "§") {
				break
			}
			if !isBlank(p.text[e:n]) {
				end = n
			}
			e = n
		}
		p.take(Paragraph, 0, end)
	}
}

// blanks returns the end of the blank lines that continue at pos.
func (p *parser) blanks(pos int) int {
	for pos < len(p.text) {
		e := lineEnd(p.text, pos)
		if !isBlank(p.text[pos:e]) {
			break
		}
		pos = e
	}
	return pos
}

// special recognises a block that starts at pos and would end an entry before it; Paragraph if it is none.
func (p *parser) special(pos, e int) (kind Kind, level uint8, end int) {
	line := p.text[pos:e]
	if isSeparator(line, p.sep) {
		return SeparatorLine, 0, e
	}
	_, i := indent(line)
	switch line[i] {
	case '#':
		if n := headingLevel(line); n > 0 {
			return Heading, uint8(n), e
		}
	case '`', '~':
		if f, ok := fenceAt(line); ok {
			if end := p.fences.end(p.text, e, f); end >= 0 {
				return Code, 0, end
			}
		}
	case '|':
		return Table, 0, p.table(e)
	case '<':
		if end := p.comment(pos + i); end >= 0 {
			return Comment, 0, end
		}
	case '-', '*', '_':
		if isRule(line) {
			return Rule, 0, e
		}
	}
	if _, end := closureAt(p.text, pos); end > 0 {
		return ClosureBlock, 0, end
	}
	if name, _, _ := headerAt(line); name != "" && (!p.body || !headOnly(name)) {
		return HeaderLine, 0, e
	}
	return Paragraph, 0, e
}

// item returns the end of the bullet at column col whose first line ends at pos. Nested bullets, indented text even
// after blank lines, and text, fences and comments that follow without a blank line all belong to it; a label in bold at
// the margin does not.
func (p *parser) item(pos, col int) int {
	for pos < len(p.text) {
		e := lineEnd(p.text, pos)
		line := p.text[pos:e]
		if isBlank(line) {
			next := p.blanks(e)
			if next == len(p.text) {
				return pos
			}
			e = lineEnd(p.text, next)
			if in, _ := indent(p.text[next:e]); in < col+2 {
				return pos
			}
			pos, line = next, p.text[next:e]
		}
		if in, ok := bulletAt(line); ok && in < col+2 && !isRule(line) {
			return pos
		}
		if in, i := indent(line); in <= col && (bytes.HasPrefix(line[i:], []byte("**")) || p.lines && !wrapped(p.text[p.pos:pos], line)) {
			return pos
		}
		end, ok := p.joins(pos, e, col)
		if !ok {
			return pos
		}
		pos = end
	}
	return pos
}

// paragraph returns the end of the paragraph whose first line starts at start and ends at pos. A line that begins with a
// tag, or with a time like the first line, begins another one.
func (p *parser) paragraph(start, pos int) int {
	timed := startsWithTime(p.text[start:pos])
	for pos < len(p.text) {
		e := lineEnd(p.text, pos)
		line := p.text[pos:e]
		if isBlank(line) {
			return pos
		}
		if _, ok := bulletAt(line); ok && interrupts(line) {
			return pos
		}
		if timed && startsWithTime(line) || leadsWithTag(line, p.tags) || p.lines && !wrapped(p.text[start:pos], line) {
			return pos
		}
		end, ok := p.joins(pos, e, -2)
		if !ok {
			return pos
		}
		pos = end
	}
	return pos
}

// wrapped reports whether a line only continues the text before it: that is long and does not end a sentence or with a tag,
// and the line begins in lower case.
func wrapped(before, line []byte) bool {
	before = chomp(before)
	last := before[bytes.LastIndexByte(before, '\n')+1:]
	if utf8.RuneCount(last) < 60 || bytes.ContainsAny(last[len(last)-1:], ".!?:;)]\"") || last[bytes.LastIndexByte(last, ' ')+1] == '#' {
		return false
	}
	_, i := indent(line)
	first, _ := utf8.DecodeRune(line[i:])
	return unicode.IsLower(first)
}

// joins reports whether the line at pos continues an entry whose bullet is at column col, and to where.
func (p *parser) joins(pos, e, col int) (int, bool) {
	kind, _, end := p.special(pos, e)
	switch kind {
	case Paragraph, Code, Comment:
		return end, true
	}
	in, _ := indent(p.text[pos:e])
	return end, col >= 0 && in >= col+2
}

// comment returns the end of the line that closes the HTML comment at pos, or -1. Words after the comment make it part of
// a paragraph.
func (p *parser) comment(pos int) int {
	for bytes.HasPrefix(p.text[pos:], []byte("<!--")) {
		pos += len("<!--")
		if p.arrow < pos {
			p.arrow = len(p.text)
			if i := bytes.Index(p.text[pos:], []byte("-->")); i >= 0 {
				p.arrow = pos + i
			}
		}
		if p.arrow == len(p.text) {
			return -1
		}
		pos = p.arrow + len("-->")
		if pos < p.from || pos >= p.eol {
			p.from, p.eol = pos, lineEnd(p.text, pos)
		}
		e := p.eol
		if isBlank(p.text[pos:e]) {
			return e
		}
		_, skip := indent(p.text[pos:e])
		pos += skip
	}
	return -1
}

func (p *parser) table(pos int) int {
	for pos < len(p.text) {
		e := lineEnd(p.text, pos)
		line := p.text[pos:e]
		if _, i := indent(line); i == len(line) || line[i] != '|' {
			break
		}
		pos = e
	}
	return pos
}
