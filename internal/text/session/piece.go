package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/note"
)

// piece is one part of a context: its heading, and a text of which some blocks can be left
// out.
type piece struct {
	kind    string
	path    string
	role    layout.Role
	heading string
	intro   string
	own     string // written by Tend itself: health, date, workspace
	above   string // the operator's part: only what is equal to an approval is outside the fence
	rank    int    // lower is hidden first
	newest  bool   // its last entries are the newest
	blocks  []block
	begins  int // line of the file at which the blocks begin
	end     int // last line
	notice  string
	hidden  bool // not even its heading fits
	partial bool // the harness shows the rest
	// operators: the blocks are the operator's part, which is too long to be shown whatever else there is.
	operators bool
}

// block is a run of lines that stays or goes as a whole.
type block struct {
	text    string
	line    int
	lines   int
	entry   bool // can be left out alone
	tagged  bool
	day     note.Day // 0 if undated
	heading int      // level, 0 if it is not a heading
	gone    bool
	divides bool // separates two entries
	expired bool // past the date it names
	large   bool // exceeds the budget alone
}

// cut splits a text into blocks. The day is that of the file, 0 if it has none.
func cut(text []byte, first int, syn note.Syntax, today, day note.Day) []block {
	d := syn.Parse(text)
	entries := map[int]note.Entry{}
	for _, e := range d.Entries(day) {
		entries[e.Start] = e
	}
	out := make([]block, 0, len(d.Parts))
	whole := string(text) // the blocks share it
	for _, b := range d.Parts {
		raw, e := d.Raw(b), entries[b.Start]
		bl := block{text: whole[b.Start:b.End], line: first + b.Line - 1, lines: note.Lines(raw), tagged: len(e.Tags) > 0 ||
			e.Pinned, expired: e.Expired(today)}
		if e.DayFrom != note.Undated && e.DayFrom != note.Mentioned {
			bl.day = e.Day
		}
		switch b.Kind {
		case note.Blank, note.HeaderLine:
		case note.Delimiter, note.SeparatorLine:
			bl.divides = true
		case note.Heading:
			bl.heading = int(b.Level)
		default:
			bl.entry, bl.gone = true, bl.expired
		}
		out = append(out, bl)
	}
	return out
}

// missing reduces the blocks to those with lines that the harness does not show, and their headings.
func (p *piece) missing(cut []loadview.Span) {
	p.partial = true
	p.blocks = slices.DeleteFunc(p.blocks, func(b block) bool {
		return b.entry && !slices.ContainsFunc(cut, func(s loadview.Span) bool { return b.line <= s.To && b.line+b.lines-1 >= s.From })
	})
	if !slices.ContainsFunc(p.blocks, func(b block) bool { return b.entry }) {
		p.blocks = nil
	}
	if p.above != "" && !slices.ContainsFunc(cut, func(s loadview.Span) bool { return s.From < p.begins }) {
		p.above = ""
	}
}

// render returns the piece as the model sees it, "" if nothing is left of it.
func (p *piece) render(marker string) string {
	var b strings.Builder
	body := p.body()
	if p.hidden || p.own+p.above+body+p.notice+p.over() == "" {
		return ""
	}
	if p.heading != "" {
		b.WriteString(p.heading + "\n\n")
	}
	if p.intro != "" {
		b.WriteString(p.intro + "\n\n")
	}
	if p.own != "" {
		b.WriteString(p.own + "\n")
	}
	if p.above != "" {
		b.WriteString(strings.Trim(p.above, "\n") + "\n")
	}
	switch {
	case body == "":
	case p.operators:
		b.WriteString(body + "\n")
	default:
		fmt.Fprintf(&b, "<%s file=%q>\n%s\n</%s>\n", marker, p.path, body, marker)
	}
	if s := p.over(); s != "" {
		b.WriteString(s + "\n")
	}
	if p.notice != "" {
		b.WriteString(p.notice + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// over says which entries are not shown because they have expired.
func (p *piece) over() string {
	var lines []string
	for _, bl := range p.blocks {
		if bl.expired {
			lines = append(lines, strconv.Itoa(bl.line))
		}
	}
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("[1 entry is past its date and not shown: line %s of %s]", lines[0], p.path)
	}
	return fmt.Sprintf("[%d entries are past their date and not shown: lines %s of %s]", len(lines), strings.Join(lines, ", "), p.path)
}

// body returns the text that is left.
func (p *piece) body() string {
	var b strings.Builder
	for _, bl := range p.left() {
		b.WriteString(bl.text)
	}
	return strings.Trim(b.String(), "\r\n")
}

// left returns the blocks that are printed. A heading is dropped with the last entry below it, and the head of a file with
// its last entry.
func (p *piece) left() []block {
	left, gone := p.entries()
	if left == 0 && gone > 0 {
		return nil
	}
	out := make([]block, 0, len(p.blocks))
	blank, whole := true, gone == 0 && !p.partial
	var between []block
	for i, bl := range p.blocks {
		if bl.gone || bl.heading > 0 && !whole && !p.needed(i) {
			continue
		}
		if bl.divides && !whole {
			between = []block{bl}
			continue
		}
		if strings.TrimSpace(bl.text) == "" {
			if blank {
				continue
			}
			blank = true
		} else {
			blank = false
			if len(out) > 0 {
				out = append(out, between...)
			}
			between = nil
		}
		out = append(out, bl)
	}
	return out
}

// lines returns the lines of the file that are printed.
func (p *piece) lines() []loadview.Span {
	var out []loadview.Span
	add := func(from, n int) {
		if last := len(out) - 1; last >= 0 && out[last].To == from-1 {
			out[last].To += n
		} else if n > 0 {
			out = append(out, loadview.Span{From: from, To: from + n - 1})
		}
	}
	if p.above != "" {
		add(1, note.Lines([]byte(p.above)))
	}
	for _, bl := range p.left() {
		add(bl.line, bl.lines)
	}
	return out
}

// needed reports whether anything below a heading is left.
func (p *piece) needed(i int) bool {
	any := false
	for _, bl := range p.blocks[i+1:] {
		if bl.heading > 0 && bl.heading <= p.blocks[i].heading {
			break
		}
		if bl.entry {
			any = true
			if !bl.gone {
				return true
			}
		}
	}
	return !any && i == 0 // a title without entries
}

// entries counts the entries that are left and those that are left out.
func (p *piece) entries() (left, gone int) {
	for _, bl := range p.blocks {
		switch {
		case bl.gone:
			gone++
		case bl.entry:
			left++
		}
	}
	return left, gone
}
