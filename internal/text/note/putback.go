package note

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Span is a part of a text in bytes, To excluded.
type Span struct{ From, To int }

// PutBack returns the current text with lines of an older one in their former places: below the nearest line above them that
// still stands under the same headings, together with headings that are gone. Every other byte stays as it is. The spans cover
// whole lines of the older text.
func PutBack(now, was *Doc, spans []Span) []byte {
	alike := twins(now, was)
	p := placing{now: now, was: was, lines: linesOf(was, alike), there: map[string]Span{}}
	here := linesOf(now, alike)
	adopt(here, p.lines)
	for _, l := range here {
		first, again := p.there[l.key]
		if !again {
			first.From = l.From
		}
		p.there[l.key] = Span{first.From, l.To} // where the first of equal lines begins, and the last one ends
	}
	p.look()
	p.choose(spans)
	return p.insert()
}

// Missing lists the parts of a span of an older text that the current one does not have under the same headings.
func Missing(now, was *Doc, in Span) (out []Span) {
	there, alike := map[string]bool{}, twins(now, was)
	here, old := partsOf(now, alike), partsOf(was, alike)
	adopt(here, old)
	for _, b := range here {
		there[b.key] = true
	}
	for _, b := range old {
		if b.key != "" && b.From >= in.From && b.To <= in.To && !there[b.key] {
			out = append(out, b.Span)
		}
	}
	return out
}

// piece is a part of a text, or one of its lines. Its key has the headings it stands under and its words, and is empty for what
// is blank.
type piece struct {
	Span
	section int // a heading belongs to its own section
	heading bool
	key     string
}

func partsOf(d *Doc, alike map[string]bool) []piece {
	keys, section := sectionKeys(d, alike), -1
	out := make([]piece, 0, len(d.Parts))
	for _, b := range d.Parts {
		x := piece{Span: Span{b.Start, b.End}, section: section, heading: b.Kind == Heading}
		if x.heading {
			section++
			x.section, x.key = section, keys[section]
		} else if text := bytes.TrimSpace(d.Raw(b)); len(text) > 0 {
			x.key = keyBelow(keys, section, text)
		}
		out = append(out, x)
	}
	return out
}

func linesOf(d *Doc, alike map[string]bool) []piece {
	keys := sectionKeys(d, alike)
	var out []piece
	for _, b := range partsOf(d, alike) {
		if b.heading {
			out = append(out, b)
			continue
		}
		for line := range bytes.Lines(d.Text[b.From:b.To]) {
			x := piece{Span: Span{b.From, b.From + len(line)}, section: b.section}
			if text := bytes.TrimSpace(line); len(text) > 0 {
				x.key = keyBelow(keys, b.section, text)
			}
			out = append(out, x)
			b.From = x.To
		}
	}
	return out
}

func keyBelow(keys []string, section int, text []byte) string {
	if section < 0 {
		return "\x00" + string(text)
	}
	return keys[section] + "\x00" + string(text)
}

// adopt gives pieces that lost only a heading above them their former keys, so that they are not put back a second time. They stand
// between the same neighbours as before.
func adopt(now, was []piece) {
	own := func(key string) string { return key[max(0, strings.LastIndexAny(key, "\n\x00")):] }
	once, place := map[string]bool{}, map[string]int{"": -1}
	for i, x := range now {
		place[x.key] = i
	}
	bare, above := map[int]bool{}, -1 // sections whose heading is gone
	type former struct {
		key          string
		above, below int // places of its neighbours
	}
	var homeless []former
	adopted := 0
	for _, x := range was {
		at, stands := place[x.key]
		once[x.key] = true
		bare[x.section] = bare[x.section] || x.heading && !stands
		switch {
		case x.key == "":
		case stands:
			for ; adopted < len(homeless); adopted++ {
				homeless[adopted].below = at
			}
			above = at
		case bare[x.section]:
			homeless = append(homeless, former{x.key, above, len(now)})
		}
	}
	left := map[string][]former{}
	for _, f := range homeless {
		left[own(f.key)] = append(left[own(f.key)], f)
	}
	for i, x := range now {
		same := left[own(x.key)]
		if x.key != "" && !once[x.key] && len(same) > 0 && same[0].above < i && i < same[0].below {
			now[i].key, left[own(x.key)] = same[0].key, same[1:]
		}
	}
}

// twins are the words of titles that different headings of one text have, such as those of a diary: only their dates differ.
func twins(texts ...*Doc) map[string]bool {
	alike := map[string]bool{}
	for _, d := range texts {
		first := map[string]string{}
		for _, s := range d.Sections {
			words := Normal(s.Title)
			if title, met := first[words]; !met {
				first[words] = s.Title
			} else if title != s.Title {
				alike[words] = true
			}
		}
	}
	return alike
}

// SectionKeys names the sections of several texts. Those with the same headings have the same name, as [PutBack] sees it.
func SectionKeys(texts ...*Doc) [][]string {
	alike, out := twins(texts...), make([][]string, len(texts))
	for i, d := range texts {
		out[i] = sectionKeys(d, alike)
	}
	return out
}

// sectionKeys are the levels and titles of each section and those around it. The words of a file's only outermost title do not
// count: many have the date of the last edit. Nor do dates in other titles, unless the titles are alike without them.
func sectionKeys(d *Doc, alike map[string]bool) []string {
	keys, titles := make([]string, len(d.Sections)), 0
	for _, s := range d.Sections {
		if s.Level == 1 {
			titles++
		}
	}
	for i, s := range d.Sections {
		if s.Level == 1 && titles == 1 {
			keys[i] = "title"
			continue
		}
		if s.Parent >= 0 && keys[s.Parent] != "title" {
			keys[i] = keys[s.Parent]
		}
		words := Normal(s.Title)
		if alike[words] {
			words = s.Title
		}
		keys[i] += "\n" + strconv.Itoa(s.Level) + " " + words
	}
	return keys
}

type placing struct {
	now, was *Doc
	lines    []piece // of the older text
	chosen   []bool  // of them
	there    map[string]Span
	above    []int // the nearest line above each that stands, -1 if there is none
	under    []int // the nearest from each on that stands, their number if there is none
}

func (p *placing) stands(i int) bool {
	_, ok := p.there[p.lines[i].key]
	return ok && p.lines[i].key != ""
}

// choose marks the lines to put back, and the headings above them that the current text does not have.
func (p *placing) choose(spans []Span) {
	p.chosen = make([]bool, len(p.lines))
	needed := map[int]bool{}
	spans = slices.SortedFunc(slices.Values(spans), func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	for i, l := range p.lines {
		for len(spans) > 0 && spans[0].To <= l.From {
			spans = spans[1:]
		}
		p.chosen[i] = l.key != "" && len(spans) > 0 && spans[0].From <= l.From && !p.stands(i)
		for s := l.section; p.chosen[i] && s >= 0 && !needed[s]; s = p.was.Sections[s].Parent {
			needed[s] = true
		}
	}
	p.keepApart(needed)
	for i, l := range p.lines {
		if l.heading {
			p.chosen[i] = needed[l.section] && !p.stands(i)
		}
	}
}

// keepApart adds the headings of lines that lost theirs and would come to stand below another section's that comes back.
func (p *placing) keepApart(needed map[int]bool) {
	comes := false
	for i, l := range p.lines {
		switch {
		case l.heading:
			comes = !p.stands(i) && (comes || needed[l.section])
		case comes && p.stands(i):
			for s := l.section; s >= 0; s = p.was.Sections[s].Parent {
				needed[s] = true
			}
			comes = false
		}
	}
}

// run is text to insert at one place.
type run struct {
	at, cut      int // cut is the length of the blank lines that the text replaces
	text         []byte
	apart, below bool // a blank line belongs before it, behind it
}

// whole returns the text between a line that stands and the next one of the older text, if all of it comes back and the current
// text has nothing between the two but blank lines of it. Then it is as it was to the byte.
func (p *placing) whole(i int) (r *run, next int) {
	next = p.under[i]
	from, to, oldFrom, oldTo := 0, len(p.now.Text), 0, len(p.was.Text)
	if k := p.above[i]; k >= 0 {
		from, oldFrom = p.there[p.lines[k].key].To, p.lines[k].To
	}
	if next < len(p.lines) {
		to, oldTo = p.there[p.lines[next].key].From, p.lines[next].From
	}
	if from > to || from > 0 && p.now.Text[from-1] != '\n' {
		return nil, next
	}
	var left [][]byte
	for line := range bytes.Lines(p.now.Text[from:to]) {
		if len(bytes.TrimSpace(line)) > 0 {
			return nil, next
		}
		left = append(left, line)
	}
	for k := p.above[i] + 1; k < next; k++ {
		l := p.lines[k]
		switch line := p.was.Text[l.From:l.To]; {
		case l.key != "" && !p.chosen[k]:
			return nil, next
		case l.key == "" && len(left) > 0 && bytes.Equal(line, left[0]):
			left = left[1:]
		}
	}
	if len(left) > 0 {
		return nil, next
	}
	return &run{at: from, cut: to - from, text: p.was.Text[oldFrom:oldTo]}, next
}

// insert merges the chosen lines into the current text.
func (p *placing) insert() []byte {
	var runs []*run
	var open, tail *run            // tail is open until a line below it stands
	at, blank := p.below(0), false // where the next chosen line belongs, and whether a blank line is above it
	prev, back := -1, -1           // the last line that is not blank, and the outermost section that comes back
	tried, done := -1, 0           // the line that ends the part last tried as a whole, and where what came back whole ends
	for i, l := range p.lines {
		if p.chosen[i] && p.under[i] != tried {
			var r *run
			if r, tried = p.whole(i); r != nil {
				runs, done = append(runs, r), tried
				open, tail = nil, nil
			}
		}
		if i < done {
			continue
		}
		if l.key == "" {
			blank = true
			if tail != nil {
				tail.below = true
			}
			continue
		}
		switch {
		case p.chosen[i]:
			if l.heading && (back < 0 || l.From >= p.was.Sections[back].End) {
				back, at = l.section, p.boundary(i)
			}
			switch {
			case open == nil || open.at != at:
				open = &run{at: at, apart: blank}
				runs = append(runs, open)
			case p.chosen[prev]:
				open.text = append(open.text, p.was.Text[p.lines[prev].To:l.From]...)
			case blank:
				open.text = append(open.text, '\n')
			}
			open.text = endLine(append(open.text, p.was.Text[l.From:l.To]...))
			open.below, blank, tail = false, false, open
		case p.stands(i):
			at, blank, tail = p.there[l.key].To, false, nil
		}
		prev = i
	}
	slices.SortStableFunc(runs, func(a, b *run) int { return cmp.Compare(a.at, b.at) })
	return merged(p.now.Text, runs)
}

// boundary returns where the heading of a section that is gone belongs: above what still stands of it, else behind the section with
// the nearest line above it that stands, but above the next line that stands.
func (p *placing) boundary(i int) int {
	own := p.was.Sections[p.lines[i].section]
	if k := p.under[i+1]; k < len(p.lines) && p.lines[k].From < own.End {
		return p.there[p.lines[k].key].From
	}
	k := p.above[i]
	if k < 0 {
		return p.below(i)
	}
	behind, end := p.there[p.lines[k].key].To, len(p.now.Text)
	if at := p.below(i); at >= behind {
		end = at
	}
	from, _ := slices.BinarySearchFunc(p.now.Sections, behind, func(s Section, at int) int { return cmp.Compare(s.Start, at) })
	for _, next := range p.now.Sections[from:] {
		if next.Level <= own.Level {
			return min(next.Start, end)
		}
	}
	return end
}

// below returns the place of the first line from i on that stands, or the end.
func (p *placing) below(i int) int {
	if k := p.under[i]; k < len(p.lines) {
		return p.there[p.lines[k].key].From
	}
	return len(p.now.Text)
}

// look notes the nearest lines above and below each line that stand.
func (p *placing) look() {
	n := len(p.lines)
	p.above, p.under = make([]int, n), make([]int, n+1)
	for i, last := 0, -1; i < n; i++ {
		if p.above[i] = last; p.stands(i) {
			last = i
		}
	}
	p.under[n] = n
	for i := n - 1; i >= 0; i-- {
		if p.under[i] = p.under[i+1]; p.stands(i) {
			p.under[i] = i
		}
	}
}

// merged inserts runs, which are sorted by place.
func merged(now []byte, runs []*run) (out []byte) {
	done := 0
	for _, r := range runs {
		if r.cut > 0 && r.at < done {
			r.cut = 0
		}
		at := r.at
		if r.apart && at >= done && blankFirst(now[at:]) {
			at += bytes.IndexByte(now[at:], '\n') + 1
		}
		at = max(at, done)
		out = append(out, now[done:at]...)
		done = at
		if len(out) > 0 {
			out = endLine(out)
			if last := out[bytes.LastIndexByte(out[:len(out)-1], '\n')+1:]; r.apart && len(bytes.TrimSpace(last)) > 0 {
				out = append(out, '\n')
			}
		}
		out = append(out, r.text...)
		done += r.cut
		if r.below && at < len(now) && !blankFirst(now[at:]) {
			out = append(out, '\n')
		}
	}
	return append(out, now[done:]...)
}

func endLine(text []byte) []byte {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text
}

// blankFirst reports whether a text begins with a blank line.
func blankFirst(text []byte) bool {
	line, _, ok := bytes.Cut(text, []byte("\n"))
	return ok && len(bytes.TrimSpace(line)) == 0
}
