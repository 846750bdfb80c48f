package curator

import (
	"strings"
	"testing"

	"tend/internal/text/note"
)

// TestARequestHasWhatItsNightNeeds: what nobody can do tonight is not explained.
func TestARequestHasWhatItsNightNeeds(t *testing.T) {
	by := func(note.Entry) Author { return ByTend }
	for _, tt := range []struct {
		page      string
		own       bool
		has, lack []string
	}{
		{"# Memory\n", false, []string{"keep:"}, []string{"replace", "retire", "rewrite", "own words"}},
		{"# Memory\n\n- a line\n", false, []string{"keep:", "replace", "retire"}, []string{"rewrite", "own words"}},
		{"# Memory\n\n- a line\n", true, []string{"keep:", "replace", "retire", "rewrite", "own words"}, nil},
	} {
		r := Request{Agent: "ada", Date: "2026-03-01", Task: Night, OwnWords: tt.own,
			Pages: []Page{NewPage("MEMORY.md", note.Parse([]byte(tt.page)), 1, by, 0)}, Log: []Entry{{ID: "e1", Text: "- said"}}}
		r.Seal()
		text := r.Text()
		for _, s := range tt.has {
			if !strings.Contains(text, s) {
				t.Errorf("%q is not in\n%s", s, text)
			}
		}
		for _, s := range append(tt.lack, "{page}", "{own}", "{mark}") {
			if strings.Contains(text, s) {
				t.Errorf("%q is in\n%s", s, text)
			}
		}
	}
}
