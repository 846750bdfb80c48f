package note

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// marks is what an entry has before and after its words.
type marks struct {
	task   Task
	quoted bool
	day    Day
	minute int
	tags   uint64 // set of indices into the tag list

	body, tail int // extent of the words
	own        int // end of the entry's own text; what follows is nested
}

// maxMark is the maximum length of a bracket that can be a mark.
const maxMark = 64

// reader parses the marks of one entry.
type reader struct {
	marks
	b    []byte
	list []string
}

func readMarks(raw []byte, tags []string) marks {
	_, i := indent(raw)
	i += markerLen(raw[i:])
	item := i > 0 && i < len(raw)
	for q := i; q < len(raw) && (raw[q] == '>' || raw[q] == ' '); q++ { // a quoted line
		if raw[q] == '>' {
			i = q + 1
		}
	}
	r := reader{b: raw, list: tags}
	r.quoted = i > 0 && raw[i-1] == '>'
	r.minute = -1
	r.own = ownEnd(raw)
	r.body = r.blanks(i, r.own)
	if item {
		r.checkbox()
	}
	r.readTail(r.body)
	r.readLead(r.body)
	r.body = min(r.body, r.tail)
	return r.marks
}

// readNested collects the marks of all bullets in the nested part of an entry: every tag, the latest date, and an open
// task if there is one.
func readNested(b []byte, tags []string) marks {
	all := marks{minute: -1}
	if len(b) == 0 {
		return all
	}
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

// checkbox parses [ ] and [x] after a bullet: nothing else makes a task.
func (r *reader) checkbox() {
	b := r.b[r.body:r.own]
	if len(b) < 3 || b[0] != '[' || b[2] != ']' || len(b) > 3 && !isBlank(b[3:4]) {
		return
	}
	switch b[1] {
	case ' ':
		r.task = OpenTask
	case 'x', 'X':
		r.task = DoneTask
	default:
		return
	}
	r.body = r.blanks(r.body+3, r.own)
}

// readLead moves body past the marks at the start. An unknown bracket begins the words, but tags after it still count.
func (r *reader) readLead(i int) {
	words := false
	for i < r.tail {
		next, strip := r.lead(i)
		if next <= i {
			return
		}
		if strip {
			next = r.joiner(next)
		}
		words = words || !strip
		i = r.blanks(next, r.tail)
		if !words {
			r.body = i
		}
	}
}

// lead parses the mark at i, an emoji before it included, and returns the offset after it, or i if there is none; strip
// reports that it is not part of the words.
func (r *reader) lead(i int) (next int, strip bool) {
	j := i
	for j < r.tail {
		c, size := utf8.DecodeRune(r.b[j:r.tail])
		if !(c > 0x2000 && unicode.IsSymbol(c)) && c != '\ufe0f' && c != '\u200d' {
			break
		}
		j += size
	}
	if j == i {
		return r.mark(i)
	}
	after := r.blanks(j, r.tail)
	if after == j || after == r.tail {
		return i, false
	}
	if next, strip = r.mark(after); next == after || !strip {
		return i, false
	}
	return next, true
}

// mark parses a mark, in emphasis or not: [decision], **[decision]**, `[decision]`, **14:30**, **Decision:**. Where the emphasis
// goes on behind it, all of it is part of the words.
func (r *reader) mark(i int) (next int, strip bool) {
	b := r.b[:r.tail]
	c := b[i]
	if c != '*' && c != '_' && c != '`' {
		return r.plain(i, false)
	}
	n := 1
	for i+n < len(b) && b[i+n] == c {
		n++
	}
	if i+n == len(b) {
		return i, false
	}
	next, strip = r.plain(i+n, true)
	if next == i+n || !strip {
		return i, false
	}
	if next < len(b) && b[next] == ':' {
		next++
	}
	if rest, ok := bytes.CutPrefix(b[next:], b[i:i+n]); ok {
		return len(b) - len(rest), true
	}
	return next, bytes.HasSuffix(b[:next], []byte(":")) && bytes.HasSuffix(b[:next-1], b[i:i+n]) // **Decision**:
}

// plain parses a mark without emphasis of its own. One in emphasis is wrapped.
func (r *reader) plain(i int, wrapped bool) (next int, strip bool) {
	switch c := r.b[i]; {
	case c == '[' || c == '(':
		return r.bracket(i)
	case c == '#':
		if n := r.hashtag(i); n > 0 {
			return i + n, true
		}
		return i, false
	}
	if next, strip = r.stampLead(i, wrapped); next > i {
		return next, strip
	}
	return r.label(i, wrapped), true
}

// stampLead parses a timestamp without brackets. It is part of the words unless a dash, a colon or another mark sets it off.
func (r *reader) stampLead(i int, wrapped bool) (int, bool) {
	s := stampAt(r.b[i:r.tail])
	if s.size == 0 {
		return i, false
	}
	end := i + s.size
	r.stamp(s)
	after := r.blanks(end, r.tail)
	setOff := wrapped || s.day != 0 && s.minute >= 0 || after == r.tail || r.joiner(end) > end
	return end, setOff || bytes.IndexByte([]byte("[(*`#"), r.b[after]) >= 0
}

// label parses a tag as a label, "Decision: " or, in emphasis, "Decision**: ", and returns the offset after it, or i. "Human:"
// and "Identity:" are no tags: they name who speaks, or a field of a record.
func (r *reader) label(i int, wrapped bool) int {
	b := r.b[i:r.tail]
	for k, tag := range r.list {
		n := len(tag)
		if k >= 64 || tag == "human" || tag == "identity" || len(b) <= n || !bytes.EqualFold(b[:n], []byte(tag)) {
			continue
		}
		for wrapped && n < len(b) && (b[n] == '*' || b[n] == '_') {
			n++
		}
		if rest, ok := bytes.CutPrefix(b[n:], []byte(":")); ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n*_"), rest[0]) >= 0) {
			r.tags |= 1 << k
			return i + n + 1
		}
	}
	return i
}

// hashtag parses #lesson at i and returns its length, 0 if it is no tag.
func (r *reader) hashtag(i int) int {
	b := r.b[i:r.own]
	n := 1
	for n < len(b) && n < maxMark && (isWord(b[n]) || b[n] == '-') {
		n++
	}
	if n < len(b) && b[n] == ':' && n+1 < len(b) && !isBlank(b[n+1:n+2]) {
		return 0
	}
	if !r.readTags(b[1:n]) {
		return 0
	}
	return n + b2i(n < len(b) && b[n] == ':')
}

// bracket parses [decision], [14:30], (2026-11-15) and the like.
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
	return end, false
}

// inner parses the content of a bracket: tags in square ones, a stamp in any.
func (r *reader) inner(in []byte, open byte) bool {
	if open == '[' && r.readTags(in) {
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
}

// joiner returns the offset after the dash, colon or bar that separates marks from the words, or i if there is none.
func (r *reader) joiner(i int) int {
	b := r.b[:r.tail]
	j := r.blanks(i, len(b))
	if bytes.HasPrefix(b[j:], []byte("：")) {
		return j + len("：")
	}
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

// readTail moves tail before the marks at the end of an entry's own text: comments, tags, (2026-11-15).
// Hashtags other than #pinned stay among the words, but marks before them still count. It reads nothing before from.
func (r *reader) readTail(from int) {
	end := from + len(bytes.TrimRight(r.b[from:r.own], " \t\r\n"))
	r.tail = end
	words := false
	for end > from {
		next, strip := r.trail(from, end)
		if next >= end {
			return
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
	case c == ']' || c == ')' || c == '`' && bytes.HasSuffix(b, []byte("]`")):
		if n := r.shut(b); n > 0 {
			return end - n, true
		}
	}
	low := max(0, len(b)-maxMark)
	if i := low + bytes.LastIndexAny(b[low:], " \t\n"); i >= low && i+1 < len(b) && b[i+1] == '#' {
		if n := r.hashtag(from + i + 1); n == len(b)-i-1 {
			return from + i + 1, true
		}
		return from + i + 1, string(b[i+1:]) == pinned
	}
	return end, false
}

// shut returns the length of the bracket with a mark that b ends with, in backquotes or not.
func (r *reader) shut(b []byte) int {
	in := bytes.TrimSuffix(b, []byte("`"))
	open := byte('[')
	if in[len(in)-1] == ')' {
		open = '('
	}
	low := max(0, len(in)-maxMark)
	i := bytes.LastIndexByte(in[low:], open)
	if i < 0 || low+i > 0 && in[low+i-1] == '[' {
		return 0
	}
	i += low
	quote := len(b) - len(in)
	if quote > 0 && (i == 0 || in[i-1] != '`') || !r.inner(in[i+1:len(in)-1], open) {
		return 0
	}
	return len(b) - i + quote
}

// leadsWithTag reports whether a line begins with a tag, possibly after a time or an emoji.
func leadsWithTag(line []byte, tags []string) bool {
	r := reader{b: line, list: tags}
	_, i := indent(line)
	r.own = len(line)
	r.tail = len(chomp(line))
	r.body = i
	r.readLead(i)
	return r.tags != 0
}

// startsWithTime reports whether a line begins with a time of day.
func startsWithTime(line []byte) bool {
	_, i := indent(line)
	for i < len(line) && i < maxMark && (line[i] == '*' || line[i] == '[' || line[i] == '`') {
		i++
	}
	_, n := clockAt(line[i:])
	return n > 0
}
