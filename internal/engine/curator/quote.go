package curator

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"tend/internal/text/note"
	"tend/internal/text/referee"
)

// A quote only points at a passage: what is written is the passage itself, in whole lines, so that nothing can be changed,
// and no condition or negation be cut off, by quoting. Of a long line whole sentences are taken.
const (
	shortLine = 280 // characters: such a line is taken whole
	tailLine  = 80  // so short a sentence before or after the quoted ones goes with them: it may limit them
	fewest    = 8   // letters of a quote that is not the whole entry; a character of a script without blanks counts as three
	fewestOne = 5   // letters of one that its entry has only once
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
	return unicode.IsLower(begins) || Continues(textOf(rows[:i]), text)
}

// textOf joins rows.
func textOf(rows []row) string {
	var lines []string
	for _, r := range rows {
		lines = append(lines, r.text)
	}
	return strings.Join(lines, "\n")
}

// Continues reports whether a line of text must stay with the line above it: that one has no end, this one no beginning of its
// own, such as a label or a time, and the first rules something out. A quotation stays whole, and so does what stands below a
// line as a list without being one.
func Continues(before, text string) bool {
	last := before[strings.LastIndexByte(strings.TrimRight(before, "\r\n"), '\n')+1:]
	text, quote := strings.CutPrefix(strings.TrimLeft(text, " \t"), ">")
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	begins, _ := utf8.DecodeRuneInString(first)
	ends, _ := utf8.DecodeLastRuneInString(strings.TrimRight(last, " \t\r\n*_\"”»」』)）"))
	switch {
	case quote && strings.HasPrefix(strings.TrimLeft(last, " \t"), ">"), strings.ContainsRune("•·▪◦‣・–—:", begins):
		return true
	case strings.ContainsRune(",;，、；", ends):
		return true
	case strings.ContainsRune(".!?…。！？؟।", ends), !unicode.IsLetter(begins), strings.ContainsAny(first, ":："), marksHeading(last):
		return false
	}
	return referee.Unfinished(last) || referee.Limits(before) > 0
}

// Leads reports a text whose lines before a list lead into it: "We do not" and then what.
func Leads(text string) bool {
	var head []string
	for line := range strings.SplitSeq(text, "\n") {
		if marker(strings.TrimLeft(line, " \t")) > 0 {
			break
		}
		head = append(head, line)
	}
	return len(head) > 0 && Continues(strings.Join(head, "\n"), "a")
}

// marksHeading reports a line that stands for itself: all of it is stressed, it ends with a colon, or it is no text.
func marksHeading(last string) bool {
	last = strings.TrimSpace(last)
	if markup(last) || strings.HasSuffix(last, "|") {
		return true // code or a table ends there
	}
	return opens(last) || strings.HasPrefix(last, "**") && strings.HasSuffix(last, "**")
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
	if text := textOf(rows[:first]); Leads(text) {
		for _, r := range rows[:first] {
			if marker(strings.TrimLeft(r.text, " \t")) > 0 {
				break
			}
			out = append(out, r.text)
		}
	}
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
	weight, at, last := 0, 0, ""
	from = -1
	for _, p := range pieces {
		want, _ := folded(p)
		if want == "" {
			continue
		}
		weight, last = weight+weigh(want), want
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
	if from >= 0 && weight < fewest && weight < weigh(letters) && (weight < fewestOne || strings.Count(letters, last) > 1) {
		return 0, 0, false
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return from, to, from >= 0
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
	var it norm.Iter
	for it.InitString(norm.NFKC, text); !it.Done(); {
		at := it.Pos()
		for _, r := range string(it.Next()) {
			if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && (r < 0x80 || !unicode.IsSymbol(r)) {
				continue
			}
			form := strings.ToLower(string(r))
			b.WriteString(form)
			for range len(form) {
				where = append(where, at)
			}
		}
	}
	return b.String(), where
}

// sentences returns the sentences of a line that a part of it stands in, with those around them that may limit them: a short
// one before, and after them short ones and those with a negation or a condition.
func sentences(line string, from, to int) string {
	cuts := []int{0}
	for i, r := range line {
		next := i + utf8.RuneLen(r)
		after, _ := utf8.DecodeRuneInString(line[next:])
		stop := strings.ContainsRune(".!?؟।", r) && (next == len(line) || after == ' ') && !abbreviated(line[:i])
		if stop || strings.ContainsRune("。！？", r) {
			cuts = append(cuts, next)
		}
	}
	if cuts = append(cuts, len(line)); len(cuts) < 3 {
		return strings.TrimSpace(line)
	}
	short := func(i int) bool { return utf8.RuneCountInString(line[cuts[i]:cuts[i+1]]) <= tailLine }
	first, last := 0, 0
	for i, c := range cuts[:len(cuts)-1] {
		if c <= from {
			first = i
		}
		if c < to {
			last = i
		}
	}
	if first > 0 && short(first-1) {
		first--
	}
	for last+2 < len(cuts) && (short(last+1) || referee.Limits(line[cuts[last+1]:cuts[last+2]]) > 0) {
		last++
	}
	return strings.TrimSpace(line[cuts[first]:cuts[last+1]])
}

// abbreviated reports whether a full stop after a text belongs to a number or a short form such as "e.g".
func abbreviated(before string) bool {
	i := strings.LastIndexAny(before, " (")
	word := before[i+1:]
	return utf8.RuneCountInString(word) < 2 || strings.ContainsRune(word, '.') && len(word) < 5
}
