package fit

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/note"
)

// division is the result of splitting a file.
type division struct {
	rest, moved []byte
	moves       int
	why         string // why it still does not fit
}

// piece is a run of lines that can be moved alone.
type piece struct {
	start, end int
	section    string // its own title, or that of the section it is in
	whole      bool   // a section with its heading
	day        note.Day
}

// divider splits one file.
type divider struct {
	layout  layout.Layout
	file    loadview.File
	to      string // the file that takes what is moved
	newline string // as the file has it
	day     string
	room    Room
	pinned  int // bytes at the start that stay
}

// divide moves pieces out of the file until the rest fits, with a pointer to them.
func (d divider) divide() division {
	pieces := d.cuttablePieces()
	left := d.room.Measure(trimEnd(d.file.Data))
	chosen := make([]bool, len(pieces))
	var titles []string
	titled := map[string]bool{}
	for _, i := range leastValuableFirst(pieces) {
		if d.room.Holds(left.Plus(d.room.Measure([]byte(d.pointerLine(titles))))) {
			break
		}
		chosen[i] = true
		left = left.Minus(d.room.Measure(d.file.Data[pieces[i].start:pieces[i].end]))
		if t := pieces[i].section; t != "" && !titled[t] {
			titled[t], titles = true, append(titles, t)
		}
	}
	if !slices.Contains(chosen, true) {
		return division{why: "nothing in it can be moved: shorten it by hand"}
	}
	out := d.assembleFiles(pieces, chosen, titles)
	if !d.room.Holds(d.room.Measure(trimEnd(out.rest))) {
		out.why = "the part that must stay is too long: shorten it by hand"
	}
	return out
}

// trimEnd returns a text without the white space at its end, which no harness counts.
func trimEnd(text []byte) []byte { return bytes.TrimRight(text, " \t\r\n") }

// cuttablePieces lists the pieces after the pinned part: sections and, for a section that is most of the file, its entries.
func (d divider) cuttablePieces() []piece {
	text, pinned := d.file.Data, d.pinned
	doc := note.Syntax{Style: styleOf(d.layout)}.Parse(text)
	level := SplitLevel(doc, pinned)
	var out []piece
	inside := func(e note.Entry) (note.Section, bool) {
		for i := e.Section; i >= 0; i = doc.Sections[i].Parent {
			if doc.Sections[i].Level == level && doc.Sections[i].Start >= pinned {
				return doc.Sections[i], true
			}
		}
		return note.Section{}, false
	}
	coarse := map[int]bool{}
	for _, s := range doc.Sections {
		if s.Level != level || s.Start < pinned {
			continue
		}
		if d.room.units > 0 && d.room.Size(text[s.Start:s.End]) > d.room.units/2 {
			continue // too large to move at once: its entries are pieces
		}
		coarse[s.Start] = true
		out = append(out, piece{start: s.Start, end: s.End, section: s.Title, whole: true, day: s.Day})
	}
	for _, e := range doc.Entries(0) {
		s, ok := inside(e)
		if e.Start < pinned || ok && coarse[s.Start] || e.Pinned {
			continue
		}
		title := ""
		if ok {
			title = s.Title
		}
		out = append(out, piece{start: e.Start, end: e.End, section: title, day: e.Day})
	}
	slices.SortFunc(out, func(a, b piece) int { return cmp.Compare(a.start, b.start) })
	end := 0
	return slices.DeleteFunc(out, func(p piece) bool {
		if p.start < end {
			return true // within the piece before it
		}
		end = p.end
		return false
	})
}

func styleOf(l layout.Layout) note.Style {
	if l.Entries.Style == layout.Delimited {
		return note.Delimited
	}
	return note.Bullets
}

// SplitLevel is the highest level of heading that divides the file, 0 if none does.
func SplitLevel(doc *note.Doc, pinned int) int {
	for level := 1; level <= 6; level++ {
		n := 0
		for _, s := range doc.Sections {
			if s.Level == level && s.Start >= pinned {
				n++
			}
		}
		if n > 1 || n == 1 && level > 1 {
			return level
		}
	}
	return 0
}

// leastValuableFirst returns the order in which pieces are moved: dated ones from the oldest, then the others from the last.
func leastValuableFirst(pieces []piece) []int {
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := pieces[a], pieces[b]
		switch {
		case x.day != 0 && y.day != 0:
			return cmp.Or(cmp.Compare(x.day, y.day), cmp.Compare(x.start, y.start))
		case x.day != 0:
			return -1
		case y.day != 0:
			return 1
		}
		return cmp.Compare(y.start, x.start)
	})
	return order
}

// assembleFiles writes both files. Every byte of the old one is in exactly one of them, in the same order.
func (d divider) assembleFiles(pieces []piece, chosen []bool, titles []string) division {
	var out division
	var moved bytes.Buffer
	data := d.file.Data
	moved.WriteString(d.heading())
	at, under := 0, ""
	for i, p := range pieces {
		if !chosen[i] {
			continue
		}
		out.rest = append(out.rest, data[at:p.start]...)
		at = p.end
		if !p.whole && p.section != under && p.section != "" {
			fmt.Fprintf(&moved, "## %s%s%s", p.section, d.newline, d.newline)
		}
		under = p.section
		text := data[p.start:p.end]
		moved.Write(text)
		if !bytes.HasSuffix(text, []byte("\n")) {
			moved.WriteString(d.newline)
		}
		if d.layout.Entries.Style == layout.Delimited {
			moved.WriteString(strings.TrimPrefix(d.layout.Entries.Delimiter, "\n"))
		}
		out.moves++
	}
	out.rest = append(out.rest, data[at:]...)
	out.rest = append(trimEnd(out.rest), d.pointerLine(titles)...)
	out.moved = moved.Bytes()
	return out
}

// pointerLine is the line that stays behind: where the moved text is, and its titles as far as they fit.
func (d divider) pointerLine(titles []string) string {
	about := ""
	for i, t := range titles {
		if len(about)+len(t) > 120 {
			about += fmt.Sprintf(" and %d more", len(titles)-i)
			break
		}
		if i > 0 {
			about += ", "
		}
		about += t
	}
	line := "More in " + d.to
	if about != "" {
		line += ": " + about
	}
	if d.layout.Entries.Style == layout.Delimited {
		return d.layout.Entries.Delimiter + line
	}
	return d.newline + d.newline + "- " + line + d.newline
}

// heading is what the file with the moved text begins with: the layout's header for files of its role, or a title.
func (d divider) heading() string {
	title := "More of " + d.file.Name
	role, _ := d.layout.RoleOf(d.to)
	if h, ok := d.layout.Header(role); ok && len(h.Lines) > 0 && strings.HasPrefix(h.Lines[0], "#") {
		lines := strings.Join(h.Lines, d.newline) + d.newline + d.newline
		return strings.NewReplacer("{title}", title, "{tags}", "memory", "{date}", d.day, "{time}", d.day).Replace(lines)
	}
	if d.layout.Entries.Style == layout.Delimited {
		return ""
	}
	return "# " + title + d.newline + d.newline
}
