package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tend/internal/finding"
	"tend/internal/vault"
	"tend/internal/words"
)

// style is an ANSI colour; empty text and pipes get none.
type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

// Marks that paint leaves around a text, for put to turn into the terminal's own. They are characters that no text has.
const (
	markBegin = "\ufdd0"
	markStyle = "\ufdd1"
	markEnd   = "\ufdd2"
)

func coloured(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

func paint(w io.Writer, s style, text string) string {
	if s == "" || text == "" || !coloured(w) {
		return text
	}
	return markBegin + string(s) + markStyle + text + markEnd
}

// put is the one way text for people leaves the program. What a terminal would act on, or a person not see, is written
// out; only our own colours get through. So no command can be made to print an agent's escape sequences.
func put(w io.Writer, text string) {
	if !coloured(w) {
		_, _ = w.Write([]byte(words.Safe(text)))
		return
	}
	var b strings.Builder
	for {
		i := strings.IndexAny(text, markBegin+markEnd)
		if i < 0 {
			break
		}
		b.WriteString(words.Safe(text[:i]))
		mark, rest := text[i:i+len(markEnd)], text[i+len(markEnd):]
		code, after, ok := strings.Cut(rest, markStyle)
		switch {
		case mark == markEnd:
			b.WriteString("\x1b[0m")
		case ok && slices.Contains([]style{bold, dim, red, green, yellow, cyan}, style(code)):
			b.WriteString("\x1b[" + code + "m")
			rest = after
		default:
			b.WriteString(words.Safe(mark))
		}
		text = rest
	}
	b.WriteString(words.Safe(text))
	_, _ = w.Write([]byte(b.String()))
}

// printf prints a result. A path stays on its line.
func (a *app) printf(format string, args ...any) { put(a.out, fmt.Sprintf(format, inLine(args)...)) }

// errorf prints beside the result.
func (a *app) errorf(format string, args ...any) { put(a.errw, fmt.Sprintf(format, inLine(args)...)) }

func inLine(args []any) []any {
	for i, arg := range args {
		if p, ok := arg.(vault.Path); ok {
			args[i] = words.InLine(string(p))
		}
	}
	return args
}

func (a *app) paint(s style, text string) string    { return paint(a.out, s, text) }
func (a *app) paintErr(s style, text string) string { return paint(a.errw, s, text) }

// printText prints a text of an agent's to the byte, but harmless to a terminal.
func (a *app) printText(text []byte) error {
	if isTerminal(a.out) {
		text = []byte(words.Safe(string(text)))
	}
	_, err := a.out.Write(text)
	return err
}

// cell is a piece of a table.
type cell struct {
	text string
	st   style
}

// table prints rows in aligned columns, the last one ragged.
func (a *app) table(head []string, rows [][]cell) {
	width := make([]int, len(head))
	for i, h := range head {
		width[i] = utf8.RuneCountInString(h)
	}
	for _, r := range rows {
		for i := range r {
			r[i].text = words.InLine(r[i].text)
			width[i] = max(width[i], utf8.RuneCountInString(r[i].text))
		}
	}
	columns, _, terminal := a.screen()
	line := func(cells []cell) {
		var b strings.Builder
		at := 0
		for i, c := range cells {
			text, pad := c.text, ""
			if i < len(cells)-1 {
				pad = strings.Repeat(" ", width[i]-utf8.RuneCountInString(text)+2)
				at += width[i] + 2
			} else if terminal && at+12 <= columns { // what does not fit goes on below, in its own column
				text = fold(text, strings.Repeat(" ", at), columns, at)
			}
			b.WriteString(a.paint(c.st, text) + pad)
		}
		a.printf("%s\n", strings.TrimRight(b.String(), " "))
	}
	hs := make([]cell, len(head))
	for i, h := range head {
		hs[i] = cell{strings.ToUpper(h), dim}
	}
	line(hs)
	for _, r := range rows {
		line(r)
	}
}

// findings prints what was found, one block each; what to do about several of one
// kind is said once, after the last.
func (a *app) findings(list []finding.Finding) {
	for i, f := range list {
		where := f.Agent
		if f.File != "" {
			where = strings.TrimPrefix(where+"/"+f.File, "/")
		}
		if f.Line > 0 {
			where += fmt.Sprintf(":%d", f.Line)
		}
		if where != "" {
			where = " " + words.InLine(where) + ":"
		}
		kind := f.Severity.String() + " [" + f.Code + "]"
		text := a.wrapped(kind+where+" "+words.Safe(f.Text), "  ")
		a.printf("%s%s\n", a.paint(severityStyle(f.Severity), kind), strings.TrimPrefix(text, kind))
		if f.Diff != "" {
			a.diff(f.Diff)
		}
		again := i+1 < len(list) && list[i+1].Remedy == f.Remedy && list[i+1].Diff == ""
		if f.Remedy != "" && f.Severity > finding.Info && !again {
			a.printf("%s\n", a.paint(dim, a.wrapped("  "+f.Remedy, "  ")))
		}
	}
}

func severityStyle(s finding.Severity) style {
	return map[finding.Severity]style{finding.Info: cyan, finding.Warning: yellow, finding.Error: red}[s]
}

// diff prints a unified diff, coloured on a terminal.
func (a *app) diff(d string) {
	for line := range strings.Lines(d) {
		line = strings.TrimSuffix(line, "\n")
		st := style("")
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
			st = bold
		case strings.HasPrefix(line, "+"):
			st = green
		case strings.HasPrefix(line, "-"):
			st = red
		case strings.HasPrefix(line, "@@"):
			st = cyan
		}
		a.printf("%s\n", a.paint(st, words.Safe(line)))
	}
}

// ago is a time as people say it.
func ago(now, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	d := now.Sub(t)
	switch {
	case d < 0:
		return "in " + span(-d)
	case d < time.Second:
		return "now"
	}
	return span(d) + " ago"
}

func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}
