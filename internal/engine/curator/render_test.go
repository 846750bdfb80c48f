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

// TestARequestSaysNothingTwice: what a program writes at every turn of a transcript is shown once, and each of its entries named.
func TestARequestSaysNothingTwice(t *testing.T) {
	r := Request{Agent: "ada", Date: "2026-03-01", Task: Night, Log: []Entry{
		{ID: "e1", Text: "- Conversation info\n  (untrusted)"}, {ID: "e2", Text: "- yes"}, {ID: "e3", Text: "- Conversation info\n  (untrusted)"},
		{ID: "e4", Text: "- yes"},
	}}
	r.Seal()
	want := "e1 Conversation info\n   (untrusted)\ne2 yes\ne3 = e1\ne4 yes\n"
	if text := r.Text(); !strings.Contains(text, want) {
		t.Errorf("want %q in\n%s", want, text)
	}
}
