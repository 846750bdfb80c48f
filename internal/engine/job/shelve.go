package job

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// notesTitle is the section for undated entries. Under the heading of a day they would look
// as old as that day.
const notesTitle = "Notes"

// shelved returns a file's text with entries added under the heading of their day, or under
// notesTitle. A missing file is begun.
func (in homes) shelved(p vault.Path, day note.Day, list []string) []byte {
	text := in.File(p).Data
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte(in.freshFile(p))
	}
	if in.Delimits(p) {
		for _, e := range list {
			e = undated(e, day)
			text = spliced(text, in.Syntax(p).Parse(text).Append(e))
		}
		return text
	}
	title := day.String()
	if day.IsZero() {
		title = notesTitle
	}
	body := strings.Join(list, "\n")
	d := in.Syntax(p).Parse(text)
	line := in.Owned(vault.Doc{Path: p, Data: text, Version: "new"})
	later := note.Section{}
	for _, s := range slices.Backward(d.Sections) {
		if s.Level != 2 || s.Start < line {
			continue
		}
		if strings.EqualFold(s.Title, title) {
			return spliced(text, d.AppendTo(s, body))
		}
		if at, err := note.ParseDay(strings.TrimSpace(s.Title)); err == nil && at > day && !day.IsZero() {
			later = note.Section{End: s.Start}
		}
	}
	if later.End > 0 { // days stay in order
		return spliced(text, d.AppendTo(later, "## "+title+"\n"+body))
	}
	return spliced(text, d.Append("## "+title+"\n"+body))
}

// undated adds the day to an entry, for files without headings.
func undated(entry string, day note.Day) string {
	if day.IsZero() {
		return entry
	}
	first, rest, nested := strings.Cut(entry, "\n")
	first += " (" + day.String() + ")"
	if nested {
		return first + "\n" + rest
	}
	return first
}

// spliced applies edits that were made for this text.
func spliced(text []byte, edits ...note.Edit) []byte {
	out, err := note.Apply(text, edits)
	if err != nil {
		return text
	}
	return out
}

// freshFile returns the head of a new file.
func (in homes) freshFile(p vault.Path) string {
	stem := strings.TrimSuffix(p.Base(), path.Ext(p.Base()))
	role, _ := in.Layout.RoleOf(string(p))
	if in.Delimits(p) {
		return ""
	}
	head := strings.ReplaceAll(BeginFile(in.Input, role, titleOf(p)), "#tags: "+string(role)+"\n", "#tags: "+in.fileTag(stem, p)+"\n")
	return strings.TrimRight(head, "\n") + "\n"
}

// fileTag returns a tag for a new file that its vocabulary allows: the one nearest to the file's
// purpose.
func (in homes) fileTag(stem string, p vault.Path) string {
	known := policy.TagsFile.Of(in.Policy)
	if policy.TagsVocabulary.Of(in.Policy) == policy.VocabularyOpen || len(known) == 0 {
		return strings.ToLower(stem)
	}
	wanted := []string{stem}
	for _, o := range in.Layout.Owners {
		if o.Path == string(p) || in.owned(o.Class) == p {
			wanted = append(append(wanted, o.Class), o.Words...)
		}
	}
	for _, w := range append(wanted, "memory") {
		for _, t := range known {
			if note.Normal(w) == note.Normal(t) || strings.ReplaceAll(w, "-", "") == t {
				return t
			}
		}
	}
	return known[0]
}

// written formats a candidate as an entry: its tags, its subject and its words, whole.
func (in homes) written(c candidate) string {
	var b strings.Builder
	if len(c.tags) > 0 {
		b.WriteString("[" + strings.Join(c.tags, ", ") + "] ")
	}
	text := strings.TrimSpace(c.text)
	gap := " "
	if listItem().MatchString(text) { // a label and its list: the list stays one
		gap = "\n"
	}
	if c.subject != "" && !strings.HasPrefix(note.Normal(text), note.Normal(c.subject)) {
		text = c.subject + ":" + gap + text
	} else if gap == "\n" {
		text = gap + text
	}
	b.WriteString(text)
	first, rest, nested := strings.Cut(b.String(), "\n")
	if nested {
		return "- " + strings.TrimRight(first, " ") + "\n" + indented(rest)
	}
	return "- " + first
}

// listItem matches the beginning of a list.
var listItem = expr(`^(?:[-*+]|\d{1,3}[.)])\s`)

// withEntry returns a file's text with an entry in the place of another one, or under the heading of its day.
func (in homes) withEntry(p vault.Path, day note.Day, entry, replaces string) []byte {
	text := in.File(p).Data
	if i := bytes.Index(text, []byte(replaces)); replaces != "" && i >= 0 {
		return spliced(text, note.Edit{At: i, Cut: len(replaces), Text: strings.ReplaceAll(entry, "\n", note.Newline(text))})
	}
	if in.Delimits(p) {
		entry = strings.TrimPrefix(entry, "- ")
	}
	return in.shelved(p, day, []string{entry})
}

// indented keeps nested lines of an entry nested.
func indented(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line = strings.TrimRight(line, "\r"); strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "  ") &&
			!strings.HasPrefix(line, "\t") {
			lines[i] = "  " + line
		}
	}
	return strings.Join(lines, "\n")
}

// fits reports whether the harness shows a text whole in the place of a file. Files it does not show have no such limit.
func (in homes) fits(p vault.Path, text []byte) bool {
	most := in.harnessLimit(p)
	return most == 0 || in.count(text) <= most
}

// harnessLimit is how much of a file the harness shows, in its own unit, 0 for no limit.
func (in homes) harnessLimit(p vault.Path) int {
	least := 0
	for _, s := range in.Layout.Show.Files {
		if s.Name != string(p) {
			continue
		}
		limit := in.Layout.Show.File
		if s.Limit != nil {
			limit = *s.Limit
		}
		for _, most := range []int{s.Cap, limit.Max} {
			if most > 0 && (least == 0 || most < least) {
				least = most
			}
		}
	}
	return least
}

// count is a text's length as the harness counts it.
func (in homes) count(text []byte) int {
	switch in.Layout.Show.Unit {
	case layout.UTF16:
		return note.UTF16(text)
	case layout.Bytes:
		return len(text)
	}
	return note.Runes(text)
}

// several formats a count for people.
func several(n int, what string) string { return textfmt.Count(n, what) }
