package note

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// Task is the state of an entry that is a task.
type Task uint8

const (
	NoTask   Task = iota
	OpenTask      // - [ ]
	DoneTask      // - [x]
)

// DayFrom says where an entry's date comes from.
type DayFrom uint8

const (
	Undated     DayFrom = iota
	FromText            // written at the entry's start or end
	FromHeading         // an enclosing heading
	FromFile            // the day the caller gave for the whole document
	Mentioned           // only a date somewhere in its words
)

// Entry is one bullet or one paragraph: the unit that is promoted, pruned and found. Nested text counts where forgetting
// it would be a loss: its tags are the entry's too, a nested date can make the entry younger, and an entry with a nested
// open task is not done.
type Entry struct {
	Raw        []byte // unchanged, the last newline included
	Start, End int    // its extent in the document
	Line       int
	Section    int // index into [Doc.Sections], -1 before the first heading
	Bullet     bool
	Tags       []string // significance tags, lower case, without repetition
	Task       Task
	Day        Day // the later of two dates
	DayFrom    DayFrom
	Minute     int // minute of the day as written, -1 without a time
	Pinned     bool

	marks marks
	forms *forms
}

// pinned protects an entry from being archived or pruned.
const pinned = "#pinned"

// Entries returns all entries in text order. day is the document's own, such as that in a daily log's name; it dates
// entries without any other date and may be zero. The list is cached: do not change it.
func (d *Doc) Entries(day Day) []Entry {
	if l := d.listed.Load(); l != nil && l.day == day {
		return l.list
	}
	list := slices.Clip(d.entries(day))
	d.listed.Store(&listing{day, list})
	return list
}

func (d *Doc) entries(day Day) []Entry {
	n := 0
	for _, b := range d.Parts {
		if b.IsEntry() {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	out := make([]Entry, 0, n)
	kept := make([]forms, n)
	section := -1
	for _, b := range d.Parts {
		if b.Kind == Heading {
			section++
		}
		if b.IsEntry() {
			e := d.entry(b, section, day)
			e.forms = &kept[len(out)]
			e.forms.raw = unsafe.SliceData(e.Raw)
			out = append(out, e)
		}
	}
	return out
}

func (d *Doc) tagList() []string {
	if d.Syntax.Tags == nil {
		return defaultTags[:]
	}
	return d.Syntax.Tags
}

func (d *Doc) entry(b Part, section int, day Day) Entry {
	e := Entry{
		Raw: d.Raw(b), Start: b.Start, End: b.End, Line: b.Line, Section: section, Bullet: b.Kind == Bullet,
	}
	tags := d.tagList()
	e.marks = readMarks(e.Raw, tags)
	nested := readNested(e.Raw[e.marks.own:], tags)
	for i, tag := range tags {
		if i < 64 && (e.marks.tags|nested.tags)&(1<<i) != 0 {
			e.Tags = append(e.Tags, tag)
		}
	}
	e.Task, e.Minute = e.marks.task, e.marks.minute
	if e.Task == DoneTask && nested.task == OpenTask {
		e.Task = OpenTask
	}
	d.date(&e, day)
	if nested.day > e.Day {
		e.Day, e.DayFrom, e.Minute = nested.day, FromText, nested.minute
	}
	e.Pinned = hasHashtag(e.Raw, pinned)
	return e
}

// date finds the entry's day and, if the text has no time, the time of its heading.
func (d *Doc) date(e *Entry, day Day) {
	e.Day, e.DayFrom = e.marks.day, FromText
	if e.Day == 0 {
		if v, ok := e.Meta("observed"); ok {
			e.Day = dayIn([]byte(v))
		}
	}
	if e.Day != 0 {
		return
	}
	if e.Section >= 0 {
		s := d.Sections[e.Section]
		e.Day, e.DayFrom = s.DayNear(day), FromHeading
		if e.Minute < 0 {
			e.Minute = s.Minute
		}
	}
	if e.Day == 0 {
		e.Day, e.DayFrom = day, FromFile
	}
	if e.Day == 0 {
		e.Day, e.DayFrom = dayIn(e.Raw[e.marks.body:e.marks.own]), Mentioned
	}
	if e.Day == 0 {
		e.DayFrom = Undated
	}
}

// Latest returns the latest moment at which the entry can have been written: its minute or, without a time, the end of
// its day. An undated entry has the zero time.
func (e Entry) Latest(loc *time.Location) time.Time {
	if e.Day == 0 {
		return time.Time{}
	}
	if e.Minute < 0 {
		return e.Day.AddDays(1).Start(loc)
	}
	y, m, d := e.Day.Date()
	return time.Date(y, m, d, e.Minute/60, e.Minute%60, 0, 0, loc)
}

// Has reports whether the entry has the tag.
func (e Entry) Has(tag string) bool { return slices.Contains(e.Tags, tag) }

// Text returns the entry's words and everything nested, without bullet, checkbox, tags, timestamps and metadata.
func (e Entry) Text() string {
	words := string(e.Raw[e.marks.body:e.marks.tail])
	if e.marks.quoted {
		words = unquoted(words)
	}
	rest := bytes.TrimRight(e.Raw[e.marks.own:], " \t\r\n")
	if len(rest) == 0 {
		return words
	}
	return words + Newline(e.Raw) + string(rest)
}

// unquoted removes the > from the lines of a quotation.
func unquoted(words string) string {
	lines := strings.Split(words, "\n")
	for i, line := range lines[1:] {
		lines[i+1] = strings.TrimLeft(strings.TrimLeft(line, " \t"), "> ")
	}
	return strings.Join(lines, "\n")
}

// Normal returns the form in which duplicates are equal, see [Normal].
func (e Entry) Normal() string {
	f := e.forms
	if !f.of(e) {
		return normalize(e.Text())
	}
	f.normalized.Do(func() { f.normal = normalize(e.Text()) })
	return f.normal
}

// forms are what is derived from an entry of a document when it is first asked for: the jobs of a night ask several times.
type forms struct {
	raw        *byte // the text they are of
	normalized sync.Once
	normal     string
}

// of reports whether the forms are of an entry, not of one that it was copied from.
func (f *forms) of(e Entry) bool { return f != nil && f.raw == unsafe.SliceData(e.Raw) }

// Friction returns the text after each #friction: mark. One in backquotes is only spoken of.
func (e Entry) Friction() []string {
	const mark = "#friction:"
	var out []string
	for line := range bytes.Lines(e.Raw) {
		if i := indexFold(line, mark); i == 0 || i > 0 && isBlank(line[i-1:i]) {
			out = append(out, strings.TrimSpace(string(line[i+len(mark):])))
		}
	}
	return out
}

// Meta returns the value of a key in the entry's HTML comments, which look like <!-- importance: 9 --> or
// <!-- observed: 2026-11-15 | status: active -->.
func (e Entry) Meta(key string) (string, bool) {
	rest := e.Raw
	for {
		_, after, ok := bytes.Cut(rest, []byte("<!--"))
		if !ok {
			return "", false
		}
		comment, tail, ok := bytes.Cut(after, []byte("-->"))
		if !ok {
			return "", false
		}
		for pair := range bytes.SplitSeq(comment, []byte("|")) {
			k, v, ok := bytes.Cut(pair, []byte(":"))
			if ok && bytes.EqualFold(bytes.TrimSpace(k), []byte(key)) {
				return string(bytes.TrimSpace(v)), true
			}
		}
		rest = tail
	}
}

func hasHashtag(b []byte, tag string) bool {
	for {
		i := indexFold(b, tag)
		if i < 0 {
			return false
		}
		end := i + len(tag)
		if (i == 0 || !isWord(b[i-1])) && (end == len(b) || !isWord(b[end]) && b[end] != '-') {
			return true
		}
		b = b[end:]
	}
}

// indexFold finds the ASCII string s, which begins with #, ignoring case.
func indexFold(b []byte, s string) int {
	for from := 0; ; {
		i := bytes.IndexByte(b[from:], s[0])
		if i < 0 || from+i+len(s) > len(b) {
			return -1
		}
		from += i
		if bytes.EqualFold(b[from:from+len(s)], []byte(s)) {
			return from
		}
		from++
	}
}
