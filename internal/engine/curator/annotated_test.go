package curator

import (
	"testing"

	"tend/internal/model/policy"
	"tend/internal/text/note"
)

// TestAnnotatedEntriesStay: an entry with a comment by which OpenClaw recalls it is not changed without a person.
func TestAnnotatedEntriesStay(t *testing.T) {
	for comment, want := range map[string]Verdict{
		"<!-- trigger: kiln, glaze -->": Proposed, "<!-- importance: 9 -->": Proposed, "<!-- project: example.org/ada/kiln -->": Proposed,
		"<!-- observed: 2026-02-01 -->": Accepted, "": Accepted,
	} {
		page := "# Memory\n\n- The kiln is fired on Thursdays " + comment + "\n"
		r := Request{Agent: "ada", Date: "2026-03-01", Task: Night,
			Pages: []Page{NewPage("MEMORY.md", note.Parse([]byte(page)), 1, func(note.Entry) Author { return ByTend }, 0)}}
		r.Pages[0].Limit, r.Pages[0].Size = 20000, len(page)
		r.Log = []Entry{{ID: "e1", File: "memory/2026-02-28.md", Day: "2026-02-28", Line: 1, Text: "- The kiln is fired on Fridays now"}}
		r.Seal()
		got := Check(r, policy.CuratorExtract, []Operation{
			{Op: Replace, Lines: []int{3}, From: []string{"e1"}, Quote: "The kiln is fired on Fridays now"}})
		if len(got) != 1 || got[0].Verdict != want {
			t.Errorf("%q: %+v, want it %s", comment, got, want)
		}
	}
}
