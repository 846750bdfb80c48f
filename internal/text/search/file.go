package search

import (
	"bytes"
	"encoding/binary"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
)

// A file's stream holds its terms in the order of the text, as varints: marks between them say where sections, units, fields
// and sentences begin and end. It is all the index keeps of the text, enough to count, to check phrases, and to take the
// file out of the index again.
const (
	markSame     = iota // the next term has the position of the one before it
	markSentence        // a sentence ended
	markQuestion        // a sentence ended, and it was a question
	markSection         // a section begins with its headings
	markUnit            // a unit begins with its label
	markTags            // the unit's tags follow
	markBody            // the unit's body follows
	markForm            // a byte follows, the form of the next term
	firstTerm
)

// unit is the part of a [Unit] that ranking and results need.
type unit struct {
	line    uint32
	sum     uint32 // see sumOf
	more    uint16 // lines after the first
	length  uint16 // of the body, in halves of words that are not stop words
	section uint16 // index into file.headings
	date    day
	traits  trait
	names   uint8 // words with a capital inside sentences
}

// dayIn is the day of a unit: its own or its file's.
func (u *unit) dayIn(f *file) day {
	if u.date != noDay {
		return u.date
	}
	return f.day
}

// file is one document in the index.
type file struct {
	path     string
	title    string
	tier     Tier
	day      day
	from, to day // the range of its units' days and its own; noDay if nothing is dated
	stream   []byte
	units    []unit
	headings [][]string // above each section, outermost first
	length   uint32     // sum of the units' lengths
	lang     lang
	talk     bool // see isTalk
}

// measure sums up a file's units.
func (f *file) measure() {
	f.from, f.to = f.day, f.day
	for i := range f.units {
		u := &f.units[i]
		f.length += uint32(u.length)
		if d := u.date; d != noDay {
			f.to = max(f.to, d)
			if f.from == noDay || d < f.from {
				f.from = d
			}
		}
	}
}

// walk calls visit for every term, with its form, and every other mark of the file, in the order of the text.
func (f *file) walk(visit func(id uint32, form uint8)) {
	form := uint8(0)
	for s := f.stream; len(s) > 0; {
		if s[0] == markForm {
			form, s = s[1], s[2:]
			continue
		}
		id, n := uint64(s[0]), 1
		if id >= 0x80 {
			id, n = binary.Uvarint(s)
		}
		visit(uint32(id), form)
		form, s = 0, s[n:]
	}
}

// census calls unit once for each term of each unit, for those of its label and for those of its tags and body. It returns how
// often the file has each term.
func (f *file) census(unit func(id uint32, label bool)) map[uint32]int {
	times := make(map[uint32]int, len(f.stream)/4)
	last := make(map[uint32]int, len(f.stream)/4) // the last field of a unit that had the term
	field, label := 0, false
	inUnit := false
	f.walk(func(id uint32, _ uint8) {
		switch id {
		case markSame, markSentence, markQuestion:
		case markSection:
			inUnit = false
		case markUnit:
			inUnit, label = true, true
			field++
		case markTags, markBody:
			if label {
				field++
			}
			label = false
		default:
			times[id]++
			if inUnit && last[id] != field {
				last[id] = field
				unit(id, label)
			}
		}
	})
	return times
}

// halves is how much of a word each kind of token is, twice: what names and characters say is in their parts and pairs.
var halves = [...]uint16{kindWord: 2, kindGram: 1, kindWhole: 0, kindChar: 0}

// item is one term or mark before it has a number.
type item struct {
	term   string
	known  *known
	mark   uint8 // when term is empty
	upper  bool
	halves uint16 // how many halves of a word it adds to the length
}

// draft is a document after analysis. Making one needs no lock; numbering its terms does.
type draft struct {
	items    []item
	units    []unit
	headings [][]string // of each section
	stream   []byte
	labels   map[string]int // how many units begin with each
	lang     lang
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
	a.each(d.lang, text, func(t token) {
		if sentences && prevEnd < t.start {
			d.endSentence(text[prevEnd:t.start])
		}
		if t.pos == prevPos {
			d.mark(markSame)
		}
		prevPos, prevEnd = t.pos, max(prevEnd, t.end)
		d.items = append(d.items, item{term: t.term, known: t.known, upper: t.upper, halves: halves[t.kind]})
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
	d.items, d.units, d.headings, d.stream = d.items[:0], d.units[:0], nil, d.stream[:0]
	if d.labels == nil {
		d.labels = map[string]int{}
	}
	clear(d.labels)
	d.lang = a.words.tell(doc.sample(), [langCount]int{})
	d.write(a, doc.Title, false)
	d.write(a, nameWords(doc.Path), false)
	var open []string
	for i, u := range doc.Units {
		if i == 0 || !slices.Equal(open, u.Headings) {
			open = u.Headings
			d.mark(markSection)
			var above []string
			for _, h := range open {
				d.write(a, h, false)
				above = append(above, strings.Clone(h)) // the text of the file is not kept
			}
			if len(d.headings) < 1<<16-1 {
				d.headings = append(d.headings, above)
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

func (d *draft) unit(a *analyzer, u Unit) {
	label, body := splitLabel(u.Body)
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
	meta := unit{date: dayOf(u.Date), sum: sumOf(u.Body), line: uint32(max(u.Line, 0)),
		more: uint16(min(max(u.EndLine-u.Line, 0), 1<<16-1)), section: uint16(len(d.headings) - 1)}
	if u.Code {
		meta.traits |= isCode
	}
	if endsWithQuestion(body) {
		meta.traits |= endsAsking
	}
	d.units = append(d.units, meta)
}

// tagTerm is the term of a tag as a whole; no word begins with its mark.
func tagTerm(tag string) string { return "#" + fold(strings.TrimLeft(tag, "#")) }

// sample is the beginning of a document's text, to tell its language by.
func (doc *Doc) sample() string {
	var b strings.Builder
	for _, u := range doc.Units {
		if b.WriteString(u.Body); b.Len() > longestKnown {
			break
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// encode numbers the draft's terms and works out what each unit is like. The caller holds the write lock.
func (d *draft) encode(dict *dictionary, words *vocabulary) (stream []byte, units []unit) {
	stream = d.stream
	var u *unit
	next, body := 0, false
	inHead, above, talk := false, 0, d.isTalk()
	reader := traitReader{words: words}
	for _, it := range d.items {
		if it.term == "" {
			stream = append(stream, it.mark)
			switch it.mark {
			case markUnit:
				u, body, inHead = &d.units[next], false, false
				next++
				if !talk {
					u.length = uint16(headingCount * float64(min(above, 1<<15))) // what counts as words counts as length
				}
			case markSection:
				body, inHead, above = false, true, 0
			case markTags:
				body = false
			case markBody:
				body = true
				reader.endSentence()
			case markSentence, markQuestion:
				if asks := reader.endSentence(); body && it.mark == markQuestion {
					u.traits |= asks
				}
			}
			continue
		}
		if it.known != nil && it.known.form != 0 {
			stream = append(stream, markForm, it.known.form)
		}
		stream = binary.AppendUvarint(stream, uint64(dict.number(it)))
		if inHead && (it.known == nil || it.known.traits&isStop == 0) {
			above += int(it.halves)
		}
		if body {
			u.read(it, &reader)
		}
	}
	d.stream = stream
	return bytes.Clone(stream), slices.Clone(d.units)
}

// read takes one word of the body.
func (u *unit) read(it item, reader *traitReader) {
	var t trait
	if it.known != nil {
		t = it.known.traits
	}
	if it.upper && !reader.atStart && t&(isStop|isSelf) == 0 && u.names < 255 {
		u.names++
	}
	reader.read(it.term, t)
	u.traits |= t & (isTime | isSelf)
	if t&isStop == 0 {
		u.length = min(u.length+it.halves, 1<<15)
	}
}
