package recall

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Pattern is an exact text to find, or an expression.
type Pattern struct {
	Text       string
	Regexp     bool // Text is an RE2 expression; ^ and $ match at lines
	IgnoreCase bool
	Words      bool // only whole words
}

// Line is a line of a file that matches a pattern.
type Line struct {
	Path    string
	Number  int
	Text    string // without its line ending; … marks a cut in a very long line
	Matches []Span
}

// longLine is how many bytes of a line are shown.
const longLine = 400

// Grep finds the lines of texts that match, in the order given; with a limit above 0 no more than that many, and more
// says that there were. Each line is given once, however often it matches; a match over several lines is given at its first.
func Grep(p Pattern, limit int, texts iter.Seq2[string, string]) (lines []Line, more bool, err error) {
	find, err := p.compile()
	if err != nil {
		return nil, false, err
	}
	for path, text := range texts {
		for _, l := range grepText(path, text, find) {
			if limit > 0 && len(lines) == limit {
				return lines, true, nil
			}
			lines = append(lines, l)
		}
	}
	return lines, false, nil
}

// compile gives a function that finds all matches of a text.
func (p Pattern) compile() (func(text string) [][]int, error) {
	if p.Text == "" {
		return nil, fmt.Errorf("search text: nothing to search for")
	}
	if !p.Regexp && !p.IgnoreCase && !p.Words {
		return func(text string) [][]int { return literal(text, p.Text) }, nil
	}
	expr := p.Text
	if !p.Regexp {
		expr = regexp.QuoteMeta(expr)
	}
	flags := "m"
	if p.IgnoreCase {
		flags += "i"
	}
	re, err := regexp.Compile("(?" + flags + ":" + expr + ")")
	if err != nil {
		return nil, fmt.Errorf("read expression %q: %w; search without -e to find it as it stands", p.Text, err)
	}
	return func(text string) [][]int {
		found := re.FindAllStringIndex(text, -1)
		return slices.DeleteFunc(found, func(m []int) bool {
			return m[0] == m[1] || p.Words && !wholeWords(text, m[0], m[1])
		})
	}, nil
}

func literal(text, want string) [][]int {
	var out [][]int
	for at := 0; ; {
		i := strings.Index(text[at:], want)
		if i < 0 {
			return out
		}
		out = append(out, []int{at + i, at + i + len(want)})
		at += i + len(want)
	}
}

func wholeWords(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return !(start > 0 && wordRune(before)) && !(end < len(text) && wordRune(after))
}

func grepText(path, text string, find func(string) [][]int) []Line {
	var out []Line
	number, lineStart := 1, 0 // of the line last looked at
	for _, m := range find(text) {
		number += strings.Count(text[lineStart:m[0]], "\n")
		if i := strings.LastIndexByte(text[lineStart:m[0]], '\n'); i >= 0 {
			lineStart += i + 1
		}
		lineEnd := len(text)
		if i := strings.IndexByte(text[m[0]:], '\n'); i >= 0 {
			lineEnd = m[0] + i
		}
		match := Span{m[0] - lineStart, min(m[1], lineEnd) - lineStart}
		if n := len(out); n > 0 && out[n-1].Number == number {
			out[n-1].Matches = append(out[n-1].Matches, match)
			continue
		}
		out = append(out, Line{Path: path, Number: number, Text: strings.TrimSuffix(text[lineStart:lineEnd], "\r"), Matches: []Span{match}})
	}
	for i := range out {
		out[i].shorten()
	}
	return out
}

// shorten cuts a very long line around its first match.
func (l *Line) shorten() {
	if len(l.Text) <= longLine {
		return
	}
	first := l.Matches[0]
	from := max(min(first.Start-longLine/4, len(l.Text)-longLine), 0)
	to := min(max(from+longLine, first.End), len(l.Text))
	for from > 0 && !utf8.RuneStart(l.Text[from]) {
		from--
	}
	for to < len(l.Text) && !utf8.RuneStart(l.Text[to]) {
		to++
	}
	head, tail := "", ""
	if from > 0 {
		head = "…"
	}
	if to < len(l.Text) {
		tail = "…"
	}
	kept := l.Matches[:0]
	for _, m := range l.Matches {
		if m.Start >= from && m.End <= to {
			kept = append(kept, Span{m.Start - from + len(head), m.End - from + len(head)})
		}
	}
	l.Text, l.Matches = head+l.Text[from:to]+tail, kept
}
