package note_test

import (
	"fmt"

	"tend/internal/text/note"
)

func ExampleSplit() {
	baseline := []byte("# Ada\nReview every change.\n---\n## Scratch Notes\n")
	file := []byte("# Ada\nReview every change.\n---\n## Scratch Notes\n- the build is slow\n---\n- ask Ben\n")
	z := note.Split(file, baseline, "")
	fmt.Printf("line %d, drift %v\n%s", z.Line(), z.Drift, z.Added())
	// Output:
	// line 3, drift false
	// - the build is slow
	// ---
	// - ask Ben
}

func ExampleDoc_Entries() {
	day, _ := note.ParseDay("2026-11-15")
	text := []byte("# Log\n- [14:30] [decision] Use Postgres\n- [x] Rotate the keys (2026-11-14)\n")
	for _, e := range note.Parse(text).Entries(day) {
		fmt.Println(e.Line, e.Day, e.Tags, e.Task == note.DoneTask, e.Text())
	}
	// Output:
	// 2 2026-11-15 [decision] false Use Postgres
	// 3 2026-11-14 [] true Rotate the keys
}

func ExampleDoc_Append() {
	text := []byte("- a\n\nUpdated: 2026-11-15\nDecisions: none\nSignal: none\nOpen: none\n")
	d := note.Parse(text)
	out, err := note.Apply(text, []note.Edit{d.Append("- b")})
	fmt.Print(string(out), err)
	// Output:
	// - a
	// - b
	//
	// Updated: 2026-11-15
	// Decisions: none
	// Signal: none
	// Open: none
	// <nil>
}
