package web

import (
	"slices"
	"strings"
	"unicode"
)

// span is a part of a line: changed words are marked.
type span struct {
	Text    string
	Changed bool
}

// mostWords is the length up to which two lines are compared word by word.
const mostWords = 400

// Before and After are a change's lines side by side, with the words marked that differ between lines in the same place.
func (h hunk) Before() [][]span { return marked(h.Removed, h.Added) }

// After is the other side.
func (h hunk) After() [][]span { return marked(h.Added, h.Removed) }

// marked marks in each line the words that the other side's line does not have. A line without a counterpart is new as a
// whole, and so is one that has next to nothing in common with it.
func marked(lines, others []string) [][]span {
	out := make([][]span, len(lines))
	for i, line := range lines {
		out[i] = []span{{line, true}}
		if i >= len(others) || line == "" {
			continue
		}
		mine, theirs := tokens(line), tokens(others[i])
		if len(mine) > mostWords || len(theirs) > mostWords {
			continue
		}
		if list, same := compared(mine, theirs); 3*same >= len(line) {
			out[i] = list
		}
	}
	return out
}

// tokens splits a line into words and what is between them. Scripts without blanks are compared letter by letter.
func tokens(line string) (list []string) {
	kind := func(r rune) int {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			return 0
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	last := -1
	for _, r := range line {
		k := kind(r)
		if k == last && k != 0 {
			list[len(list)-1] += string(r)
		} else {
			list = append(list, string(r))
		}
		last = k
	}
	return list
}

// compared marks the tokens that are not in the longest common subsequence. same is how many bytes are.
func compared(mine, theirs []string) (list []span, same int) {
	width := len(theirs) + 1
	longest := make([]int, (len(mine)+1)*width)
	for i, a := range slices.Backward(mine) {
		for j, b := range slices.Backward(theirs) {
			if a == b {
				longest[i*width+j] = longest[(i+1)*width+j+1] + len(a)
			} else {
				longest[i*width+j] = max(longest[(i+1)*width+j], longest[i*width+j+1])
			}
		}
	}
	add := func(text string, changed bool) {
		if n := len(list); n > 0 && list[n-1].Changed == changed {
			list[n-1].Text += text
		} else {
			list = append(list, span{text, changed})
		}
	}
	j := 0
	for i, a := range mine {
		for j < len(theirs) && a != theirs[j] && longest[i*width+j] == longest[i*width+j+1] {
			j++
		}
		common := j < len(theirs) && a == theirs[j]
		add(a, !common && strings.TrimSpace(a) != "")
		if common {
			j, same = j+1, same+len(a)
		}
	}
	return list, same
}

// sideOf is one side of a change, for its template.
type sideOf struct {
	Class string
	Lines [][]span
}

// changeOf is a hunk with what its sides are called, for its template.
type changeOf struct {
	Was, Is string
	Hunk    any
}
