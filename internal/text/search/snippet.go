package search

import (
	"strings"
	"unicode/utf8"
)

// Snippet is the part of an entry that shows why it was found.
type Snippet struct {
	Text    string // as the file has it now; … marks a cut
	Line    int    // of its first line in the file
	Matches []Span // bytes of Text that match the query, in order
}

// Span is a run of bytes, end exclusive.
type Span struct{ Start, End int }

// snippetLen is how many bytes a snippet shows, give or take a word.
const snippetLen = 240

// texts fetches each file of an answer once.
type texts struct {
	source Source
	files  map[string]*fileText
}

type fileText struct {
	lines   []string
	problem string // why it cannot be shown
}

// of is the text of a hit as the file has it now, or why it cannot be shown.
func (t *texts) of(h *Hit) (text, problem string) {
	f := t.files[h.Path]
	if f == nil {
		f = &fileText{}
		t.files[h.Path] = f
		body, err := t.source(h.Path)
		if err != nil {
			f.problem = "found, but cannot be shown: " + err.Error()
		}
		f.lines = strings.SplitAfter(body, "\n")
	}
	if f.problem == "" && (h.EndLine > len(f.lines) || h.Line < 1) {
		f.problem = "changed since it was indexed"
	}
	if f.problem != "" {
		return "", f.problem
	}
	return strings.Join(f.lines[h.Line-1:h.EndLine], ""), ""
}

// addSnippets cuts a snippet for every hit. What cannot be shown is a problem of the answer.
func (ix *Index) addSnippets(ans *Answer, pl *plan, texts *texts) {
	a := ix.analyzers.Get().(*analyzer)
	defer ix.analyzers.Put(a)
	told := map[string]bool{}
	show := func(h *Hit) {
		text, problem := texts.of(h)
		switch {
		case problem == "":
			h.Snippet = cut(a, h.lang, text, h.Line, pl.look)
		case !told[h.Path]:
			told[h.Path] = true
			ans.Problems = append(ans.Problems, Problem{h.Path, problem})
		}
	}
	for i := range ans.Hits {
		show(&ans.Hits[i])
		for j := range ans.Hits[i].Entries {
			show(&ans.Hits[i].Entries[j])
		}
	}
}

// cut takes the stretch of an entry that holds the most of what was looked for, at word boundaries.
func cut(a *analyzer, l lang, text string, line int, look map[string]float64) Snippet {
	text = strings.TrimRight(text, " \t\r\n")
	var found []Span
	var worth []float64
	a.each(l, text, func(t token) {
		w, ok := look[t.term]
		if !ok {
			return
		}
		if n := len(found); n > 0 && t.start < found[n-1].End {
			found[n-1].End = max(found[n-1].End, t.end)
			worth[n-1] = max(worth[n-1], w)
			return
		}
		found, worth = append(found, Span{t.start, t.end}), append(worth, w)
	})
	from, to := window(text, found, worth)
	s := Snippet{Text: text[from:to], Line: line + strings.Count(text[:from], "\n")}
	shift := -from
	if from > 0 {
		s.Text = "…" + s.Text
		shift += len("…")
	}
	if to < len(text) {
		s.Text += "…"
	}
	for _, f := range found {
		if f.Start >= from && f.End <= to {
			s.Matches = append(s.Matches, Span{f.Start + shift, f.End + shift})
		}
	}
	return s
}

// window chooses the bytes to show.
func window(text string, found []Span, worth []float64) (from, to int) {
	if len(text) <= snippetLen {
		return 0, len(text)
	}
	first, last, best := 0, 0, -1.0
	for i := range found {
		sum := 0.0
		j := i
		for ; j < len(found) && found[j].End-found[i].Start <= snippetLen; j++ {
			sum += worth[j]
		}
		if sum > best && j > i {
			first, last, best = found[i].Start, found[j-1].End, sum
		}
	}
	// Some text before the first match, the rest behind the last: that is how sentences are read.
	from = max(first-max(snippetLen-(last-first), 0)/4, 0)
	to = min(max(from+snippetLen, last), len(text))
	from = max(min(from, to-snippetLen), 0)
	return wordStart(text, from), wordEnd(text, to)
}

// maxShift is how far a cut may move to keep a word whole.
const maxShift = 40

const blanks = " \t\r\n"

// wordStart moves a cut left to the beginning of a word, or of a character where no word begins nearby.
func wordStart(s string, i int) int {
	from := max(i-maxShift, 0)
	if j := strings.LastIndexAny(s[from:i], blanks); j >= 0 || from == 0 {
		return from + j + 1
	}
	for !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// wordEnd moves a cut right to the end of a word, or of a character where no word ends nearby.
func wordEnd(s string, i int) int {
	to := min(i+maxShift, len(s))
	if j := strings.IndexAny(s[i:to], blanks); j >= 0 {
		return i + j
	} else if to == len(s) {
		return to
	}
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return i
}
