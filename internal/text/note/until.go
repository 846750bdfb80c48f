package note

import "bytes"

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
