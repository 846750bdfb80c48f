package note

import (
	"bytes"
	"strings"
	"time"
)

const bufferTitle = "# Working Buffer"

// Buffer is a working buffer: a head of four lines (title, created, last_active, blank) and a body.
type Buffer struct {
	Text                []byte
	Valid               bool // the head is complete and in order
	Ours                bool // it has the title and at least one line of the head, or no text at all; any other file is not a buffer
	Created, LastActive time.Time
	Body                int // where the body starts, after whatever part of a head there is

	beat, beatEnd int // extent of the value of last_active
}

// ParseBuffer reads a working buffer. Times without a zone are in loc.
func ParseBuffer(text []byte, loc *time.Location) Buffer {
	b := Buffer{Text: text, Ours: isBlank(trimBOM(text))}
	pos := len(text) - len(trimBOM(text))
	step := func(accept func(line []byte, start int) bool) bool {
		if pos == len(text) {
			return false
		}
		e := lineEnd(text, pos)
		if !accept(text[pos:e], pos) {
			return false
		}
		pos, b.Body = e, e
		return true
	}
	stamp := func(name string, t *time.Time, from, to *int) func([]byte, int) bool {
		return func(line []byte, start int) bool {
			n, f, e := headerAt(line)
			if n != name {
				return false
			}
			*from, *to = start+f, start+e
			v, ok := ParseTime(string(line[f:e]), loc)
			*t = v
			return ok
		}
	}
	var from, to int
	if !step(func(line []byte, _ int) bool { return string(chomp(line)) == bufferTitle }) {
		return b
	}
	created := step(stamp("created", &b.Created, &from, &to))
	active := step(stamp("last_active", &b.LastActive, &b.beat, &b.beatEnd))
	blank := step(func(line []byte, _ int) bool { return isBlank(line) })
	b.Ours = created || active
	b.Valid = created && active && (blank || b.Body == len(text))
	return b
}

// NewBuffer returns the head of a fresh buffer.
func NewBuffer(created, active time.Time) string {
	return strings.Join([]string{
		bufferTitle, "created: " + created.Format(time.RFC3339), "last_active: " + active.Format(time.RFC3339), "", "",
	}, "\n")
}

// Notes returns the body.
func (b Buffer) Notes() []byte { return b.Text[b.Body:] }

// Empty reports whether the body has only blank space and comments: harnesses leave `<!-- empty -->` there.
func (b Buffer) Empty() bool {
	notes := b.Notes()
	for {
		notes = bytes.TrimSpace(notes)
		rest, ok := bytes.CutPrefix(notes, []byte("<!--"))
		if !ok {
			return len(notes) == 0
		}
		_, after, closed := bytes.Cut(rest, []byte("-->"))
		if !closed {
			return false
		}
		notes = after
	}
}

// Active counts the bullets under headings that begin with "Active Task", or all bullets if there is no such heading.
// Nested bullets and finished tasks do not count.
func (b Buffer) Active() int {
	d := Parse(b.Notes())
	all, active, headed := 0, 0, false
	for _, s := range d.Sections {
		headed = headed || isActive(s)
	}
	for _, e := range d.Entries(0) {
		if !e.Bullet || e.Task == DoneTask {
			continue
		}
		all++
		for i := e.Section; i >= 0; i = d.Sections[i].Parent {
			if isActive(d.Sections[i]) {
				active++
				break
			}
		}
	}
	if headed {
		return active
	}
	return all
}

func isActive(s Section) bool {
	const prefix = "active task"
	return len(s.Title) >= len(prefix) && strings.EqualFold(s.Title[:len(prefix)], prefix)
}

// Heartbeat returns the edit that sets last_active. A buffer without that line gets a new head.
func (b Buffer) Heartbeat(now time.Time) Edit {
	if b.beat > 0 {
		return setValue(b.Text, b.beat, b.beatEnd, now.Format(time.RFC3339))
	}
	created := b.Created
	if created.IsZero() {
		created = now
	}
	head := strings.ReplaceAll(NewBuffer(created, now), "\n", Newline(b.Text))
	return Edit{At: 0, Cut: b.Body, Text: head}
}
