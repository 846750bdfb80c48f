package note

import (
	"bytes"
	"slices"
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
	last := Day(0)
	for _, w := range dates([]byte(text)) {
		last = max(last, w.on())
	}
	return last
}

// Ends reports whether a text says that something ends on a day: "until 5 May", "3-5 May", "5月5日まで".
func Ends(text string, day Day) bool {
	year, month, of := day.Date()
	b := closed(strings.ToLower(text))
	for i := 0; i < len(b); i++ {
		w := dateAt(b, i)
		if w.size == 0 && i > 1 && b[i-1] == '-' && isDigit(b[i-2]) { // the end of a span
			w = writtenAt(b[i:])
		}
		if w.size == 0 {
			continue
		}
		before, behind := string(b[:i]), strings.TrimLeft(string(b[i+w.size:]), " ")
		last := follows(before, "until") || slices.ContainsFunc(aheadWords()["end"], func(s string) bool { return strings.HasPrefix(behind, s) })
		for _, joint := range aheadWords()["span"] {
			first, joined := strings.CutSuffix(strings.TrimRight(before, " "), joint)
			first = strings.TrimRight(first, " 日")
			last = last || joined && first != "" && isDigit(first[len(first)-1])
		}
		if last && w.month == int(month) && w.day == of && (w.year == 0 || w.year == year) {
			return true
		}
		i += w.size - 1
	}
	return false
}

// Ahead returns the first day after today that a text names, zero if it names none. A date without a year is the one that is
// closest to the day on which the text was written; a month of a year stands for its first day, as does "from May".
func Ahead(text string, wrote, today Day) Day {
	first := soon(text, wrote, today)
	for _, w := range dates(closed(text)) {
		if d := w.closest(wrote); d > today && (first == 0 || d < first) {
			first = d
		}
	}
	return first
}

// WithoutDates returns a text without its dates and times of day.
func WithoutDates(text string) string {
	var out []byte
	b := closed(text)
	for i := 0; i < len(b); {
		w := dateAt(b, i)
		if w.size == 0 && isDigit(b[i]) && (i == 0 || !inNumber(b[i-1])) {
			_, w.size = clockAt(b[i:])
		}
		if w.size == 0 {
			out, w.size = append(out, b[i]), 1
		}
		i += w.size
	}
	return string(out)
}

// closed returns a text without the blanks in "4 月 10 日".
func closed(text string) []byte {
	return []byte(strings.NewReplacer(" 年 ", "年", " 年", "年", "年 ", "年", " 月 ", "月", " 月", "月", "月 ", "月", " 日", "日").Replace(text))
}

// dates lists the dates in a text, months of a year among them: their day is 0.
func dates(b []byte) (out []written) {
	for i := 0; i < len(b); i++ {
		if w := dateAt(b, i); w.size > 0 {
			out = append(out, w)
			i += w.size - 1
		}
	}
	return out
}

// dateAt returns the date that begins at an offset; size is 0 if none does.
func dateAt(b []byte, i int) written {
	switch {
	case i > 0 && (isDigit(b[i]) && inNumber(b[i-1]) || !isDigit(b[i]) && isWord(b[i-1])), !isWord(b[i]):
		return written{}
	}
	if w := writtenAt(b[i:]); w.size > 0 {
		return w
	}
	return monthOfYear(b[i:])
}
