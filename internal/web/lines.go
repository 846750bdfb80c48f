package web

import (
	"html/template"
	"strings"
	"unicode/utf8"

	"tend/internal/layout/inject"
	"tend/internal/words"
)

// What a page shows of a text at most: in lines, in characters of a line, and in bytes as HTML.
const linesPerPage, lineChars, windowBytes = 250, 1500, 22 << 10

// window is a part of a text that fits on a page.
type window struct {
	Lines []line
	From  int // number of its first line
	Total int // lines of the whole text
	Prev  int // where the page before begins, 0 if there is none
	Next  int
	Long  bool // a line was cut for the page
	text  string
}

// line is a line of a text in pieces that are shown to the model and pieces that are not.
type line struct {
	N      int
	Pieces []piece
	Lost   bool // all of it
}

type piece struct {
	Text string
	Lost bool
}

// windowOf cuts out the lines from a number on. kept are the bytes the model is shown; nil is all.
func windowOf(text string, from int, kept []inject.Range, all bool) window {
	w := window{From: max(1, from), Total: strings.Count(text, "\n")}
	if !strings.HasSuffix(text, "\n") && text != "" {
		w.Total++
	}
	if w.From > w.Total {
		w.From = max(1, w.Total-linesPerPage+1)
	}
	var shown strings.Builder
	at, n, bytes := 0, 0, 0
	for raw := range strings.Lines(text) {
		n++
		start := at
		at += len(raw)
		if n < w.From {
			continue
		}
		end := start + len(strings.TrimRight(raw, "\r\n"))
		if end-start > lineChars {
			w.Long = true
			for end = start + lineChars; end > start && !utf8.RuneStart(text[end]); {
				end--
			}
		}
		bytes += 80 + len(template.HTMLEscapeString(words.Safe(text[start:end])))
		if n > w.From && (bytes > windowBytes || n >= w.From+linesPerPage) {
			w.Next = n
			break
		}
		w.Lines = append(w.Lines, pieces(n, text, start, end, kept, all))
		shown.WriteString(text[start:end])
		shown.WriteByte('\n')
	}
	if w.From > 1 {
		w.Prev = max(1, w.From-linesPerPage)
	}
	w.text = shown.String()
	return w
}

// pieces splits a line where what is shown ends or begins.
func pieces(n int, text string, start, end int, kept []inject.Range, all bool) line {
	l := line{N: n}
	if all {
		l.Pieces = []piece{{Text: words.InLine(text[start:end])}}
		return l
	}
	add := func(from, to int, lost bool) {
		if from < to {
			l.Pieces = append(l.Pieces, piece{words.InLine(text[from:to]), lost})
		}
	}
	at := start
	for _, r := range kept {
		from, to := max(at, r.From), min(end, r.To)
		if from >= to {
			continue
		}
		add(at, from, true)
		add(from, to, false)
		at = to
	}
	add(at, end, true)
	l.Lost = len(l.Pieces) == 1 && l.Pieces[0].Lost
	return l
}
