package note

import "bytes"

// Until gives the last day on which the entry holds, zero if it says none. It says so in
// brackets, "(until 2026-12-31)", "[valid until 2026-12-31]" or "(expires 2026-12-31)", or
// in a comment under one of the names; where it says several, the last counts. What is
// nested, quoted or in a fence says nothing of the entry.
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

// Expired reports whether the entry holds no longer, by its own words. What is still to be
// done is late, not over.
func (e Entry) Expired(today Day) bool {
	last := e.Until()
	return last != 0 && last < today && e.Task != OpenTask
}

// untilAt reads a day and the bracket behind it.
func untilAt(b []byte) Day {
	s := stampAt(b)
	if s.day == 0 || s.size >= len(b) || b[s.size] != ')' && b[s.size] != ']' {
		return 0
	}
	return s.day
}
