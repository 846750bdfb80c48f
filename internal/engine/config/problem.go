package config

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Problem is one error in a file, with its place and a hint.
type Problem struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Col    int    `json:"col"`
	Text   string `json:"text"`
	Hint   string `json:"hint,omitempty"`
	Source string `json:"source,omitempty"` // the line of the file, passwords masked
}

// String formats the problem as compilers do, with the line and a caret below the place.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Col)
	}
	b.WriteString(": " + p.Text)
	if p.Source != "" {
		number := fmt.Sprintf("%5d", p.Line)
		fmt.Fprintf(&b, "\n%s | %s\n%s | %s^", number, p.Source, strings.Repeat(" ", len(number)), caretPad(p.Source, p.Col))
	}
	if p.Hint != "" {
		b.WriteString("\n      try: " + p.Hint)
	}
	return b.String()
}

// caretPad returns whitespace as wide as the columns before col, keeping tabs so that the caret lines up.
func caretPad(source string, col int) string {
	var b strings.Builder
	for i, r := range []rune(source) {
		if i >= col-1 {
			break
		}
		if r != '\t' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Error holds every problem of a file, in file order.
type Error struct {
	Problems []Problem
}

// shownProblems keeps errors readable when a generated file has the same mistake in every agent.
const shownProblems = 50

func (e *Error) Error() string {
	lines := make([]string, 0, len(e.Problems))
	for i, p := range e.Problems {
		if i == shownProblems {
			lines = append(lines, fmt.Sprintf("and %d more problems", len(e.Problems)-i))
			break
		}
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

// report collects the problems of one file.
type report struct {
	file     string
	text     string
	problems []Problem
	warnings []Problem
	lines    []int // offsets of line starts, made when first needed
}

func (r *report) errorf(at pos, hint, format string, args ...any) {
	r.problems = append(r.problems, r.problem(at, hint, fmt.Sprintf(format, args...)))
}

func (r *report) warnf(at pos, hint, format string, args ...any) {
	r.warnings = append(r.warnings, r.problem(at, hint, fmt.Sprintf(format, args...)))
}

func (r *report) problem(at pos, hint, text string) Problem {
	return Problem{File: r.file, Line: at.line, Col: at.col, Text: maskPasswords(text), Hint: hint, Source: r.sourceLine(at.line)}
}

var secretInAddress = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(://[^\s"'/:@]*):[^\s"']*@`) })

// maskPasswords returns a text without passwords in addresses: configuration errors end up in terminals, logs and alerts.
func maskPasswords(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	return secretInAddress().ReplaceAllString(text, "$1:***@")
}

// sourceLine returns the text of a line; long ones are cut. As in YAML, a carriage return alone ends a line, too.
func (r *report) sourceLine(line int) string {
	if r.lines == nil {
		r.lines = []int{0}
		for i := range len(r.text) {
			if r.text[i] == '\n' || r.text[i] == '\r' && !strings.HasPrefix(r.text[i+1:], "\n") {
				r.lines = append(r.lines, i+1)
			}
		}
	}
	if line < 1 || line > len(r.lines) {
		return ""
	}
	s := r.text[r.lines[line-1]:]
	if end := strings.IndexAny(s, "\r\n"); end >= 0 {
		s = s[:end]
	}
	s = maskPasswords(strings.TrimRight(s, " "))
	if runes := []rune(s); len(runes) > 160 {
		s = string(runes[:160]) + "…"
	}
	return s
}

// err returns nil if nothing was wrong.
func (r *report) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	sortProblems(r.problems)
	return &Error{Problems: r.problems}
}

func sortProblems(list []Problem) {
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
}
