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

// divide moves pieces out of the file until the rest fits, with a pointer to them.
func divide(l layout.Layout, f loadview.File, to string, r Room, o Options) division {
	pinned := min(o.Pinned[f.Name], len(f.Data))
	pieces := cuttable(l, f.Data, pinned, r)
	nl := note.Newline(f.Data)
	left := r.Measure(bytes.TrimRight(f.Data, " \t\r\n"))
	chosen := make([]bool, len(pieces))
	var titles []string
	titled := map[string]bool{}
	for _, i := range byValue(pieces) {
		if r.Holds(left.Plus(r.Measure([]byte(pointer(l, nl, to, titles))))) {
			break
		}
		chosen[i] = true
		left = left.Minus(r.Measure(f.Data[pieces[i].start:pieces[i].end]))
		if t := pieces[i].section; t != "" && !titled[t] {
			titled[t], titles = true, append(titles, t)
		}
	}
	if !slices.Contains(chosen, true) {
		return division{why: "nothing in it can be moved: shorten it by hand"}
	}
	d := assemble(l, f, to, pieces, chosen, titles, r, o)
	if !r.Holds(r.Measure(bytes.TrimRight(d.rest, " \t\r\n"))) {
		d.why = "the part that must stay is too long: shorten it by hand"
	}
	return d
}

// cuttable lists the pieces after the pinned part: sections and, for a section that is most of the file, its entries.
func cuttable(l layout.Layout, text []byte, pinned int, r Room) []piece {
	doc := note.Syntax{Style: style(l)}.Parse(text)
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
		if r.units > 0 && r.Size(text[s.Start:s.End]) > r.units/2 {
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

func style(l layout.Layout) note.Style {
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

// byValue orders pieces by importance, the least important first: dated ones from the oldest, then the others from the last.
func byValue(pieces []piece) []int {
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

// assemble writes both files. Every byte of the old one is in exactly one of them, in the same order.
func assemble(l layout.Layout, f loadview.File, to string, pieces []piece, chosen []bool, titles []string, r Room, o Options) division {
	var d division
	var moved bytes.Buffer
	nl := note.Newline(f.Data)
	moved.WriteString(heading(l, f.Name, to, nl, o.Day))
	at, under := 0, ""
	for i, p := range pieces {
		if !chosen[i] {
			continue
		}
		d.rest = append(d.rest, f.Data[at:p.start]...)
		at = p.end
		if !p.whole && p.section != under && p.section != "" {
			fmt.Fprintf(&moved, "## %s%s%s", p.section, nl, nl)
		}
		under = p.section
		text := f.Data[p.start:p.end]
		moved.Write(text)
		if !bytes.HasSuffix(text, []byte("\n")) {
			moved.WriteString(nl)
		}
		if l.Entries.Style == layout.Delimited {
			moved.WriteString(strings.TrimPrefix(l.Entries.Delimiter, "\n"))
		}
		d.moves++
	}
	d.rest = append(d.rest, f.Data[at:]...)
	d.rest = append(bytes.TrimRight(d.rest, " \t\r\n"), pointer(l, nl, to, titles)...)
	d.moved = moved.Bytes()
	return d
}

// pointer is the line that stays behind: where the moved text is, and its titles as far as they fit.
func pointer(l layout.Layout, nl, to string, titles []string) string {
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
	line := "More in " + to
	if about != "" {
		line += ": " + about
	}
	if l.Entries.Style == layout.Delimited {
		return l.Entries.Delimiter + line
	}
	return nl + nl + "- " + line + nl
}

// heading returns the layout's header for files of this role.
func heading(l layout.Layout, from, to, nl, day string) string {
	title := "More of " + from
	role, _ := l.RoleOf(to)
	if h, ok := l.Header(role); ok && len(h.Lines) > 0 && strings.HasPrefix(h.Lines[0], "#") {
		lines := strings.Join(h.Lines, nl) + nl + nl
		return strings.NewReplacer("{title}", title, "{tags}", "memory", "{date}", day, "{time}", day).Replace(lines)
	}
	if l.Entries.Style == layout.Delimited {
		return ""
	}
	return "# " + title + nl + nl
}
