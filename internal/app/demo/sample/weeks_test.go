package sample

import "testing"

// TestNotesOfAFew: a member with few lines writes them all.
func TestNotesOfAFew(t *testing.T) {
	m := Member{Name: "ada", Scratch: []string{"the kiln is cold"}}
	if got := m.Notes(1, 0); got != "- the kiln is cold\n" {
		t.Errorf("%q", got)
	}
}
