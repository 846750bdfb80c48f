package claim

import (
	"testing"

	"tend/internal/note"
)

func TestWorth(t *testing.T) {
	day, _ := note.ParseDay("2026-03-10")
	for _, tt := range []struct {
		text, form string
		passing    bool
	}{
		{"Correction, I was wrong: Ida's allergy is to walnuts", "trait", false},
		{"The drawings do not match the survey", "", false},
		{"Please do not feed the swans", "rule", false},
		{"We do not ship on Fridays", "rule", false},
		{"No phones at the table, ever", "rule", false},
		{"Refunds go out in cash only", "rule", false},
		{"Visitors sign in at the gate and nowhere else", "rule", false},
		{"Yard: nobody climbs the crane alone", "rule", false},
		{"Yard: nobody home yet", "", false},
		{"No sign of the heron, ever since the storm", "", false},
		{"Lunch was soup only", "", false},
		{"The ferry price is fixed until September", "", false},
		{"The bridge is closed until April", "", false},
		{"The bridge is closed until Friday", "", true},
		{"The cat stays for the week", "", true},
	} {
		w := WorthOf(tt.text, day)
		if w.Form != tt.form || (w.Passing != "") != tt.passing {
			t.Errorf("%q: got %q, passing %q; want %q, %v", tt.text, w.Form, w.Passing, tt.form, tt.passing)
		}
	}
}
