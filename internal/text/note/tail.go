package note

import (
	"bytes"
	"time"
)

// readTail moves tail before the marks at the end of an entry's own text: comments, tags, (2026-11-15), ✅ 2026-11-15,
// DONE. Hashtags other than #pinned stay among the words, but marks before them still count. It reads nothing before from.
func (r *reader) readTail(from int) {
	end := from + len(bytes.TrimRight(r.b[from:r.own], " \t\r\n"))
	r.tail = end
	words := false
	for end > from {
		r.stamped = false
		next, strip := r.trail(from, end)
		if next >= end {
			return
		}
		if strip && r.stamped {
			r.span(next, end)
		}
		words = words || !strip
		end = from + len(bytes.TrimRight(r.b[from:next], " \t\r\n"))
		if !words {
			r.tail = end
		}
	}
}

// trail parses the mark that ends at end and returns the offset before it, or end if there is none.
func (r *reader) trail(from, end int) (next int, strip bool) {
	b := r.b[from:end]
	switch c := b[len(b)-1]; {
	case c == '>' && bytes.HasSuffix(b, []byte("-->")):
		if i := bytes.LastIndex(b, []byte("<!--")); i >= 0 {
			return from + i, true
		}
	case c == ']' || c == ')':
		open := byte('[')
		if c == ')' {
			open = '('
		}
		low := max(0, len(b)-maxMark)
		if i := bytes.LastIndexByte(b[low:], open); i >= 0 {
			if i += low; r.inner(b[i+1:len(b)-1], open) {
				return from + i, true
			}
		}
	case c >= '0' && c <= '9':
		return r.doneDay(from, end)
	case c == 'E' && bytes.HasSuffix(b, []byte("DONE")):
		if i := len(b) - 4; i == 0 || !isWord(b[i-1]) {
			r.task = DoneTask
			return from + i, true
		}
	case c >= 0x80:
		for n := 3; n <= min(6, len(b)); n += 3 {
			if checkMark(b[len(b)-n:]) == n {
				r.task = DoneTask
				return end - n, true
			}
		}
	}
	if i := bytes.LastIndexAny(b, " \t\n"); i+1 < len(b) && b[i+1] == '#' {
		if n := r.hashtag(from + i + 1); n == len(b)-i-1 {
			return from + i + 1, true
		}
		return from + i + 1, string(b[i+1:]) == pinned
	}
	return end, false
}

// doneDay parses the date of "✅ 2026-11-15", "done 2026-11-15" and "— 2026-11-15". Any other date at the end of a
// sentence is part of it.
func (r *reader) doneDay(from, end int) (int, bool) {
	b := r.b[from:end]
	i := len(b) - len(time.DateOnly)
	if i <= 0 {
		return end, false
	}
	s := stampAt(b[i:])
	before := bytes.TrimRight(b[:i], " \t")
	if s.day == 0 || len(before) == i {
		return end, false
	}
	for _, mark := range [...]string{"✅", "☑", "✔", "\ufe0f", "done", "Done", "DONE", "completed", " -", "–", "—"} {
		if bytes.HasSuffix(before, []byte(mark)) {
			r.stamp(s)
			return from + i, true
		}
	}
	return end, false
}
