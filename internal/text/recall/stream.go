package recall

import (
	"bytes"
	"encoding/binary"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A file's stream holds its terms in the order of the text, as varints: the marks of terms.go between them say where
// sections, units, fields and sentences begin and end. It is all the index keeps of the text, enough to count, to
// check phrases and distances, and to take the file out of the index again.

// unit is the part of a [Unit] that ranking and results need.
type unit struct {
	line    uint32
	sum     uint32 // see sumOf
	traits  trait  // with the number of proper names in the high byte
	more    uint16 // lines after the first
	length  uint16 // words of the body that are not stop words
	section uint16 // index into file.headings
	date    uint16 // days from 1970-01-01, or 0: a unit has no date beyond what fits
}

func (u *unit) day() day {
	if u.date == 0 {
		return noDay
	}
	return day(u.date)
}

const properShift = 24

// addProper counts a capitalised word inside a sentence.
func (u *unit) addProper() {
	if u.proper() < 255 {
		u.traits += 1 << properShift
	}
}

func (u *unit) proper() int { return int(u.traits >> properShift) }

// file is one document in the index.
type file struct {
	path     string
	title    string
	tier     Tier
	day      day
	from, to day // the range of its units' days and its own; noDay if nothing is dated
	stream   []byte
	units    []unit
	headings string // see joinHeadings
	length   uint32 // sum of the units' lengths
	talk     bool   // see isTalk
}

// measure sums up a file's units.
func (f *file) measure() {
	f.from, f.to = f.day, f.day
	for i := range f.units {
		u := &f.units[i]
		f.length += uint32(u.length)
		if d := u.day(); d != noDay {
			f.to = max(f.to, d)
			if f.from == noDay || d < f.from {
				f.from = d
			}
		}
	}
}

// item is one term or mark before it has a number.
type item struct {
	term  string
	known *known
	mark  uint8 // when term is empty
	upper bool
}

// draft is a document after analysis. Making one needs no lock; numbering its terms does.
type draft struct {
	items    []item
	units    []unit
	headings [][]string // of each section
	stream   []byte
	labels   map[string]int // how many units begin with each
}

// isTalk reports whether a document is a conversation: nearly all of its units begin with one of a few labels, the names
// of those who speak, each of them more than once.
func (d *draft) isTalk() bool {
	const speakers = 4
	counts := slices.DeleteFunc(slices.Sorted(maps.Values(d.labels)), func(n int) bool { return n < 2 })
	spoken := 0
	for _, n := range counts[max(len(counts)-speakers, 0):] {
		spoken += n
	}
	return len(counts) > 1 && 4*spoken >= 3*len(d.units)
}

func (d *draft) mark(m uint8) { d.items = append(d.items, item{mark: m}) }

// write analyses text into the draft, with the ends of sentences if it is running text.
func (d *draft) write(a *analyzer, text string, sentences bool) {
	prevPos, prevEnd := -1, 0
	a.each(text, func(t token) {
		if sentences && prevEnd < t.start {
			d.endSentence(text[prevEnd:t.start])
		}
		if t.pos == prevPos {
			d.mark(markSame)
		}
		prevPos, prevEnd = t.pos, max(prevEnd, t.end)
		d.items = append(d.items, item{term: t.term, known: t.known, upper: t.upper})
	})
	if sentences && prevPos >= 0 {
		d.endSentence(text[prevEnd:] + "\n")
	}
}

// endSentence looks at the text between two words.
func (d *draft) endSentence(gap string) {
	if gap == " " {
		return
	}
	switch {
	case strings.ContainsAny(gap, "?？؟"):
		d.mark(markQuestion)
	case strings.ContainsAny(gap, ".!;\n。！"):
		d.mark(markSentence)
	}
}

// fill analyses a document. A draft is used again and again, so that reading many files makes little garbage.
func (d *draft) fill(a *analyzer, doc Doc) {
	clear(d.items) // they hold slices of the last file's text
	d.items, d.units, d.headings, d.stream = d.items[:0], d.units[:0], d.headings[:0], d.stream[:0]
	if d.labels == nil {
		d.labels = map[string]int{}
	}
	clear(d.labels)
	d.write(a, doc.Title, false)
	d.write(a, nameWords(doc.Path), false)
	var open []string
	for i, u := range doc.Units {
		if i == 0 || !slices.Equal(open, u.Headings) {
			open = u.Headings
			if len(d.headings) < 1<<16-1 {
				d.headings = append(d.headings, open)
			}
			d.mark(markSection)
			for _, h := range open {
				d.write(a, h, false)
			}
		}
		d.unit(a, u)
	}
}

// nameWords are the words of a file's name. Its numbers and dates are left to file: and after:, for they would make a
// term or two for every file.
func nameWords(name string) string {
	base := path.Base(name)
	base = strings.TrimSuffix(base, path.Ext(base))
	return strings.Join(strings.FieldsFunc(base, func(r rune) bool { return !unicode.IsLetter(r) }), " ")
}

// joinHeadings packs the headings of all sections into one string, for they are many and rarely asked for.
func joinHeadings(sections [][]string) string {
	var b strings.Builder
	for i, above := range sections {
		if i > 0 {
			b.WriteByte('\x1e')
		}
		for j, h := range above {
			if j > 0 {
				b.WriteByte('\x1f')
			}
			b.WriteString(h)
		}
	}
	return b.String()
}

// headingsOf gives the headings above a section.
func (f *file) headingsOf(section uint16) []string {
	above := f.headings
	for range section {
		_, above, _ = strings.Cut(above, "\x1e")
	}
	above, _, _ = strings.Cut(above, "\x1e")
	if above == "" {
		return nil
	}
	return strings.Split(above, "\x1f")
}

func (d *draft) unit(a *analyzer, u Unit) {
	label, body := u.Title, u.Body
	if label == "" {
		label, body = splitLabel(u.Body)
	}
	d.mark(markUnit)
	d.write(a, label, false)
	if label != "" {
		d.labels[label]++
	}
	if len(u.Tags) > 0 {
		d.mark(markTags)
		for _, t := range u.Tags {
			d.items = append(d.items, item{term: tagTerm(t)})
			d.write(a, strings.TrimLeft(t, "#"), false)
		}
	}
	d.mark(markBody)
	d.write(a, body, true)
	meta := unit{line: uint32(max(u.Line, 0)), more: uint16(min(max(u.EndLine-u.Line, 0), 1<<16-1)), section: uint16(len(d.headings) - 1)}
	meta.sum = sumOf(u.Body)
	if u.Code {
		meta.traits |= isCode
	}
	if day := dayOf(u.Date); 0 < day && day < 1<<16 {
		meta.date = uint16(day)
	}
	if endsWithQuestion(body) {
		meta.traits |= endsAsking
	}
	if label != "" {
		meta.traits |= isTitled
	}
	d.units = append(d.units, meta)
}

// tagTerm is the term of a tag as a whole; no word begins with its mark.
func tagTerm(tag string) string { return "#" + fold(strings.TrimLeft(tag, "#")) }

// endsWithQuestion ignores a closing aside in brackets.
func endsWithQuestion(s string) bool {
	s = strings.TrimSpace(s)
	for _, pair := range []string{"()", "[]"} {
		if strings.HasSuffix(s, pair[1:]) {
			if i := strings.LastIndexByte(s, pair[0]); i >= 0 {
				s = strings.TrimSpace(s[:i])
			}
		}
	}
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, "*_\"'”’)"))
	return r == '?' || r == '？' || r == '؟'
}

// encode numbers the draft's terms and works out what each unit is like. The caller holds the write lock.
func (d *draft) encode(dict *dictionary) (stream []byte, units []unit) {
	stream = d.stream
	var u *unit
	next := 0
	body := false
	var reader traitReader
	for _, it := range d.items {
		if it.term == "" {
			stream = append(stream, it.mark)
			switch it.mark {
			case markUnit:
				u, body = &d.units[next], false
				next++
			case markSection, markTags:
				body = false
			case markBody:
				body, reader = true, traitReader{lex: dict.lang.lex, atStart: true}
			case markSentence, markQuestion:
				if asks := reader.endSentence(); body && it.mark == markQuestion {
					u.traits |= asks
				}
			}
			continue
		}
		id := dict.number(it)
		stream = binary.AppendUvarint(stream, uint64(id))
		if body {
			t := dict.info[id].traits
			if it.upper && !reader.atStart && t&(isStop|isSelf) == 0 {
				u.addProper()
			}
			reader.read(it.term, t)
			u.traits |= t & (isTime | isSelf)
			if t&isStop == 0 && u.length < 1<<16-1 {
				u.length++
			}
		}
	}
	d.stream = stream
	return bytes.Clone(stream), slices.Clone(d.units)
}

// traitReader follows a sentence to see what it asks for.
type traitReader struct {
	lex     *lexicon
	prev    string
	atStart bool  // of a sentence
	asks    trait // of the sentence so far
}

// read takes one word.
func (r *traitReader) read(term string, t trait) {
	r.atStart = false
	r.asks |= t & allAsks
	if r.prev != "" {
		r.asks |= r.lex.asked[[2]string{r.prev, term}]
	}
	r.prev = ""
	if t&isAsking != 0 {
		r.prev = term
	}
}

// endSentence gives what the sentence asked for, if it was a question.
func (r *traitReader) endSentence() trait {
	asks := r.asks
	r.asks, r.prev, r.atStart = 0, "", true
	return asks
}
