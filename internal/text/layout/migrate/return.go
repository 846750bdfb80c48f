package migrate

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// Origin is what is remembered of a move: the old files and which of their lines went where.
type Origin struct {
	From      string // the old layout
	Workspace string // where the files were
	Files     []File
	Moved     []Target
	Before    *Origin // of the old workspace, if it had been moved itself
}

// Return makes the original files again from the present ones. What was changed since the move is changed in them, too.
// fresh are files that the move did not write; they have to be planned like any others.
func (o Origin) Return(now []File) (files []Target, fresh []File) {
	r := &returning{lines: map[string][]originLine{}}
	for _, f := range o.Files {
		for text := range strings.Lines(string(f.Data)) {
			r.lines[f.Path] = append(r.lines[f.Path], originLine{text: text})
		}
	}
	present := map[string]File{}
	for _, f := range now {
		present[f.Path] = f
	}
	for _, t := range o.Moved {
		f, ok := present[t.Path]
		r.compareFile(t, f, ok)
		delete(present, t.Path)
	}
	for _, f := range now {
		if _, ok := present[f.Path]; ok {
			fresh = append(fresh, f)
		}
	}
	for _, f := range o.Files {
		if t, ok := r.restoreFile(f); ok {
			files = append(files, t)
		}
	}
	return files, append(fresh, r.homeless...)
}

// originLine is a line of an original file and what became of it.
type originLine struct {
	text    string
	carried bool // some file has it
	gone    bool
	file    string // the present file that has it
	n       int
	same    bool   // with the same text
	before  []Line // what was added before and after it
	after   []Line
}

type returning struct {
	lines    map[string][]originLine
	homeless []File // text that was added to a file without any line of an original
}

// compareFile finds out what was changed in a file since it was moved. Blank lines and delimiters are not compared: harnesses
// write their own.
func (r *returning) compareFile(t Target, f File, there bool) {
	was, now := withoutBlank(t.Lines), withoutBlank(linesOf(f))
	if !there {
		now = nil
	}
	for _, l := range was {
		if o := r.originalOf(l.Line); o != nil {
			o.carried = true
		}
	}
	match := func(i, j int) {
		if o := r.originalOf(was[i].Line); o != nil {
			o.file, o.n, o.same = f.Path, now[j].N, now[j].Text == o.text
		}
	}
	i, j := 0, 0
	text := joinLines(was)
	starts := lineStarts(was)
	for _, e := range udiff.Lines(text, joinLines(now)) {
		from, _ := slices.BinarySearch(starts, e.Start)
		to, _ := slices.BinarySearch(starts, e.End)
		for ; i < from; i, j = i+1, j+1 {
			match(i, j)
		}
		added := strings.Count(e.New, "\n")
		r.replaceLines(t, was, from, to, f, now, j, j+added)
		i, j = to, j+added
	}
	for ; i < len(was) && j < len(now); i, j = i+1, j+1 {
		match(i, j)
	}
}

// replaceLines replaces the lines from:to by the present lines a:b.
func (r *returning) replaceLines(t Target, was []numbered, from, to int, f File, now []numbered, a, b int) {
	var anchor *originLine
	for i := from; i < to; i++ {
		if o := r.originalOf(was[i].Line); o != nil {
			o.gone = true
			if anchor == nil {
				anchor = o
			}
		}
	}
	if a == b {
		return
	}
	all := linesOf(f)
	start := now[a].N
	if a > 0 {
		start = now[a-1].N + 1 // with the blank lines above
	}
	var added []Line
	for _, l := range all[start : now[b-1].N+1] {
		if strings.TrimSpace(l.Text) == "§" {
			l = Line{Text: "\n"}
		}
		if n := len(added); n == 0 || strings.TrimSpace(l.Text) != "" || strings.TrimSpace(added[n-1].Text) != "" {
			added = append(added, l)
		}
	}
	for i := from - 1; anchor == nil && i >= 0; i-- {
		anchor = r.originalOf(was[i].Line)
	}
	if anchor != nil {
		anchor.after = append(anchor.after, added...)
		return
	}
	for i := to; anchor == nil && i < len(was); i++ {
		anchor = r.originalOf(was[i].Line)
	}
	if anchor != nil {
		anchor.before = append(anchor.before, added...)
		return
	}
	var text2 bytes.Buffer
	for _, l := range added {
		text2.WriteString(l.Text)
	}
	r.homeless = append(r.homeless, File{Path: t.Path, Data: text2.Bytes()})
}

// originalOf returns the original of a line, nil if Tend wrote it.
func (r *returning) originalOf(l Line) *originLine {
	if lines := r.lines[l.File]; l.File != "" && l.N < len(lines) {
		return &lines[l.N]
	}
	return nil
}

// restoreFile puts an original file together. It reports false if all that it said is gone.
func (r *returning) restoreFile(f File) (Target, bool) {
	t := Target{Path: f.Path}
	nl := note.Newline(f.Data)
	said, says := false, false
	add := func(lines []Line) {
		for _, l := range lines {
			if n := len(t.Lines); n > 0 && !strings.HasSuffix(t.Lines[n-1].Text, "\n") {
				t.Lines[n-1].Text += nl
			}
			says = true
			l.Text = strings.TrimRight(l.Text, "\r\n") + nl
			t.Lines = append(t.Lines, l)
		}
	}
	for _, o := range r.lines[f.Path] {
		said = said || strings.TrimSpace(o.text) != ""
		add(o.before)
		if !o.gone {
			says = says || strings.TrimSpace(o.text) != ""
			if n := len(t.Lines); n > 0 && !strings.HasSuffix(t.Lines[n-1].Text, "\n") {
				t.Lines[n-1].Text += nl
			}
			l := Line{Text: o.text}
			if o.file != "" {
				l.File, l.N = o.file, o.n
			}
			t.Lines = append(t.Lines, l)
		}
		add(o.after)
	}
	return t, says || !said
}

// numbered is a line that says something, with its number in its file.
type numbered struct {
	Line
	N int
}

func linesOf(f File) (out []Line) {
	for text := range strings.Lines(string(f.Data)) {
		out = append(out, Line{Text: text, File: f.Path, N: len(out)})
	}
	return out
}

// withoutBlank leaves out blank lines and delimiters.
func withoutBlank(lines []Line) (out []numbered) {
	for i, l := range lines {
		if s := strings.TrimSpace(l.Text); s != "" && s != "§" {
			out = append(out, numbered{l, i})
		}
	}
	return out
}

func joinLines(lines []numbered) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimSpace(l.Text))
		b.WriteByte('\n')
	}
	return b.String()
}

func lineStarts(lines []numbered) []int {
	out, at := make([]int, 0, len(lines)+1), 0
	for _, l := range lines {
		out = append(out, at)
		at += len(strings.TrimSpace(l.Text)) + 1
	}
	return append(out, at)
}

// planBack plans the return to the harness that the files were moved from, directly or by way of others. It reports false if
// they never were there.
func (r Request) planBack() (Result, bool) {
	wanted := ""
	for o := r.Origin; o != nil; o = o.Before {
		name, _, _ := strings.Cut(o.From, "@")
		if o.From == r.To.Ref() || wanted == "" && name == r.To.Name {
			wanted = o.From
		}
	}
	if wanted == "" {
		return Result{}, false
	}
	return r.backTo(wanted)
}

// backTo plans the return to the files that were moved from a layout.
func (r Request) backTo(wanted string) (Result, bool) {
	if r.Origin.From == wanted {
		out := r.returnFiles(*r.Origin, r.To)
		out.First = r.Origin
		return out, true
	}
	from, err := layout.Preset(r.Origin.From)
	if err != nil {
		return Result{}, false
	}
	between := r.returnFiles(*r.Origin, from)
	next := Request{From: from, To: r.To, Origin: r.Origin.Before}
	for _, t := range between.Files {
		next.Files = append(next.Files, File{t.Path, t.Data()})
		if t.Loaded {
			next.Loaded = append(next.Loaded, t.Path)
		}
	}
	out, ok := next.backTo(wanted)
	if !ok {
		return Result{}, false
	}
	lines := map[string][]Line{}
	for _, t := range between.Files {
		lines[t.Path] = t.Lines
	}
	for _, t := range out.Files {
		for i, l := range t.Lines {
			if here := lines[l.File]; l.N < len(here) {
				t.Lines[i].File, t.Lines[i].N = here[l.N].File, here[l.N].N
			}
		}
	}
	return out, true
}

// returnFiles makes the original files and adds those that are new since the move.
func (r Request) returnFiles(o Origin, to layout.Layout) Result {
	files, fresh := o.Return(r.Files)
	for _, t := range files {
		r.Taken = append(r.Taken, t.Path)
	}
	r.To, r.Files, r.Origin = to, fresh, nil
	out := r.forward()
	out.Files = append(out.Files, files...)
	slices.SortFunc(out.Files, func(a, b Target) int { return strings.Compare(a.Path, b.Path) })
	for i, t := range out.Files {
		out.Files[i].Loaded = to.Loads(t.Path)
	}
	out.findShown(to)
	return out
}
