package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/term"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
)

// orEmpty keeps an empty list from being null in JSON.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func listed[T ~string](list []T) string { return strings.Join(plain(list), ", ") }

func plain[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return out
}

// style is an ANSI colour; pipes get none.
type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

// Marks that paint puts around a text, for put to turn into escape sequences. They are characters that no text has.
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

// printer holds where a command prints, and how.
type printer struct {
	out, errw io.Writer
	json      bool
	quiet     bool
	several   bool              // a reader runs for all agents
	empty     string            // empty results that are not yet printed
	folders   map[string]string // where agents are that are not configured
}

// warnf prints a warning beside the result.
func (pr *printer) warnf(format string, args ...any) {
	if pr.json {
		return
	}
	pr.labelled(yellow, "Warning:", fmt.Sprintf(format, inLine(args)...))
}

// emit prints a result: its JSON value with --json, else its text.
func (pr *printer) emit(v any, text func()) error {
	if pr.json {
		return pr.printJSON(v)
	}
	text()
	return nil
}

func (pr *printer) printJSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := pr.out.Write(escapeControls(b.Bytes()))
	return err
}

// escapeControls escapes control characters that JSON itself leaves unescaped.
func escapeControls(text []byte) []byte {
	wild := func(r rune) bool { return r >= 0x7f && textfmt.Unseen(r) }
	if !bytes.ContainsFunc(text, wild) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for _, r := range string(text) {
		if hi, lo := utf16.EncodeRune(r); wild(r) && hi != utf8.RuneError {
			out = fmt.Appendf(out, "\\u%04x\\u%04x", hi, lo)
		} else if wild(r) {
			out = fmt.Appendf(out, "\\u%04x", r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// nothing prints that there is nothing to show. For several agents it is printed once, if it is true of all.
func (pr *printer) nothing(text string) {
	switch {
	case pr.quiet:
	case pr.several:
		pr.empty = text
	default:
		pr.printf("%s\n", text)
	}
}

func (pr *printer) reportError(err error) {
	text := err.Error()
	if text == "" {
		return
	}
	hint := hintFor(err)
	if pr.json {
		data, _ := json.Marshal(map[string]any{"error": text, "try": hint, "exit": codeOf(err)})
		fmt.Fprintf(pr.errw, "%s\n", data)
		return
	}
	pr.labelled(red, "Error:", text)
	if hint != "" {
		pr.labelled(bold, "Try:", hint)
	}
}

// labelled prints a paragraph to standard error that begins with a label.
func (pr *printer) labelled(s style, label, text string) {
	text = strings.TrimPrefix(wrappedFor(pr.errw, label+" "+textfmt.Safe(text), "  "), label)
	pr.errorf("%s%s\n", pr.paintErr(s, label), text)
}

// writeSafe is the only way text for people leaves the program. Control characters and invisible characters are escaped;
// only our own colours pass. So no command can be made to print an agent's escape sequences.
func writeSafe(w io.Writer, text string) {
	if !coloured(w) {
		_, _ = w.Write([]byte(textfmt.Safe(text)))
		return
	}
	var b strings.Builder
	for {
		i := strings.IndexAny(text, markBegin+markEnd)
		if i < 0 {
			break
		}
		b.WriteString(textfmt.Safe(text[:i]))
		mark, rest := text[i:i+len(markEnd)], text[i+len(markEnd):]
		code, after, ok := strings.Cut(rest, markStyle)
		switch {
		case mark == markEnd:
			b.WriteString("\x1b[0m")
		case ok && slices.Contains([]style{bold, dim, red, green, yellow, cyan}, style(code)):
			b.WriteString("\x1b[" + code + "m")
			rest = after
		default:
			b.WriteString(textfmt.Safe(mark))
		}
		text = rest
	}
	b.WriteString(textfmt.Safe(text))
	_, _ = w.Write([]byte(b.String()))
}

// printf prints a result. A path stays on its line.
func (pr *printer) printf(format string, args ...any) {
	writeSafe(pr.out, fmt.Sprintf(format, inLine(args)...))
}

// errorf prints to standard error.
func (pr *printer) errorf(format string, args ...any) {
	writeSafe(pr.errw, fmt.Sprintf(format, inLine(args)...))
}

func inLine(args []any) []any {
	for i, arg := range args {
		if p, ok := arg.(vault.Path); ok {
			args[i] = textfmt.InLine(string(p))
		}
	}
	return args
}

func (pr *printer) paint(s style, text string) string { return paint(pr.out, s, text) }

func (pr *printer) paintErr(s style, text string) string { return paint(pr.errw, s, text) }

// printText prints an agent's text exactly, but safe for a terminal.
func (pr *printer) printText(text []byte) {
	if isTerminal(pr.out) {
		text = []byte(textfmt.Safe(string(text)))
	}
	_, _ = pr.out.Write(text) // standard output remembers a failure
}

// cell is a piece of a table.
type cell struct {
	text string
	st   style
}

// table prints rows in aligned columns; the last one is ragged. On a terminal words are never broken: a last column
// that does not fit is wrapped, and a column without room moves to a separate line.
func (pr *printer) table(head []string, rows [][]cell) {
	if len(rows) == 0 {
		return
	}
	columns, _, terminal := pr.screen()
	if !terminal {
		columns = math.MaxInt
	}
	grid := make([][]cell, 0, len(rows)+1)
	heads := make([]cell, len(head))
	for i, h := range head {
		heads[i] = cell{strings.ToUpper(h), dim}
	}
	grid = append(grid, heads)
	for _, r := range rows {
		for i := range r {
			r[i].text = textfmt.InLine(r[i].text)
		}
		grid = append(grid, r)
	}
	cols := arrangeColumns(grid, columns)
	for _, r := range grid {
		pr.printf("%s\n", tableRow(pr, r, cols, columns))
	}
}

// column has a table column's start and width; below puts it on a separate line.
type column struct {
	at, width int
	below     bool
}

// arrangeColumns lays columns out within a width.
func arrangeColumns(grid [][]cell, columns int) []column {
	const indent, gap, narrow = 2, 2, 24
	cols := make([]column, len(grid[0]))
	word := 0 // the longest of the last column
	for _, r := range grid {
		for i, c := range r {
			cols[i].width = max(cols[i].width, utf8.RuneCountInString(c.text))
			if i == len(cols)-1 {
				for w := range strings.FieldsSeq(c.text) {
					word = max(word, utf8.RuneCountInString(w))
				}
			}
		}
	}
	at := 0
	for i := range cols {
		need := cols[i].width
		if i == len(cols)-1 {
			need = min(need, max(word, narrow))
		}
		if at > indent && need > columns-at {
			cols[i].below, at = true, indent
		}
		cols[i].at = at
		at += cols[i].width + gap
	}
	return cols
}

func tableRow(pr *printer, r []cell, cols []column, columns int) string {
	var b strings.Builder
	for i, c := range r {
		text, pad := c.text, ""
		if i < len(r)-1 {
			pad = strings.Repeat(" ", cols[i].width-utf8.RuneCountInString(text)+2)
		} else {
			text = wrap(text, strings.Repeat(" ", cols[i].at), columns, cols[i].at)
		}
		if cols[i].below && strings.TrimSpace(text) != "" {
			line := strings.TrimRight(b.String(), " ")
			b.Reset()
			b.WriteString(line + "\n" + strings.Repeat(" ", cols[i].at))
		}
		b.WriteString(pr.paint(c.st, text) + pad)
	}
	return strings.TrimRight(b.String(), " ")
}

// findings prints findings, one block each; the remedy for several of one kind is printed once, after the last.
func (pr *printer) findings(list []finding.Finding) {
	for i, f := range list {
		where := f.Agent
		if f.File != "" {
			where = strings.TrimPrefix(where+"/"+f.File, "/")
		}
		if f.Line > 0 {
			where += fmt.Sprintf(":%d", f.Line)
		}
		if where != "" {
			where = " " + textfmt.InLine(where) + ":"
		}
		kind := f.Severity.String() + " [" + f.Code + "]"
		text := pr.wrapped(kind+where+" "+textfmt.Safe(f.Text), "  ")
		pr.printf("%s%s\n", pr.paint(severityStyle(f.Severity), kind), strings.TrimPrefix(text, kind))
		if f.Diff != "" {
			pr.diff(f.Diff)
		}
		again := i+1 < len(list) && list[i+1].Remedy == f.Remedy && list[i+1].Diff == ""
		if f.Remedy != "" && f.Severity > finding.Info && !again {
			pr.printf("%s\n", pr.paint(dim, pr.wrapped("  "+pr.advice(list[:i+1]), "  ")))
		}
	}
}

// advice is the remedy of the last finding and those before it that have the same one. It names their agent and file if that is the
// same for all.
func (pr *printer) advice(list []finding.Finding) string {
	last := list[len(list)-1]
	agent, file := last.Agent, last.File
	for i := len(list) - 1; i >= 0 && list[i].Remedy == last.Remedy; i-- {
		if list[i].Agent != agent {
			agent = ""
		}
		if list[i].File != file {
			file = ""
		}
	}
	if dir, ok := pr.folders[agent]; ok {
		agent = "--workspace " + textfmt.ShellQuote(dir)
	}
	return finding.Advised(last.Remedy, agent, file)
}

func severityStyle(s finding.Severity) style {
	return map[finding.Severity]style{finding.Info: cyan, finding.Warning: yellow, finding.Error: red}[s]
}

// diff prints a unified diff, coloured on a terminal.
func (pr *printer) diff(d string) {
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
		pr.printf("%s\n", pr.paint(st, textfmt.Safe(line)))
	}
}

// ago formats a time relative to now.
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

// output is standard output. It remembers a failed write: a result that did not reach its reader, for example on a
// full disk, must not count as a success.
type output struct {
	io.Writer
	failed atomic.Pointer[error]
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		o.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// SyscallConn lets a server see that nobody reads its answers any more.
func (o *output) SyscallConn() (syscall.RawConn, error) {
	if f, ok := o.Writer.(syscall.Conn); ok {
		return f.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// err returns the first failure.
func (o *output) err() error {
	if e := o.failed.Load(); e != nil {
		return fmt.Errorf("write the result: %w", *e)
	}
	return nil
}

// fileOf returns the file behind one of our writers.
func fileOf(w io.Writer) (*os.File, bool) {
	if h, ok := w.(*headed); ok {
		w = h.to
	}
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	f, ok := w.(*os.File)
	return f, ok
}

func isTerminal(w io.Writer) bool {
	f, ok := fileOf(w)
	return ok && term.IsTerminal(int(f.Fd())) && takesANSI(f)
}

// screen returns the size of the terminal that results go to; ok is false if they go elsewhere.
func (pr *printer) screen() (width, height int, ok bool) { return screenOf(pr.out) }

// screenOf returns the size of the terminal behind w.
func screenOf(w io.Writer) (width, height int, ok bool) {
	f, is := fileOf(w)
	if !is {
		return 0, 0, false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	return width, height, err == nil && width > 0 && height > 0
}

// wrapped breaks a text between words to fit the terminal, with later lines indented. Output to a file or program
// stays on one line.
func (pr *printer) wrapped(text, indent string) string { return wrappedFor(pr.out, text, indent) }

// wrappedFor is wrapped for another output.
func wrappedFor(w io.Writer, text, indent string) string {
	width, _, ok := screenOf(w)
	if !ok {
		return text
	}
	return wrap(text, indent, width, 0)
}

// wrap breaks lines between words so that none is wider than width, if the words allow it. The first line begins at a
// column. A command between backticks stays on one line if there is room for it on a line of its own.
func wrap(text, indent string, width, at int) string {
	var b strings.Builder
	for i, word := range wordsOf(text, width-len(indent)) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > width && at > 0:
			b.WriteString("\n" + indent)
			at = len(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		if nl := strings.LastIndexByte(word, '\n'); nl >= 0 {
			at = utf8.RuneCountInString(word[nl+1:])
		} else {
			at += n
		}
	}
	return b.String()
}

// wordsOf splits a text at blanks, except within backticks where that gives a word of at most room characters.
func wordsOf(text string, room int) []string {
	var out []string
	words := strings.Split(text, " ")
	for i := 0; i < len(words); i++ {
		last := i
		if strings.Count(words[i], "`") == 1 {
			for last = i + 1; last < len(words) && !strings.Contains(words[last], "`"); last++ {
			}
			if last == len(words) || utf8.RuneCountInString(strings.Join(words[i:last+1], " ")) > room {
				last = i
			}
		}
		out = append(out, strings.Join(words[i:last+1], " "))
		i = last
	}
	return out
}

func count(n int, what string) string {
	if n == 0 {
		return "none"
	}
	return textfmt.Count(n, what)
}
