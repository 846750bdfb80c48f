package curator

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"tend/internal/text/note"
)

// A quote only points at a passage: what is written is the passage itself, in whole lines, so that nothing can be changed,
// and no condition or negation be cut off, by quoting. Of a long line whole sentences are taken.
const (
	shortLine = 280 // characters: such a line is taken whole
	tailLine  = 80  // so short a sentence after the quoted ones goes with them: it may limit them
	fewest    = 8   // letters of a quote that is not the whole entry; a character of a script without blanks counts as three
)

// passage finds a quote in a text and returns the whole lines or sentences that it stands in; ok is false if the text does
// not have it.
func passage(text, quote string) (string, bool) {
	var rows []row
	at := 0
	for l := range strings.SplitSeq(text, "\n") {
		rows = append(rows, row{l, at, at + len(l)})
		at += len(l) + 1
	}
	from, to, ok := locate(text, quote)
	if !ok {
		return "", false
	}
	first, last := -1, 0
	for i, r := range rows {
		if r.end > from && r.start < to {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return "", false
	}
	first, last = whole(rows, first, last)
	out := above(rows, first)
	if long := utf8.RuneCountInString(rows[first].text) > shortLine; !long || opens(rows[last].text) {
		last = nestedBelow(rows, last)
	}
	if first == last && utf8.RuneCountInString(rows[first].text) > shortLine {
		line := rows[first].text
		part := sentences(line, from-rows[first].start, to-rows[first].start)
		if len(out) > 0 && !strings.HasPrefix(strings.TrimLeft(line, " \t"), part) {
			depth, _ := indentOf(line)
			part = line[:depth] + "- " + part
		}
		return strings.Join(append(out, part), "\n"), true
	}
	for _, r := range rows[first : last+1] {
		out = append(out, r.text)
	}
	return strings.TrimRight(strings.Join(out, "\n"), " \t\n"), true
}

// nestedBelow returns the last row of what is nested below a row: it says more of the same. Below a line of text that ends with
// a colon that is all that follows.
func nestedBelow(rows []row, at int) int {
	depth, bullet := indentOf(rows[at].text)
	for last := at; last+1 < len(rows); last++ {
		d, _ := indentOf(rows[last+1].text)
		if strings.TrimSpace(rows[last+1].text) != "" && d <= depth && (bullet || !opens(rows[at].text) || depth > 0) {
			return last
		}
	}
	return len(rows) - 1
}

// whole extends a run of rows to whole statements: a table or code block, and lines that were only wrapped.
func whole(rows []row, first, last int) (int, int) {
	for first > 0 && goesOn(rows, first) {
		first--
	}
	for last+1 < len(rows) && goesOn(rows, last+1) {
		last++
	}
	return first, last
}

// goesOn reports whether a row belongs to the statement of the row above it.
func goesOn(rows []row, i int) bool {
	text, before := strings.TrimSpace(rows[i].text), strings.TrimSpace(rows[i-1].text)
	switch {
	case inFence(rows, i):
		return true
	case text == "" || before == "" || marker(text) > 0:
		return false
	case strings.HasPrefix(text, "|") || strings.HasPrefix(before, "|"):
		return strings.HasPrefix(text, "|") && strings.HasPrefix(before, "|")
	}
	for j := i - 1; j >= 0 && strings.TrimSpace(rows[j].text) != ""; j-- {
		if marker(strings.TrimSpace(rows[j].text)) > 0 {
			return true // a wrapped bullet
		}
	}
	begins, _ := utf8.DecodeRuneInString(text)
	ends, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsLower(begins) || strings.ContainsRune(",;，、；", ends)
}

// inFence reports whether a row stands in a code block, its last line included.
func inFence(rows []row, i int) bool {
	open := false
	for _, r := range rows[:i] {
		if text := strings.TrimSpace(r.text); strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") {
			open = !open
		}
	}
	return open
}

// above lists the bullets that a nested one stands below: "use Redis" says something else below "What we do not do". The
// first line of an entry that is only a label is not among them; it becomes the subject of what is written.
func above(rows []row, first int) []string {
	depth, bullet := indentOf(rows[first].text)
	if !bullet {
		return nil
	}
	var out []string
	for i := first - 1; i >= 0 && depth > 0; i-- {
		d, bullet := indentOf(rows[i].text)
		if !bullet || d >= depth {
			continue
		}
		depth = d
		if i == 0 && labelled(rows[i].text) {
			break
		}
		_, end := whole(rows, i, i)
		var lines []string
		for _, r := range rows[i : min(end, first-1)+1] {
			lines = append(lines, r.text)
		}
		out = append(lines, out...)
	}
	return out
}

// labelled reports a line that is only a label.
func labelled(line string) bool {
	b := note.Parse([]byte(line + "\n")).Blocks(0)
	return len(b) == 1 && b[0].Label != "" && opens(line)
}

type row struct {
	text       string
	start, end int
}

// opens reports a line that ends with a colon.
func opens(line string) bool {
	line = strings.TrimRight(line, "*_ \t")
	return strings.HasSuffix(line, ":") || strings.HasSuffix(line, "：")
}

// locate finds a quote in a text by its letters and digits alone, and returns the extent of what it stands for. An ellipsis
// joins pieces that follow each other.
func locate(text, quote string) (from, to int, ok bool) {
	letters, where := folded(text)
	pieces := strings.FieldsFunc(strings.ReplaceAll(quote, "...", "…"), func(r rune) bool { return r == '…' })
	weight, at := 0, 0
	from = -1
	for _, p := range pieces {
		want, _ := folded(p)
		if want == "" {
			continue
		}
		weight += weigh(want)
		i := strings.Index(letters[at:], want)
		if i < 0 {
			return 0, 0, false
		}
		if from < 0 {
			from = where[at+i]
		}
		at += i + len(want)
		to = where[at-1] + 1
	}
	if from < 0 || weight < fewest && weight < weigh(letters) {
		return 0, 0, false
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return from, to, true
}

// weigh counts letters; one of a script without blanks says as much as three.
func weigh(letters string) int {
	n := 0
	for _, r := range letters {
		if n++; r >= 0x2e80 {
			n += 2
		}
	}
	return n
}

// folded returns the letters, digits and symbols of a text in one spelling, and where each byte of them stands in it.
func folded(text string) (string, []int) {
	var b strings.Builder
	var where []int
	for i, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && (r < 0x80 || !unicode.IsSymbol(r)) {
			continue
		}
		form := strings.ToLower(string(r))
		if r >= 0x80 {
			form = strings.ToLower(norm.NFKC.String(string(r)))
		}
		b.WriteString(form)
		for range len(form) {
			where = append(where, i)
		}
	}
	return b.String(), where
}

// sentences returns the sentences of a line that a part of it stands in, with short ones that follow.
func sentences(line string, from, to int) string {
	start, end := 0, len(line)
	var ends []int
	for i, r := range line {
		next := i + utf8.RuneLen(r)
		after, _ := utf8.DecodeRuneInString(line[next:])
		stop := strings.ContainsRune(".!?", r) && (next == len(line) || after == ' ') && !abbreviated(line[:i])
		if stop || strings.ContainsRune("。！？", r) {
			ends = append(ends, next)
		}
	}
	for _, e := range ends {
		if e <= from {
			start = e
		}
	}
	for i, e := range ends {
		if e < to {
			continue
		}
		end = e
		for _, more := range append(ends[i+1:], len(line)) {
			if utf8.RuneCountInString(line[end:more]) > tailLine {
				break
			}
			end = more
		}
		break
	}
	return strings.TrimSpace(line[start:end])
}

// abbreviated reports whether a full stop after a text belongs to a number or a short form such as "e.g".
func abbreviated(before string) bool {
	i := strings.LastIndexAny(before, " (")
	word := before[i+1:]
	return utf8.RuneCountInString(word) < 2 || strings.ContainsRune(word, '.') && len(word) < 5
}
