package job

import (
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/text/note"
)

// foldHeadings merges small sections that curation created, the smallest first, until the file fits. A heading takes the
// space of two entries, and the entries keep their tags.
func (d *draft) foldHeadings(path vault.Path) {
	for d.over(path, d.File(path).Data) != "" {
		doc := d.File(path)
		text := d.Parse(doc)
		from, to := d.foldable(doc, text)
		if from < 0 {
			return
		}
		s := ownSection(text, from)
		if to < 0 { // the first one is renamed, and the others join it
			nl := note.Newline(doc.Data)
			d.set(path, spliced(doc.Data, note.Edit{At: s.Start, Cut: s.Body - s.Start, Text: "## " + notesTitle + nl}), "join small sections")
			continue
		}
		body := strings.TrimSpace(string(doc.Data[s.Body:s.End]))
		d.set(path, spliced(doc.Data, note.Edit{At: s.Start, Cut: s.End - s.Start}, text.AppendTo(ownSection(text, to), body)), "join small sections")
	}
}

// foldable finds the smallest section that may be merged into another one, -1 if there is none, and that other one, -1 if
// there is none yet.
func (d *draft) foldable(doc vault.Doc, text *note.Doc) (from, to int) {
	line := d.Owned(doc)
	count := map[int]int{}
	hand := map[int]bool{}
	for _, e := range text.Entries(0) {
		count[e.Section]++
		hand[e.Section] = hand[e.Section] || !dated(e)
	}
	from, to = -1, -1
	n := 0
	for i, s := range text.Sections {
		if s.Level != 2 || s.Start < line || !slices.Contains(sortTitles(), s.Title) {
			continue
		}
		if s.Title == notesTitle && to < 0 {
			to = i
			continue
		}
		if hand[i] && s.Title != notesTitle || count[i] == 0 || count[i] > smallSection {
			continue
		}
		n++
		if from < 0 || count[i] < count[from] {
			from = i
		}
	}
	if to < 0 && n < 2 {
		return -1, -1
	}
	return from, to
}

// smallSection is the maximum number of entries of a section that may be merged into another one.
const smallSection = 4
