package web

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/model/textfmt"
)

// diffLine is a line of a diff, with how it is drawn.
type diffLine struct{ Class, Text string }

// Limits of a diff on a page.
const diffLines, diffBytes, diffChars = 160, 12 << 10, 400

// added returns the new lines of a diff.
func added(unified string) string {
	var b strings.Builder
	for text := range strings.Lines(unified) {
		if line, ok := strings.CutPrefix(text, "+"); ok && !strings.HasPrefix(text, "+++ ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// diffOf prepares a unified diff for a page. more is the number of lines left out.
func diffOf(unified string) (list []diffLine, more int) {
	bytes := 0
	for text := range strings.Lines(unified) {
		text = strings.TrimRight(text, "\r\n")
		if len(list) >= diffLines || bytes > diffBytes {
			more++
			continue
		}
		l := diffLine{Text: textfmt.InLine(textfmt.Clip(text, diffChars))}
		switch {
		case strings.HasPrefix(text, "+++"), strings.HasPrefix(text, "---"):
			l.Class = "name"
		case strings.HasPrefix(text, "@@"):
			l.Class = "at"
		case strings.HasPrefix(text, "+"):
			l.Class = "add"
		case strings.HasPrefix(text, "-"):
			l.Class = "del"
		}
		bytes += len(l.Text)
		list = append(list, l)
	}
	return list, more
}

// hunk is one change between two texts.
type hunk struct {
	N       int
	Line    int // of the first text
	Removed []string
	Added   []string
	More    int // lines left out
}

// mostCompared is the largest size of texts that are compared line by line.
const mostCompared = 2 << 20

// edits returns the changes from one text to another; ok is false for texts that are too large to compare.
func edits(from, to string) (list []udiff.Edit, ok bool) {
	if len(from) > mostCompared || len(to) > mostCompared || strings.Count(from, "\n") > 20000 || strings.Count(to, "\n") > 20000 {
		return nil, false
	}
	return udiff.Lines(from, to), true
}

// hunkLines is how many lines of a change are shown.
const hunkLines = 8

// hunksOf prepares changes for a page. more is the number of changes left out.
func hunksOf(from string, list []udiff.Edit, most int) (out []hunk, more int) {
	for i, e := range list {
		if len(out) == most {
			return out, len(list) - most
		}
		h := hunk{N: i, Line: 1 + strings.Count(from[:e.Start], "\n")}
		var cutOld, cutNew int
		h.Removed, cutOld = few(from[e.Start:e.End])
		h.Added, cutNew = few(e.New)
		h.More = cutOld + cutNew
		out = append(out, h)
	}
	return out, 0
}

func few(text string) (list []string, more int) {
	for line := range strings.Lines(text) {
		if len(list) == hunkLines {
			more++
			continue
		}
		list = append(list, textfmt.InLine(textfmt.Clip(strings.TrimRight(line, "\r\n"), diffChars)))
	}
	return list, more
}

// apply applies one change to a text.
func apply(text string, e udiff.Edit) string { return text[:e.Start] + e.New + text[e.End:] }

// takeBack applies a change, found between an action's result and the text before it, to the file's present text. It
// fails if the changed place is ambiguous.
func takeBack(now, after string, e udiff.Edit) (string, bool) {
	if now == after {
		return apply(now, e), true
	}
	old := after[e.Start:e.End]
	// The surrounding lines locate it if the lines themselves do not.
	for n := 1; n <= mostAround; n++ {
		before, behind := linesBefore(after, e.Start, n), linesAfter(after, e.End, n)
		for _, around := range [][2]string{{before, behind}, {before, ""}, {"", behind}} {
			place := around[0] + old + around[1]
			if strings.TrimSpace(place) == "" || strings.Count(now, place) != 1 {
				continue
			}
			at := strings.Index(now, place) + len(around[0])
			return now[:at] + e.New + now[at+len(old):], true
		}
	}
	return "", false
}

// mostAround is how many surrounding lines are used to locate a change.
const mostAround = 6

func linesBefore(text string, end, n int) string {
	at := end
	for ; n > 0 && at > 0; n-- {
		at = strings.LastIndexByte(text[:at-1], '\n') + 1
	}
	return text[at:end]
}

func linesAfter(text string, start, n int) string {
	at := start
	for ; n > 0 && at < len(text); n-- {
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			at += i + 1
		} else {
			at = len(text)
		}
	}
	return text[start:at]
}
