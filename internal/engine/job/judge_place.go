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

// under returns a file's text with an entry below a heading: at the end of the section of that title, or of a new one. Without
// a title it goes below the heading of its day.
func (in homes) under(p vault.Path, title string, day note.Day, entry string) []byte {
	doc := in.File(p)
	if title == "" || in.Delimits(p) {
		return in.withEntry(p, day, entry, "")
	}
	text := doc.Data
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte(in.freshFile(p))
	}
	d := in.Syntax(p).Parse(text)
	line := in.Owned(vault.Doc{Path: p, Data: text, Version: "new"})
	for i, s := range d.Sections {
		if s.Start < line || note.Normal(s.Title) != note.Normal(title) {
			continue
		}
		if i+1 < len(d.Sections) && d.Sections[i+1].Parent == i { // before its first subsection
			s.End = d.Sections[i+1].Start
		}
		s.End = ruledOff(d, s)
		return spliced(text, d.AppendTo(s, entry))
	}
	if at := lastWord(d, line); at > 0 {
		return spliced(text, d.AppendTo(note.Section{End: at}, "## "+title+"\n"+entry))
	}
	return spliced(text, d.Append("## "+title+"\n"+entry))
}

// lastWord is where the last word of a page begins, set off by a rule below the operator's part: a motto, or when the page was last
// changed. 0 if there is none.
func lastWord(d *note.Doc, owned int) int {
	lines := 0
	for _, p := range slices.Backward(d.Parts) {
		switch p.Kind {
		case note.Blank:
		case note.Paragraph:
			lines += note.Lines(d.Raw(p))
		case note.Rule, note.SeparatorLine:
			if p.Start >= owned && 0 < lines && lines <= maxLastWord {
				return p.Start
			}
			return 0
		default:
			return 0
		}
	}
	return 0
}

// maxLastWord is how many lines a page's last word has: more are notes.
const maxLastWord = 3

// ruledOff is where the list of a section ends: before a line that only divides it from what follows, such as a last word.
func ruledOff(d *note.Doc, s note.Section) int {
	end := s.End
	for _, p := range d.Parts {
		switch {
		case p.Start < s.Start || p.Start >= s.End:
		case p.Kind == note.Bullet:
			end = s.End
		case end == s.End && (p.Kind == note.Rule || p.Kind == note.SeparatorLine):
			end = p.Start
		}
	}
	return end
}
