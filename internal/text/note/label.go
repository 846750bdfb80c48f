package note

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// labels are other words for the tags, as agents write them before a thought: "Decided:", "**Lektion:**".
var labels = map[string]string{
	"decided": "decision", "entscheidung": "decision", "entschieden": "decision", "beschluss": "decision",
	"décision": "decision", "decisión": "decision", "決定": "decision",
	"learned": "lesson", "learning": "lesson", "lesson learned": "lesson", "lektion": "lesson",
	"gelernt": "lesson", "leçon": "lesson", "lección": "lesson", "教訓": "lesson",
	"überraschung": "surprise", "sorpresa": "surprise",
	"mensch": "human", "humain": "human", "humano": "human",
	"rule": "decision", "regel": "decision", "règle": "decision", "regla": "decision", "preference": "human", "pref": "human",
	"identität": "identity", "identité": "identity", "identidad": "identity",
}

// titles are headings that give every entry below them a tag.
var titles = map[string]string{
	"decisions": "decision", "entscheidungen": "decision", "décisions": "decision", "decisiones": "decision", "lessons": "lesson",
	"lessons learned": "lesson", "lektionen": "lesson", "leçons": "lesson", "lecciones": "lesson", "surprises": "surprise",
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
	for i < len(line) && (line[i] == '*' || line[i] == '[' || line[i] == '`') {
		i++
	}
	_, n := clockAt(line[i:])
	return n > 0
}

// labelled returns the set of tags that a word names, 0 for none.
func (r *reader) labelled(w []byte) uint64 {
	low := strings.ToLower(string(bytes.TrimSpace(w)))
	if tag, ok := labels[low]; ok {
		low = tag
	}
	for i, tag := range r.list {
		if i < 64 && low == tag {
			return 1 << i
		}
	}
	return 0
}

// label parses "Decision: " before the words, and "Lesson (small): ". It returns the offset after it, or i.
func (r *reader) label(i int) int {
	b := r.b[:r.tail]
	end := i
	for end < len(b) && end-i < maxMark && b[end] != ':' && b[end] != '\n' && b[end] != '*' && b[end] != '_' {
		end++
	}
	if end == len(b) || b[end] != ':' || end+1 < len(b) && b[end+1] != ' ' && b[end+1] != '\n' && b[end+1] != '\r' {
		return i
	}
	word := b[i:end]
	if open := bytes.IndexByte(word, '('); open > 0 && bytes.HasSuffix(bytes.TrimSpace(word), []byte(")")) {
		word = word[:open]
	}
	set := r.labelled(word)
	if set == 0 {
		return i
	}
	r.tags |= set
	return end + 1
}

// boldLabel parses "**Decision:** ", "**Decision**: " and "**Lesson** (small): " at i, opened by n marks of emphasis.
func (r *reader) boldLabel(i, n int) int {
	b := r.b[:r.tail]
	open := b[i : i+n]
	shut := bytes.Index(b[i+n:min(len(b), i+n+maxMark)], open)
	if shut <= 0 {
		return i
	}
	end := i + n + shut + n
	word := bytes.TrimSpace(b[i+n : i+n+shut])
	colon := bytes.HasSuffix(word, []byte(":"))
	word = bytes.TrimSuffix(word, []byte(":"))
	if set := r.labelled(word); set != 0 {
		after := end
		if rest := bytes.TrimLeft(b[after:], " "); bytes.HasPrefix(rest, []byte("(")) {
			if k := bytes.IndexByte(rest[:min(len(rest), maxMark)], ')'); k > 0 && k+1 < len(rest) && rest[k+1] == ':' {
				after = len(b) - len(rest) + k + 1
			}
		}
		if after < len(b) && b[after] == ':' {
			after, colon = after+1, true
		}
		if colon || after < len(b) && (b[after] == ' ' || r.joiner(after) > after) {
			r.tags |= set
			return after
		}
	}
	return i
}

// hashtag parses #lesson at i and returns its length.
func (r *reader) hashtag(i int) int {
	b := r.b[i:r.own]
	n := 1
	for n < len(b) && (b[n]|0x20 >= 'a' && b[n]|0x20 <= 'z') {
		n++
	}
	if n < len(b) && (isWord(b[n]) || b[n] == '-' || b[n] == ':' && n+1 < len(b) && b[n+1] != ' ') {
		return 0
	}
	name := b[1:n]
	if tag, ok := labels[strings.ToLower(string(name))]; ok {
		name = []byte(tag)
	}
	for k, tag := range r.list {
		if k < 64 && bytes.EqualFold(name, []byte(tag)) {
			r.tags |= 1 << k
			if n < len(b) && b[n] == ':' {
				n++
			}
			return n
		}
	}
	return 0
}

// symbol parses an emoji before another mark, and returns its length with the spaces after it.
func (r *reader) symbol(i int) int {
	b := r.b[i:r.tail]
	n := 0
	for n < len(b) {
		c, size := utf8.DecodeRune(b[n:])
		if !(c > 0x2000 && unicode.IsSymbol(c)) && c != '\ufe0f' && c != '\u200d' && !(c >= 0x1f3fb && c <= 0x1f3ff) {
			break
		}
		n += size
	}
	if n == 0 {
		return 0
	}
	after := r.blanks(i+n, r.tail)
	if after == i+n || !r.markAt(after) {
		return 0
	}
	return after - i
}

// markAt reports whether a tag, a label or a stamp begins at i.
func (r *reader) markAt(i int) bool {
	if i >= r.tail {
		return false
	}
	probe := *r
	probe.tags = 0
	next, strip := probe.lead(i, false)
	return next > i && strip && (probe.tags != 0 || probe.stamped)
}

// rangeEnd returns the end of the second time of a range such as 10:00–10:50 whose first time ends at i, or i.
func (r *reader) rangeEnd(i int) int {
	b := r.b[:r.tail]
	j := r.blanks(i, len(b))
	for _, dash := range [...]string{"–", "—", "-", "to ", "bis "} {
		if !bytes.HasPrefix(b[j:], []byte(dash)) {
			continue
		}
		k := r.blanks(j+len(dash), len(b))
		if _, n := clockAt(b[k:]); n > 0 {
			end := k + n
			if end == len(b) || b[end] == ' ' || b[end] == ':' || b[end] == ']' || b[end] == ')' || b[end] == '*' {
				return end
			}
		}
	}
	return i
}

// readInner finds tags among the words: "… [decision] …", "… #lesson …". They are not part of the words.
func (r *reader) readInner() {
	b := r.b
	for i := r.body; i < r.tail; i++ {
		switch {
		case b[i] == '`' && !r.quotedTag(i):
			if n := bytes.IndexByte(b[i+1:r.tail], '`'); n >= 0 {
				i += n + 1
			}
		case b[i] == '[':
			n := bytes.IndexByte(b[i:min(r.tail, i+maxMark)], ']')
			if n < 0 || i > r.body && b[i-1] == '[' {
				continue
			}
			end := i + n + 1
			if end < len(b) && (b[end] == '(' || b[end] == ']') || !r.readTags(b[i+1:end-1]) {
				continue
			}
			from, to := r.emphasis(i, end)
			r.span(from, to)
			i = to - 1
		case b[i] == '#' && (i == r.body || b[i-1] == ' ' || b[i-1] == '\n'):
			if n := r.hashtag(i); n > 0 {
				r.span(i, i+n)
				i += n - 1
			}
		}
	}
}

// quotedTag reports whether there is a tag in backquotes at i.
func (r *reader) quotedTag(i int) bool {
	return i+1 < r.tail && r.b[i+1] == '['
}

// emphasis extends a range to the stars and quotes around it, and to a colon after them.
func (r *reader) emphasis(from, to int) (int, int) {
	for from > r.body && to < r.tail && r.b[from-1] == r.b[to] && (r.b[to] == '*' || r.b[to] == '_' || r.b[to] == '`') {
		from, to = from-1, to+1
	}
	if to < r.tail && r.b[to] == ':' {
		to++
	}
	return from, to
}

// UnreadTags returns the lines with a tag that are not an entry: a heading with nothing below it, a comment.
func (d *Doc) UnreadTags() []int {
	var out []int
	section, title := -1, 0
	flush := func() {
		if title > 0 {
			out = append(out, title)
		}
		title = 0
	}
	for _, b := range d.Parts {
		switch {
		case b.Kind == Heading:
			flush()
			if section++; d.Sections[section].tags != 0 && !d.Sections[section].list {
				title = b.Line
			}
		case b.IsEntry() || b.Kind == Table:
			title = 0
		case b.Kind == Comment:
			r := reader{b: d.Raw(b), list: d.tagList()}
			r.own, r.tail = len(r.b), len(r.b)
			if r.readInner(); r.tags != 0 {
				out = append(out, b.Line)
			}
		}
	}
	flush()
	return out
}
