package note

import (
	"bytes"
	"strings"
)

// Until returns the last day on which the entry is valid, zero if it names none. It is in
// brackets, "(until 2026-12-31)", "[valid until 2026-12-31]" or "(expires 2026-12-31)", or
// in a comment under one of these names; of several, the last counts. Nested, quoted or
// fenced text does not count.
func (e Entry) Until() Day {
	last := Day(0)
	for _, key := range [...]string{"until", "valid_until", "expires"} {
		if v, ok := e.Meta(key); ok {
			last = max(last, dayIn([]byte(v)))
		}
	}
	own := e.Raw[:e.marks.own]
	for i := range own {
		if c := own[i]; c != '(' && c != '[' || i > 0 && own[i-1] == '`' {
			continue
		}
		for _, word := range [...]string{"until ", "valid until ", "expires "} {
			if len(own)-i > len(word) && bytes.EqualFold(own[i+1:i+1+len(word)], []byte(word)) {
				last = max(last, untilAt(own[i+1+len(word):]))
			}
		}
	}
	return last
}

// Expired reports whether the entry is past the date it names. An open task is overdue
// instead.
func (e Entry) Expired(today Day) bool {
	last := e.Until()
	return last != 0 && last < today && e.Task != OpenTask
}

// untilAt parses a day followed by a closing bracket.
func untilAt(b []byte) Day {
	s := stampAt(b)
	if s.day == 0 || s.size >= len(b) || b[s.size] != ')' && b[s.size] != ']' {
		return 0
	}
	return s.day
}

// LastDay returns the latest date with a year that a text names, zero if it names none.
func LastDay(text string) Day {
	last, b := Day(0), []byte(text)
	for i := range b {
		if !isDigit(b[i]) || i > 0 && inNumber(b[i-1]) {
			continue
		}
		w := writtenAt(b[i:])
		if w.size == 0 {
			w = writtenAt(b[wordBefore(b, i):])
		}
		last = max(last, w.on())
	}
	return last
}

// Names reports whether a text names a day: as a date with or without its year, or as "4 月 10 日" with blanks.
func Names(text string, day Day) bool {
	year, month, of := day.Date()
	b := []byte(strings.NewReplacer(" 月 ", "月", " 月", "月", "月 ", "月", " 日", "日").Replace(text))
	for i := range b {
		if !isDigit(b[i]) || i > 0 && isDigit(b[i-1]) {
			continue
		}
		for _, at := range [...]int{i, wordBefore(b, i)} {
			w := writtenAt(b[at:])
			if w.size > 0 && w.month == int(month) && w.day == of && (w.year == 0 || w.year == year) {
				return true
			}
		}
	}
	return false
}
