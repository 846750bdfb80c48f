package job

import (
	"bytes"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/engine/curator"
	"tend/internal/model/finding"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
	"tend/internal/text/scan"
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

// takesIn reports whether entries of the page may move to a file: one of knowledge that no session loads whole. What the layout
// does not know is one in the folder of the logs; anywhere else a file may be read as something else.
func (in homes) takesIn(to vault.Path) bool {
	role, known := in.Layout.RoleOf(string(to))
	home := slices.Contains([]layout.Role{layout.Semantic, layout.Procedural, layout.Decisions, layout.Lessons}, role)
	notes := home || !known && in.besideLogs(to)
	return notes && in.open(to) && !in.shown(to) && !in.Delimits(to)
}

// besideLogs reports a file in the folder of the daily logs.
func (in homes) besideLogs(p vault.Path) bool {
	folder, _, inside := strings.Cut(string(p), "/")
	logs := func(l Log) bool { return strings.HasPrefix(string(l.Path), folder+"/") }
	return inside && (folder == "memory" || slices.ContainsFunc(in.Logs(), logs))
}

// relocate takes a passage out of a page and into another file, unchanged. unseen says which of its lines the harness does not
// load; nil is none.
func (d *draft) relocate(page, to vault.Path, it passageAt, heading string, section bool, unseen func(line int) bool) {
	for _, e := range note.Parse([]byte(it.raw)).Entries(0) {
		d.promoted(plan.Source{Entry: e.Normal(), Target: to, Path: page, Line: it.line + e.Line - 1, Hash: vault.VersionOf(e.Raw), Moved: true,
			Unseen: unseen != nil && unseen(e.Line)})
	}
	d.find(finding.Moved.In(string(page), "to %s: %s", to, scan.Quote(it.raw, briefRunes)).AtLine(it.line))
	if section {
		out := bytes.Clone(d.File(to).Data)
		if len(bytes.TrimSpace(out)) == 0 {
			out = []byte(d.freshFile(to))
		}
		d.set(to, spliced(out, d.Syntax(to).Parse(out).Append(it.raw)), "take in a section of "+page.Base())
		title, _, _ := strings.Cut(it.raw, "\n")
		d.edit(page, "a section moved to "+string(to), note.Edit{At: it.start, Cut: len(it.raw), Text: title + "\n" + link(to)})
		return
	}
	d.set(to, d.under(to, heading, 0, it.raw), "take in an entry of "+page.Base())
	d.cut(page, it)
}
