package migrate

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"tend/internal/model/policy"
	"tend/internal/text/layout/fit"
	"tend/internal/text/note"
)

// unitsOf divides the files of a page at their sections. With fine, a section that would take much of the page is divided
// at its entries.
func (p *planner) unitsOf(pg page, fine bool) (all []unit) {
	for _, f := range pg.files {
		all = append(all, p.divideFile(f, pg, fine, len(all))...)
	}
	return all
}

// divideFile divides one file; base is the number of units before it. Every line is in one unit, except delimiters.
func (p *planner) divideFile(f File, pg page, fine bool, base int) []unit {
	if p.From.Delimits(f.Path) {
		return p.divideAtDelimiters(f)
	}
	doc := p.From.Syntax(f.Path, policy.Policy{}).Parse(f.Data)
	level := fit.SplitLevel(doc, 0)
	starts := []unit{{file: f.Path, head: -1}}
	days := daysOf(doc)
	for i, s := range doc.Sections {
		if s.Level <= level {
			starts = append(starts, unit{file: f.Path, from: s.Line - 1, title: s.Title, day: days[i], head: -1, heading: true})
		}
	}
	offsets := offsetsOf(f.Data)
	starts = closeUnits(starts, len(offsets)-1)
	var out []unit
	for n, u := range starts {
		size := pg.room.Size(f.Data[offsets[u.from]:offsets[u.to]])
		inside := closeUnits(entriesWithin(doc, u), u.to)
		u.pinned = slices.ContainsFunc(inside, func(e unit) bool { return e.pinned })
		off := 0
		for i := range inside {
			if inside[i].leaves = p.mayLeave(inside[i]); inside[i].leaves {
				off++
			}
		}
		u.leaves = p.mayLeave(u) && off == len(inside)
		mixed := 0 < off && off < len(inside)
		if len(inside) < 2 || !mixed && !p.isSplit(pg, size, level == 0, fine) {
			out = append(out, u)
			continue
		}
		head := u
		head.to, head.pinned, head.leaves = inside[0].from, false, false
		if u.heading {
			head.label, head.section = 1, n+1
		}
		above := -1
		if head.to > head.from {
			above = base + len(out)
			out = append(out, head)
		}
		first := base + len(out)
		for i, e := range inside {
			if e.title, e.day = u.title, max(e.day, u.day); e.head >= 0 {
				e.head += first
			} else {
				e.head = above
			}
			e.section = head.section
			inside[i] = e
		}
		out = append(out, inside...)
	}
	return out
}

// mayLeave reports whether a judge named a line of a unit.
func (p *planner) mayLeave(u unit) bool {
	for n := range p.Leaving[u.file] {
		if u.from <= n && n < u.to {
			return true
		}
	}
	return false
}

// isSplit reports whether a unit is divided at its entries: where they have delimiters between them if the file has no
// sections, and with fine where one unit would take much of the page.
func (p *planner) isSplit(pg page, size int, bare, fine bool) bool {
	if !fine {
		return bare && p.To.Delimits(pg.path)
	}
	return bare || pg.room.Units() > 0 && size > pg.room.Units()/4
}

// entriesWithin returns the entries of a unit, each a unit that begins at its first line. A heading or label stays with the first item
// below it and is the head of the others, as an item of a numbered list is of the next.
func entriesWithin(doc *note.Doc, u unit) (out []unit) {
	entries, sections := doc.Entries(0), doc.Sections
	first, _ := slices.BinarySearchFunc(entries, u.from, func(e note.Entry, line int) int { return e.Line - 1 - line })
	topic, label := -1, -1          // the units with the heading and the label above
	announced, item := false, false // the last entry is a label, or of a numbered list
	above := sections               // headings that were not met yet
	for i, e := range entries[first:] {
		if e.Line-1 >= u.to {
			break
		}
		next := unit{file: u.file, from: e.Line - 1, pinned: e.Pinned, head: -1}
		if e.DayFrom == note.FromText { // not that of its section, or one that it only mentions
			next.day = e.Day
		}
		below, _ := slices.BinarySearchFunc(above, e.Line, func(s note.Section, line int) int { return s.Line - line })
		if headings := above[:below]; i > 0 && below > 0 {
			topic, label, announced, item = len(out), -1, false, false
			next.from = headings[0].Line - 1
			next.label = e.Line - 1 - next.from
		} else if announced && e.Bullet {
			last := &out[len(out)-1]
			last.label, last.pinned = e.Line-1-last.from, last.pinned || e.Pinned
			announced, item, above = false, isNumbered(e.Raw), above[below:]
			continue
		}
		above = above[below:]
		announced = !e.Bullet && isLabel(e.Raw)
		numbered := isNumbered(e.Raw)
		switch {
		case next.label > 0:
		case numbered && item:
			next.head = len(out) - 1
		case e.Bullet && label >= 0:
			next.head = label
		default:
			next.head = topic
		}
		if !e.Bullet {
			label = -1
		}
		if announced {
			label = len(out)
		}
		item = numbered
		out = append(out, next)
	}
	return out
}

// isNumbered reports an item of a numbered list.
func isNumbered(text []byte) bool {
	rest := bytes.TrimLeft(text, " \t")
	digits := len(rest) - len(bytes.TrimLeft(rest, "0123456789"))
	return digits > 0 && digits < len(rest) && (rest[digits] == '.' || rest[digits] == ')')
}

// isLabel reports a text that announces what comes after it.
func isLabel(text []byte) bool {
	text = bytes.TrimRight(text, "*_ \t\r\n")
	return bytes.HasSuffix(text, []byte(":")) || bytes.HasSuffix(text, []byte("："))
}

// daysOf returns the day of each section of a diary: its title, or one above it, begins with the date, or differs from another
// title in its digits only ("Health check (2026-07-14)"). A section about a subject has none, whenever it was written.
func daysOf(doc *note.Doc) []note.Day {
	words := func(s note.Section) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return -1
			}
			return r
		}, s.Title)
	}
	times := map[string]int{}
	for _, s := range doc.Sections {
		if s.Day != 0 {
			times[words(s)]++
		}
	}
	days := make([]note.Day, len(doc.Sections))
	for i, s := range doc.Sections {
		for at := i; at >= 0 && s.Day != 0; at = doc.Sections[at].Parent {
			if above := doc.Sections[at]; above.OfDay() || times[words(above)] > 1 {
				days[i] = s.Day
				break
			}
		}
	}
	return days
}

// closeUnits ends each unit where the next begins, and drops empty ones.
func closeUnits(units []unit, end int) []unit {
	for i := range units {
		units[i].to = end
		if i+1 < len(units) {
			units[i].to = units[i+1].from
		}
	}
	return slices.DeleteFunc(units, func(u unit) bool { return u.from >= u.to })
}

// divideAtDelimiters divides a file at the lines that separate its entries.
func (p *planner) divideAtDelimiters(f File) (out []unit) {
	mark := strings.TrimSpace(p.From.Entries.Delimiter)
	u, n := unit{file: f.Path, head: -1}, 0
	for text := range strings.Lines(string(f.Data)) {
		if strings.TrimSpace(text) == mark {
			if u.to = n; u.to > u.from {
				out = append(out, u)
			}
			u = unit{file: f.Path, from: n + 1, head: -1}
		}
		u.pinned = u.pinned || strings.Contains(text, "#pinned")
		n++
	}
	if u.to = n; u.to > u.from {
		out = append(out, u)
	}
	for i := range out {
		out[i].leaves = p.mayLeave(out[i])
	}
	return out
}

// offsetsOf returns where each line begins, and the end of the text.
func offsetsOf(data []byte) []int {
	out := []int{0}
	for line := range bytes.Lines(data) {
		out = append(out, out[len(out)-1]+len(line))
	}
	return out
}

// chooseUnits decides what fills a page without room for everything: pinned text, then undated text in its order, then dated
// text from the newest. What a judge named comes last, unless it is pinned.
func (p *planner) chooseUnits(pg page, units []unit, lines map[string][]Line) []bool {
	left := pg.room.Measure(nil)
	for _, f := range pg.files {
		longest := p.pointerLine(pg, f, strings.Repeat("x", len(f.Path)+8), []string{strings.Repeat("x", mostAbout)})
		left = left.Plus(pg.room.Measure([]byte(longest)))
	}
	size := func(i int) fit.Measure {
		u, n := units[i], pg.room.Measure([]byte("\n\n§\n"))
		for _, l := range lines[u.file][u.from:u.to] {
			n = n.Plus(pg.room.Measure([]byte(l.Text)))
		}
		return n
	}
	order := make([]int, len(units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := units[a], units[b]
		return cmp.Or(-compareBool(x.pinned, y.pinned), compareBool(x.leaves, y.leaves), compareBool(x.day != 0, y.day != 0),
			cmp.Compare(y.day, x.day), cmp.Compare(a, b))
	})
	chosen := make([]bool, len(units))
	for _, i := range order {
		u, with := units[i], size(i)
		if u.heading && i+1 < len(units) && units[i+1].head == i {
			continue // it comes with its first entry
		}
		for head := u.head; head >= 0 && !chosen[head]; head = units[head].head {
			with = with.Plus(size(head))
		}
		if next := left.Plus(with); !chosen[i] && pg.room.Holds(next) {
			left, chosen[i] = next, true
			for head := u.head; head >= 0; head = units[head].head {
				chosen[head] = true
			}
		}
	}
	return chosen
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// writeOverflow writes what has no room on a page to files that are read on demand, and returns the lines that point there.
func (p *planner) writeOverflow(pg page, units []unit, chosen []bool, lines map[string][]Line) (pointers []string) {
	for _, f := range pg.files {
		rest, some := make([]bool, len(units)), false
		for i, u := range units {
			rest[i] = u.file == f.Path && !chosen[i]
			some = some || u.file == f.Path && chosen[i]
		}
		if !slices.Contains(rest, true) {
			continue
		}
		stem := strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path))
		to := p.claimPath(p.shelfPath(f.Path))
		own := Target{Path: to, Lines: lines[f.Path]}
		if some {
			delete(p.taken, strings.ToLower(to))
			to = p.claimPath(p.shelfPath(stem + "-more.md"))
			nl := note.Newline(f.Data)
			own = p.composePage(page{path: to, files: []File{f}}, units, rest, lines, nil)
			own.Lines = append(tendLines("# More of "+path.Base(f.Path)+nl+nl), own.Lines...)
		}
		own.Loaded = false
		own.Lines = p.addHeader(to, f, own.Lines)
		p.out.Files = append(p.out.Files, own)
		var titles []string
		for i, u := range units {
			if rest[i] && !slices.Contains(titles, u.title) {
				titles = append(titles, u.title)
				p.out.Beyond = append(p.out.Beyond, Section{File: f.Path, Title: u.title, To: to})
			}
		}
		pointers = append(pointers, p.pointerLine(pg, f, to, titles))
	}
	return pointers
}

const mostAbout = 120 // bytes of titles in a pointer

// pointerLine is the line on a page that says where the rest is.
func (p *planner) pointerLine(pg page, f File, to string, titles []string) string {
	about := ""
	for _, t := range titles {
		if t == "" {
			continue
		}
		if len(about)+len(t)+2 > mostAbout+2 {
			about += " and more"
			break
		}
		if about != "" {
			about += ", "
		}
		about += t
	}
	line := "More in " + to
	if about != "" {
		line += ": " + about
	}
	nl := note.Newline(f.Data)
	if p.To.Delimits(pg.path) {
		return line + nl
	}
	return nl + "- " + line + nl
}

// composePage writes the chosen units one after the other. What announces a unit that stands elsewhere is written above it again.
func (p *planner) composePage(pg page, units []unit, chosen []bool, lines map[string][]Line, pointers []string) Target {
	t := Target{Path: pg.path, Loaded: p.isLoaded(pg.path)}
	nl := note.Newline(pg.files[0].Data)
	last, again := -1, map[int]bool{}
	for i, u := range units {
		if !chosen[i] {
			continue
		}
		if last >= 0 {
			t.addLine(p.separatorOf(pg, units[last], u, nl))
		}
		var above []string
		for h := u.head; h >= 0 && !chosen[h] && !again[h]; h = units[h].head {
			again[h] = true
			above = append(above, headingsOf(lines[u.file][units[h].from:units[h].from+units[h].label]))
		}
		for _, text := range slices.Backward(above) {
			t.Lines = append(t.Lines, tendLines(text)...)
		}
		t.Lines = append(t.Lines, lines[u.file][u.from:u.to]...)
		last = i
	}
	for i, text := range pointers {
		between := ""
		if p.To.Delimits(pg.path) && (last >= 0 || i > 0) {
			between = p.delimiter() + nl
		}
		t.addLine(between)
		t.Lines = append(t.Lines, tendLines(text)...)
	}
	return t
}

func (p *planner) delimiter() string { return strings.TrimSpace(p.To.Entries.Delimiter) }

// headingsOf returns the headings of the lines above an item, or else their text.
func headingsOf(lines []Line) string {
	var headings, text strings.Builder
	for _, l := range lines {
		if text.WriteString(l.Text); strings.HasPrefix(l.Text, "#") {
			headings.WriteString(l.Text)
		}
	}
	return cmp.Or(headings.String(), text.String())
}

// separatorOf is what separates two units of a page: nothing within a section.
func (p *planner) separatorOf(pg page, a, b unit, nl string) string {
	switch {
	case b.section > 0 && a.section == b.section && a.file == b.file:
		return ""
	case p.To.Delimits(pg.path):
		return p.delimiter() + nl
	case a.file != b.file, p.From.Delimits(a.file):
		return nl
	}
	return ""
}

// addLine ends the last line and adds a text of Tend's.
func (t *Target) addLine(text string) {
	if n := len(t.Lines); n > 0 && !strings.HasSuffix(t.Lines[n-1].Text, "\n") {
		nl := "\n"
		if n > 1 && strings.HasSuffix(t.Lines[n-2].Text, "\r\n") {
			nl = "\r\n"
		}
		t.Lines = slices.Clone(t.Lines)
		t.Lines[n-1].Text += nl
	}
	if text != "" {
		t.Lines = append(t.Lines, tendLines(text)...)
	}
}

// tendLines returns a text of Tend's as lines.
func tendLines(text string) (out []Line) {
	for line := range strings.Lines(text) {
		out = append(out, Line{Text: line})
	}
	return out
}
