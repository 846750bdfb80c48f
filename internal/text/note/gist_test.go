package note_test

import (
	"testing"

	"tend/internal/text/note"
)

// Alike is a shortcut to the same answer as Similar.
func TestAlike(t *testing.T) {
	texts := []string{
		"", "port 8080 is taken", "port 8081 is taken", "the port 8080 is taken by the old proxy", "never restart on friday", "restart on friday",
		"日本語のメモです", "日本語のメモでした", "one", "one two", "a long entry about something that has nothing to do with the others at all",
	}
	for _, a := range texts {
		for _, b := range texts {
			for _, limit := range []float64{0, 0.3, 0.5, 0.51, 0.85, 1} {
				got, want := note.NewGist(a).Alike(note.NewGist(b), limit), note.NewGist(a).Similar(note.NewGist(b)) >= limit
				if got != want {
					t.Errorf("%q and %q, at least %v: got %v, want %v", a, b, limit, got, want)
				}
			}
		}
	}
}

// TestForms: what an entry's words come to is kept, but not for a copy whose text was changed.
func TestForms(t *testing.T) {
	e := note.Parse([]byte("- Port 80, Monday\n")).Entries(0)[0]
	for range 2 {
		if e.Normal() != "port 80 monday" {
			t.Errorf("got %q", e.Normal())
		}
	}
	was := e.Gist()
	e.Raw = []byte("- Port 90, Friday\n")
	if e.Normal() != "port 90 friday" || e.Gist().Alike(was, 0.9) {
		t.Errorf("the changed copy is %q", e.Normal())
	}
}
