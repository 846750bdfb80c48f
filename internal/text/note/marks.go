package note

import (
	"bytes"
	"strings"
)

// marks is what an entry has before and after its words.
type marks struct {
	task   Task
	tags   uint64 // set of indices into the tag list
	day    Day
	minute int

	body, tail int // extent of the words
	own        int // end of the entry's own text; what follows is nested
	quoted     bool

	stamps [8][2]int // the first n timestamps and tags that are not part of the words
	n      int
}

// maxMark is the maximum length of a bracket that can be a mark.
const maxMark = 64

// reader parses the marks of one entry.
type reader struct {
	marks
	b       []byte
	list    []string
	stamped bool // the mark read last is a timestamp
}

func readMarks(raw []byte, tags []string) marks {
	_, i := indent(raw)
	i += markerLen(raw[i:])
	for q := i; q < len(raw) && (raw[q] == '>' || raw[q] == ' '); q++ { // a quoted line
		if raw[q] == '>' {
			i = q + 1
		}
	}
	r := reader{b: raw, list: tags}
	r.quoted = i > 0 && i <= len(raw) && raw[i-1] == '>'
	r.minute = -1
	r.own = ownEnd(raw)
	r.body = r.blanks(i, r.own)
	r.readTail(r.body)
	r.readLead(r.body)
	r.body = min(r.body, r.tail)
	r.readInner()
	return r.marks
}

// readNested collects the marks of all bullets in the nested part of an entry: every tag, the latest date, and an open
// task if there is one.
func readNested(b []byte, tags []string) marks {
	all := marks{minute: -1}
	var open fences
	for pos := 0; pos < len(b); {
		e := lineEnd(b, pos)
		line := b[pos:e]
		if _, ok := bulletAt(line); ok {
			m := readMarks(line, tags)
			all.tags |= m.tags
			if m.task == OpenTask {
				all.task = OpenTask
			}
			if m.day > all.day {
				all.day, all.minute = m.day, m.minute
			}
		} else if f, ok := fenceAt(line); ok {
			e = max(e, open.end(b, e, f))
		}
		pos = e
	}
	return all
}

// ownEnd returns the end of an entry's own text: where a nested bullet, a fence or a blank line follows.
func ownEnd(raw []byte) int {
	pos := lineEnd(raw, 0)
	for pos < len(raw) {
		e := lineEnd(raw, pos)
		line := raw[pos:e]
		if isBlank(line) {
			break
		}
		if _, ok := bulletAt(line); ok {
			break
		}
		if _, ok := fenceAt(line); ok {
			break
		}
		pos = e
	}
	return pos
}

func (r *reader) blanks(i, end int) int {
	for i < end && (r.b[i] == ' ' || r.b[i] == '\t') {
		i++
	}
	return i
}

// readLead moves body past the marks at the start. An unknown bracket begins the words, but tags after it still count.
func (r *reader) readLead(i int) {
	words := false
	for i < r.tail {
		r.stamped = false
		next, strip := r.lead(i, false)
		if next <= i {
			return
		}
		if strip {
			next = r.joiner(next)
		}
		next = r.blanks(next, r.tail)
		if strip && r.stamped {
			r.span(i, next)
		}
		words = words || !strip
		i = next
		if !words {
			r.body = i
		}
	}
}

// lead parses the mark at i and returns the offset after it, or i if there is none; strip reports that it is not part of
// the words. A mark in emphasis is wrapped.
func (r *reader) lead(i int, wrapped bool) (next int, strip bool) {
	b := r.b[:r.tail]
	switch c := b[i]; {
	case c == '[' || c == '(':
		return r.bracket(i)
	case c == '*' || c == '_' || c == '`':
		n := 1
		for i+n < len(b) && b[i+n] == c {
			n++
		}
		if wrapped || i+n == len(b) {
			return i, false
		}
		if end := r.boldLabel(i, n); end > i {
			return end, true
		}
		next, strip := r.lead(i+n, true)
		if next == i+n || !strip {
			return i, false
		}
		if next < len(b) && b[next] == ':' {
			next++
		}
		if bytes.HasPrefix(b[next:], b[i:i+n]) {
			next += n
		}
		return next, true
	case c == '~':
		if len(b)-i > 4 && bytes.HasPrefix(b[i:], []byte("~~")) && bytes.HasSuffix(b, []byte("~~")) {
			r.task = DoneTask
			r.tail -= 2
			return i + 2, true
		}
	case c >= '0' && c <= '9':
		return r.bareStamp(i, wrapped)
	case c == '#':
		if n := r.hashtag(i); n > 0 {
			return i + n, true
		}
	case c == 'D' || c == 'T':
		if n := r.word(i); n > i {
			return n, true
		}
		return r.label(i), true
	case c >= 0x80:
		if n := checkMark(b[i:]); n > 0 {
			r.task = DoneTask
			return i + n, true
		}
		if n := r.symbol(i); n > 0 {
			return i + n, true
		}
		return r.label(i), true
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return r.label(i), true
	}
	return i, false
}

// bareStamp parses a timestamp without brackets. A time alone must be set off by a dash or colon or by tags after it; a
// date alone always dates the entry but, if not set off, is part of a sentence.
func (r *reader) bareStamp(i int, wrapped bool) (int, bool) {
	s := stampAt(r.b[i:r.tail])
	if s.size == 0 {
		return i, false
	}
	end := i + s.size
	if n := r.rangeEnd(end); n > end {
		r.stamp(s)
		return n, true
	}
	after := r.blanks(end, r.tail)
	setOff := wrapped || s.day != 0 && s.minute >= 0 || after == r.tail || r.b[after] == '[' || r.joiner(end) > end || r.markAt(after) || s.day == 0 && !r.clause(after)
	if !setOff && s.day == 0 {
		return i, false
	}
	r.stamp(s)
	return end, setOff
}

// clause reports whether the words at i continue a sentence that begins with a time: "14:30 is tea time".
func (r *reader) clause(i int) bool {
	end := i
	for end < r.tail && r.b[end] != ' ' && r.b[end] != '\n' {
		end++
	}
	switch strings.ToLower(string(r.b[i:end])) {
	case "", "is", "was", "are", "were", "will", "would", "and", "or", "to", "ist", "war", "wird", "und", "bis", "est", "et", "es", "y", "on", "at", "in", "every", "each":
		return true
	}
	return !isWord(r.b[i])
}

// word parses DONE and TODO.
func (r *reader) word(i int) int {
	b := r.b[i:r.tail]
	if len(b) < 4 || len(b) > 4 && isWord(b[4]) {
		return i
	}
	switch string(b[:4]) {
	case "DONE":
		r.task = DoneTask
	case "TODO":
		if r.task == NoTask {
			r.task = OpenTask
		}
	default:
		return i
	}
	return i + 4
}

// bracket parses [x], [decision], [14:30], (2026-11-15) and the like.
func (r *reader) bracket(i int) (int, bool) {
	b := r.b[:r.tail]
	shut := byte(']')
	if b[i] == '(' {
		shut = ')'
	}
	n := bytes.IndexByte(b[i:min(len(b), i+maxMark)], shut)
	if n < 0 {
		return i, false
	}
	end := i + n + 1
	if shut == ']' && end < len(b) && b[end] == '(' || bytes.IndexByte(b[i+1:end], b[i]) >= 0 {
		return i, false // a link
	}
	if r.inner(b[i+1:end-1], b[i]) {
		return end, true
	}
	if shut == ')' {
		return i, false
	}
	switch string(b[i+1 : end-1]) {
	case " ":
		r.task = OpenTask
	case "x", "X", "-":
		r.task = DoneTask
	default:
		return end, false
	}
	return end, true
}

// inner parses the content of a bracket: tags, a stamp or the word done.
func (r *reader) inner(in []byte, open byte) bool {
	if open == '[' && r.readTags(in) || open == '(' && bytes.IndexByte(in, ' ') < 0 && r.readTags(in) { // "(decision) …"
		return true
	}
	if bytes.EqualFold(in, []byte("done")) {
		r.task = DoneTask
		return true
	}
	if s := stampAt(in); s.size > 0 && s.size == len(in) {
		r.stamp(s)
		return true
	}
	return false
}

// readTags parses one or several tags, such as "decision, lesson"; all of them must be known.
func (r *reader) readTags(in []byte) bool {
	var set uint64
	for f := range bytes.FieldsFuncSeq(in, func(c rune) bool { return c == ' ' || c == ',' || c == '/' || c == '|' }) {
		found := false
		if tag, ok := labels[strings.ToLower(string(f))]; ok {
			f = []byte(tag)
		}
		for i, tag := range r.list {
			if i < 64 && bytes.EqualFold(f, []byte(tag)) {
				set |= 1 << i
				found = true
			}
		}
		if !found {
			return false
		}
	}
	r.tags |= set
	return set != 0
}

func (r *reader) stamp(s stamp) {
	r.day = max(r.day, s.day)
	if s.minute >= 0 && r.minute < 0 {
		r.minute = s.minute
	}
	r.stamped = true
}

func (r *reader) span(from, to int) {
	if r.n < len(r.stamps) {
		r.stamps[r.n] = [2]int{from, to}
		r.n++
	}
}

// joiner returns the offset after the dash, colon or bar that separates marks from the words, or i if there is none.
func (r *reader) joiner(i int) int {
	b := r.b[:r.tail]
	j := r.blanks(i, len(b))
	for _, s := range [...]string{"-", "–", "—", ":", "|", "·", ">"} {
		if bytes.HasPrefix(b[j:], []byte(s)) {
			k := j + len(s)
			if k == len(b) || b[k] == ' ' || b[k] == '\t' || b[k] == '\n' || b[k] == '\r' {
				return k
			}
		}
	}
	return i
}

// checkMark returns the length of a check mark that b starts with.
func checkMark(b []byte) int {
	for _, s := range [...]string{"✅", "☑", "✔"} {
		if bytes.HasPrefix(b, []byte(s)) {
			n := len(s)
			if bytes.HasPrefix(b[n:], []byte("\ufe0f")) {
				n += len("\ufe0f")
			}
			return n
		}
	}
	return 0
}
