package job

import "tend/internal/text/note"

// heading is the title above an entry, if it says what the entry is about.
func heading(d *note.Doc, e note.Entry) string {
	if e.Section < 0 || d.Sections[e.Section].Day != 0 || d.Sections[e.Section].Level < 2 {
		return ""
	}
	return d.Sections[e.Section].Title
}
