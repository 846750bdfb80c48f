package job

import (
	"strings"
	"time"

	"tend/internal/model/textfmt"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

func entries(n int) string { return textfmt.Count(n, "entry") }

// Readable returns the edit that adds text to a document so that it is parsed as intended. The
// last writer may have left a code fence or a comment open; that is closed first, or it would
// include all that follows.
func Readable(d *note.Doc, text string) note.Edit {
	want := d.Syntax.Parse([]byte(text)).Entries(0)
	for _, closer := range []string{"", "```\n", "~~~\n", "````\n", "-->\n"} {
		e := addition(d, closer+text)
		after, err := note.Apply(d.Text, []note.Edit{e})
		if err != nil {
			continue
		}
		at := 0
		for _, got := range d.Syntax.Parse(after).Entries(0) {
			if got.Start >= e.At && at < len(want) && got.Normal() == want[at].Normal() {
				at++
			}
		}
		if at == len(want) {
			return e
		}
	}
	return addition(d, text)
}

// addition appends text, at the very end if only blank lines follow: an append loses no race,
// an edit has to be repeated.
func addition(d *note.Doc, text string) note.Edit {
	e := d.Append(text)
	if _, closed := d.Closure(); closed || d.Syntax.Style == note.Delimited {
		return e
	}
	nl := note.Newline(d.Text)
	if e.At < len(d.Text) {
		e = note.Edit{At: len(d.Text), Text: strings.TrimLeft(e.Text, "\r\n")}
		if !note.FinalNewline(d.Text) {
			e.Text = nl + e.Text
		}
	}
	if !strings.HasSuffix(e.Text, "\n") {
		e.Text += nl // the next append begins on a new line
	}
	return e
}

// BeginFile returns the head of a new file of a role.
func BeginFile(in Input, r layout.Role, title string) string {
	lines := []string{"# {title}"}
	if h, ok := in.Layout.Header(r); ok {
		lines = h.Lines
	}
	fill := strings.NewReplacer("{title}", title, "{date}", in.Today().String(), "{time}", in.Now.Format(time.RFC3339), "{tags}", string(r))
	return strings.TrimRight(fill.Replace(strings.Join(lines, "\n")), "\n") + "\n\n"
}

// ClosingBlock returns the closure block at the end of a log, if the layout has one.
func ClosingBlock(in Input, day note.Day) string {
	if len(in.Layout.Closure) == 0 {
		return ""
	}
	return "\n" + note.Closure{Updated: day}.String()
}
