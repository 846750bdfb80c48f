package claim

import "testing"

// TestOdds: a statement that updates another in words of its own has better odds than one that only shares words with it.
func TestOdds(t *testing.T) {
	for _, tt := range []struct{ older, update, other string }{
		{"Membership fee: 180 EUR a year.", "The annual membership fee goes up to 195 EUR a year.", "Ann paid her membership in coins."},
		{"settlement: the nightly run starts at 01:00", "we decide: the settlement run starts at 00:15 as of tonight", "settlement 00:15-02:31, good"},
		{"flaky tests: two flakes in a week, then quarantine and a ticket", "flake policy changed: three flakes in a week, then quarantine and ticket", "3 tests in quarantine"},
		{"Deck oven: from the auction, 3 decks", "The deck oven has 4 decks now", "deck oven 245 °C for rye, then down to 220"},
	} {
		if update, other := oddsOf(tt.update, tt.older), oddsOf(tt.other, tt.older); update <= other {
			t.Errorf("%q: %d for %q, %d for %q", tt.older, update, tt.update, other, tt.other)
		}
	}
	older := "On market days orders go to Ann, who is at the till and hears nothing."
	if same, other := oddsOf("Ben helps us from today. On market days all orders go to him.", older), oddsOf("Ben helps us from today. All orders for market wait until the days are longer, he says.", older); same <= other {
		t.Errorf("a run of shared words: %d, the same words apart: %d", same, other)
	}
	lesson := "Never trust check 31 on host h7 before its cache is cleared."
	if got := oddsOf("Never trust check 12 on host h40 before its cache is cleared.", lesson); got > -50 {
		t.Errorf("another host: %d", got)
	}
	if got := oddsOf("Brandes: the contact is Tarek Sayed, phone 04551 990 244", "Lund: the contact is Ida Koch, phone 04551 990 120"); got > -50 {
		t.Errorf("another customer: %d", got)
	}
	if got := oddsOf("The gate is shut.", "Bread at nine"); got > -50 {
		t.Errorf("nothing shared: %d", got)
	}
}

func oddsOf(newer, older string) int {
	n, o := Read(newer, 20000), Read(older, 0)
	over, _ := Supersedes(n, o)
	return Odds(n, o, over, Terms(newer), Terms(older), func(string) int { return 2 })
}
