package curator

import "tend/internal/text/note"

// Sample is a small request with an obvious answer, to try a model with.
func Sample() Request {
	page := "# Memory\n\n## Servers\n- The API listens on port 8080\n\n## Rules\n- Never deploy on Fridays\n"
	by := func(note.Entry) Author { return ByTend }
	p := NewPage("MEMORY.md", note.Parse([]byte(page)), 1, by, 0)
	p.Size, p.Limit, p.Unit = len(page), 20000, "characters"
	r := Request{Agent: "sample", Date: "2026-01-12", Task: Night, Part: 1, Parts: 1, Pages: []Page{p}}
	for i, text := range []string{
		"- The API listens on port 8081 now, 8080 is closed",
		"- Maria wants invoices as PDF, never as a link",
		"- lunch at noon, then three mails answered",
	} {
		id := "e" + string(rune('1'+i))
		r.Log = append(r.Log, Entry{ID: id, Day: "2026-01-12", File: "memory/2026-01-12.md", Line: i + 1, Text: text})
	}
	r.Seal()
	return r
}
