package referee

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"tend/internal/text/note"
)

// line is one line of a text that is not blank.
type line struct {
	number     int
	start, end int    // with the line feed
	raw        uint64 // hash of its bytes without blanks at both ends
	chars      int
	width      int
	says       bool // false for rules, borders of tables and comments
}

// text is a text in lines.
type text struct {
	bytes []byte
	s     string // the same
	lines []line
	size  Size
	words []term // of all lines, once they are asked for
	ends  []int  // of each line in words
}

// terms returns the terms of all lines.
func (t *text) terms() []term {
	if t.ends == nil {
		t.words = make([]term, 0, len(t.bytes)/6)
		t.ends = make([]int, len(t.lines))
		for i := range t.lines {
			t.words = terms(t.words, t.canonical(i))
			t.ends[i] = len(t.words)
		}
	}
	return t.words
}

// termsAt returns the terms of one line in order.
func (t *text) termsAt(i int) []term {
	all, start := t.terms(), 0
	if i > 0 {
		start = t.ends[i-1]
	}
	return all[start:t.ends[i]]
}

// seed is the same for all texts, as their hashes are compared.
var seed = maphash.MakeSeed()

func read(b []byte) *text {
	t := &text{bytes: b, s: string(b), lines: make([]line, 0, bytes.Count(b, []byte{'\n'})+1)}
	number := 0
	for start := 0; start < len(b); {
		end := len(b)
		if i := bytes.IndexByte(b[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		number++
		raw := bytes.TrimSpace(b[start:end])
		if len(raw) > 0 {
			l := line{number: number, start: start, end: end, raw: maphash.Bytes(seed, raw)}
			l.chars, l.width, l.says = measure(raw)
			t.lines = append(t.lines, l)
			t.size.add(l)
		}
		start = end
	}
	return t
}

// measure counts the characters and columns of a line, and reports whether it says anything to a reader.
func measure(b []byte) (chars, width int, says bool) {
	for i := 0; i < len(b); {
		c := b[i]
		if c < utf8.RuneSelf {
			says = says || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
			chars, width, i = chars+1, width+1, i+1
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		chars, width, i = chars+1, width+1, i+n
		if packed(r) {
			width, says = width+1, true
			continue
		}
		says = says || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.So, r)
	}
	comment := bytes.HasPrefix(b, []byte("<!--")) && bytes.Index(b, []byte("-->")) == len(b)-3
	return chars, width, says && !comment
}

// packed reports a character of a script that writes words without blanks between them.
func packed(r rune) bool {
	switch {
	case r < 0x0e00, r >= 0x2000 && r < 0x2e80, r == '・':
		return false
	case r >= 0x3041 && r < 0x3100, r >= 0x4e00 && r < 0xa000: // most of them: kana and common characters
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// canonical returns a line with one spelling for each character.
func (t *text) canonical(i int) string {
	l := t.lines[i]
	s := strings.TrimSpace(t.s[l.start:l.end])
	for k := range len(s) {
		if s[k] >= utf8.RuneSelf {
			return norm.NFKC.String(s)
		}
	}
	return s
}

func (t *text) line(i int) Line {
	l := t.lines[i]
	return Line{Number: l.number, Start: l.start, End: l.end, Text: string(bytes.TrimRight(t.bytes[l.start:l.end], "\r\n"))}
}

// within measures the lines that begin in one of the ranges.
func (t *text) within(ranges []Range) (s Size) {
	for _, r := range ranges {
		from, _ := slices.BinarySearchFunc(t.lines, r.Start, func(l line, at int) int { return l.start - at })
		for _, l := range t.lines[from:] {
			if l.start >= r.End {
				break
			}
			s.add(l)
		}
	}
	return s
}

// comparison is two texts, with the lines of each that the other does not have to the letter.
type comparison struct {
	before, after *text
	left          []int // in before, each text once, and only lines that say something
	added         []int // in after
}

func compare(before, after []byte) *comparison {
	c := &comparison{before: read(before), after: read(after)}
	c.left = slices.DeleteFunc(missingFrom(c.before, c.after), func(i int) bool { return !c.before.lines[i].says })
	c.added = missingFrom(c.after, c.before)
	return c
}

// missingFrom lists the lines of a that b does not have, each text once.
func missingFrom(a, b *text) []int {
	has := make(map[uint64]struct{}, len(b.lines))
	for _, l := range b.lines {
		has[l.raw] = struct{}{}
	}
	var out []int
	for i, l := range a.lines {
		if _, ok := has[l.raw]; !ok {
			has[l.raw] = struct{}{}
			out = append(out, i)
		}
	}
	return out
}

// sections groups the lines without a home, and those that stand elsewhere in other words, by the headings above them, with what is
// new below the same headings, or else below those of another day.
func (c *comparison) sections(lines []homed) []Section {
	if !slices.ContainsFunc(lines, func(h homed) bool { return h.home < 0 || !h.exact }) {
		return nil
	}
	was, now := headings{doc: note.Parse(c.before.bytes), open: -1}, headings{doc: note.Parse(c.after.bytes), open: -1}
	keys := note.SectionKeys(was.doc, now.doc)
	was.keys, now.keys = keys[0], keys[1]
	c.stay(lines, was, now)
	stands := make(map[string]bool, len(now.keys))
	for _, k := range now.keys {
		stands[k] = true
	}
	var out []Section
	at, days := map[string]int{}, map[string]int{}
	for _, h := range lines {
		if h.home >= 0 && !h.elsewhere() {
			continue
		}
		l := c.before.line(h.line)
		l.Similar = h.like
		if h.elsewhere() {
			l.Similar, l.homed = &Similar{Source: h.name, Line: h.number}, true
		}
		k := was.at(l.Start)
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, Section{Path: was.path(), Gone: was.open >= 0 && !stands[k]})
			if day := anyDay(out[i].Path); days[day] == 0 {
				days[day] = i + 1
			}
		}
		if out[i].Gone {
			if e := was.extent(); !slices.Contains(out[i].extents, e) {
				out[i].extents = append(out[i].extents, e)
			}
		}
		out[i].Lost = append(out[i].Lost, l)
	}
	for _, a := range c.added {
		if !c.after.lines[a].says {
			continue
		}
		l := c.after.line(a)
		i, ok := at[now.at(l.Start)]
		if !ok {
			i = days[anyDay(now.path())] - 1
		}
		if i >= 0 {
			out[i].Now = append(out[i].Now, l)
		}
	}
	return out
}

// stay notes which lines stand in other words under the headings that they stood under.
func (c *comparison) stay(lines []homed, was, now headings) {
	under := make([]string, len(c.after.lines))
	for i, l := range c.after.lines {
		under[i] = now.at(l.start)
	}
	for i, h := range lines {
		if h.home >= 0 && h.name == "" && !h.exact {
			lines[i].stays = was.at(c.before.lines[h.line].start) == under[h.home]
		}
	}
}

// headings finds the headings above a place. Places are asked for in text order.
type headings struct {
	doc  *note.Doc
	keys []string // of its sections
	next int
	open int // index of the section of the last place, -1 before the first heading
}

// at returns the key of the section of a place, "" before the first heading.
func (h *headings) at(pos int) string {
	for h.next < len(h.doc.Sections) && h.doc.Sections[h.next].Start <= pos {
		h.open = h.next
		h.next++
	}
	if h.open < 0 {
		return ""
	}
	return h.keys[h.open]
}

// extent is the section of the last place, without those below it.
func (h *headings) extent() Range {
	end := h.doc.Sections[h.open].End
	if h.next < len(h.doc.Sections) {
		end = min(end, h.doc.Sections[h.next].Start)
	}
	return Range{h.doc.Sections[h.open].Start, end}
}

// path returns the titles of the section of the last place and those around it. Markdown has six levels, so it is short.
func (h *headings) path() []string {
	var out []string
	for i := h.open; i >= 0; i = h.doc.Sections[i].Parent {
		out = append(out, h.doc.Sections[i].Title)
	}
	slices.Reverse(out)
	return out
}

// anyDay makes the headings of all days of a diary equal: what one day lost may be new in another.
func anyDay(path []string) string { return note.Normal(strings.Join(path, "\n")) }

// touched lists the guarded parts that the text after does not have as they were.
func touched(before, after []byte, guarded []Range) []GuardedHit {
	var out []GuardedHit
	for _, r := range guarded {
		if !bytes.Contains(after, before[r.Start:r.End]) {
			out = append(out, GuardedHit{Range: r, Line: 1 + bytes.Count(before[:r.Start], []byte{'\n'})})
		}
	}
	return out
}
