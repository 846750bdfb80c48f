package note

import (
	"strings"
	"unicode"
)

// Section is a heading with everything up to the next heading of its level or above, or up to the closure block at
// the document's end. Separators do not end a section.
type Section struct {
	Level            int
	Title            string
	Line             int
	Start, Body, End int // extent; the text below the heading begins at Body
	Day              Day // the date in the title, else that of the enclosing section; see also DayNear
	Minute           int // of the day, if the title begins with a time, else that of the enclosing section; or -1
	Parent           int // index of the enclosing section, -1 if there is none

	date written
}

func sections(text []byte, blocks []Part) []Section {
	n, limit := 0, len(text)
	for _, b := range blocks {
		if b.Kind == Heading {
			n++
		}
		if b.Kind == ClosureBlock && isBlank(text[b.End:]) {
			limit = b.Start
		}
	}
	if n == 0 {
		return nil
	}
	out := make([]Section, 0, n)
	open := -1
	for _, b := range blocks {
		if b.Kind != Heading {
			continue
		}
		for open >= 0 && out[open].Level >= int(b.Level) {
			out[open].End = b.Start
			open = out[open].Parent
		}
		s := Section{Level: int(b.Level), Line: b.Line, Start: b.Start, Body: b.End, End: limit, Parent: open}
		s.Title = string(headingText(text[b.Start:b.End]))
		s.date = writtenIn([]byte(s.Title))
		s.Day, s.Minute = s.date.on(), titleMinute(s.Title)
		if open >= 0 && s.date.size == 0 {
			s.Day, s.date = out[open].Day, out[open].date
			if s.Minute < 0 {
				s.Minute = out[open].Minute
			}
		}
		open = len(out)
		out = append(out, s)
	}
	return out
}

// titleMinute parses the time of "14:30 Deploy" and "2026-11-15 14:30".
func titleMinute(title string) int {
	if s := stampAt([]byte(strings.TrimLeft(title, "[(*"))); s.size > 0 {
		return s.minute
	}
	return -1
}

// DayNear returns the section's day. A date without a year, "28.03." or 3月28日, is the last one up to a given day.
func (s Section) DayNear(ref Day) Day {
	if s.Day == 0 {
		return s.date.near(ref)
	}
	return s.Day
}

// OfDay reports a title that begins with its date, as an entry of a diary does. A date behind the words says when they were
// written: a rule that was made on some day is none of that day only.
func (s Section) OfDay() bool {
	words := strings.TrimLeftFunc(s.Title, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	weekday, date, _ := strings.Cut(words, ", ")
	return writtenAt([]byte(words)).size > 0 || !strings.Contains(weekday, " ") && writtenAt([]byte(date)).size > 0
}

// Section finds the first section with this title, ignoring case and surrounding spaces.
func (d *Doc) Section(title string) (Section, bool) {
	title = strings.TrimSpace(title)
	for _, s := range d.Sections {
		if strings.EqualFold(s.Title, title) {
			return s, true
		}
	}
	return Section{}, false
}
