package job

import (
	"bytes"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/engine/curator"
	"tend/internal/text/note"
)

// passageAt is a run of whole lines in a file, without the last line feed.
type passageAt struct {
	raw        string
	start, end int // the end includes the line feed
	line       int
}

// locate looks for an item in the file as it is now: where it stood, else where its lines stand first.
func (j *judging) locate(page vault.Path, t curator.Item) (passageAt, bool) {
	doc := j.File(page)
	return locateLines(doc, j.page(doc, j.current.Request.Pages[t.Page].Lines[0].ID), t.Text, t.From, j.Owned(doc))
}

// locateLines finds lines in a file by how its page shows them, preferably at the line with an id, and below the operator's part.
func locateLines(doc vault.Doc, p curator.Page, text string, id, owned int) (passageAt, bool) {
	want := strings.Split(text, "\n")
	at := -1
	for i := 0; i+len(want) <= len(p.Lines); i++ {
		if sameLines(p.Lines[i:i+len(want)], want) && (at < 0 || p.Lines[i].ID == id) {
			at = i
		}
	}
	if at < 0 {
		return passageAt{}, false
	}
	lines := bytes.SplitAfter(doc.Data, []byte("\n"))
	out := passageAt{line: at + 1}
	for _, l := range lines[:at] {
		out.start += len(l)
	}
	out.end = out.start
	for _, l := range lines[at : at+len(want)] {
		out.end += len(l)
	}
	out.raw = strings.TrimRight(string(doc.Data[out.start:out.end]), "\r\n")
	return out, out.start >= owned
}

func sameLines(lines []curator.Line, want []string) bool {
	for i, w := range want {
		if strings.TrimRight(lines[i].Text, " \t\r") != strings.TrimRight(w, " \t\r") {
			return false
		}
	}
	return true
}

// cut removes lines from a file, with a blank line that would be doubled and a heading that has nothing left below it.
func (d *draft) cut(page vault.Path, it passageAt) {
	text := d.Parse(d.File(page))
	for _, e := range text.Entries(0) {
		if e.Start == it.start && strings.TrimRight(string(e.Raw), "\r\n") == it.raw {
			d.edit(page, "the curator took it off the page", text.Remove([]note.Entry{e})...)
			return
		}
	}
	d.edit(page, "the curator took it off the page", note.Edit{At: it.start, Cut: it.end - it.start})
}
