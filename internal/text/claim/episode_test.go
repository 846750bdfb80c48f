package claim

import (
	"testing"

	"tend/internal/text/note"
)

// TestEpisodes: what people without a name did, an answer and a possibility are neither rules nor facts.
func TestEpisodes(t *testing.T) {
	for text, want := range map[string]bool{
		"A man came in to ask whether we sell envelopes. We do not. He bought a pencil.": false,
		"Two tourists photographed the window for ten minutes.":                          false,
		"Une cliente demande des carnets à petits carreaux.":                             false,
		"I read two chapters that a customer may or may not ask about.":                  false,
		"Ivo is back, with 12 crates of tiles.":                                          false,
		"Pages 1 to 9 are finished and bound, 10 to 14 are in the press.":                false,
		"A deposit of 30 % is due at signing, always.":                                   true,
		"We do not sell envelopes.":                                                      true,
		"Customers may not use the guillotine.":                                          true,
	} {
		w := WorthOf(text, 0)
		if got := !w.Report && (w.Fact || w.Form == "rule"); got != want {
			t.Errorf("%q: got %v, want %v: %+v", text, got, want, w)
		}
	}
}

// TestDeadlineEnds: what is due by a day is over after it.
func TestDeadlineEnds(t *testing.T) {
	day, err := note.ParseDay("2026-03-10")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"The grant application is due on 17 June.":       "2026-06-17",
		"Abgabe der Unterlagen: 17. April":               "2026-04-17",
		"The tax return is due on 31 July every year.":   "",
		"The mill was founded on 17 June.":               "",
		"Entries close on 3 February, upload only, Ivo.": "",
	} {
		got := ""
		if until := WorthOf(text, day).Until; until != 0 {
			got = until.String()
		}
		if got != want {
			t.Errorf("%q: until %q, want %q", text, got, want)
		}
	}
}

// TestOtherActorIsNoRepetition: who does a thing is part of what is said.
func TestOtherActorIsNoRepetition(t *testing.T) {
	a, b := Read("Nadia waters the palms in the upper hall", 0), Read("Rui waters the palms in the upper hall", 0)
	if Same(a, b) {
		t.Error("another person counts as a confirmation")
	}
	if !Same(a, Read("The palms in the upper hall: Nadia waters them", 0)) {
		t.Error("the same in another order is no confirmation")
	}
}

// TestRulesByTheirForm: what is said of all of a sort, or of us alone, is a rule without a word for one.
func TestRulesByTheirForm(t *testing.T) {
	for text, want := range map[string]bool{
		"Anything from the council gets forwarded to Siv straight away.":            true,
		"We use paper bags only. Tor turned down the plastic ones.":                 true,
		"Photos: Ida doesn't go on the shop's page, not even from behind.":          true,
		"ok, apuntado: no calls to Siv after 19:00 unless she is really on duty":    true,
		"Everything quiet, all tests green.":                                        false,
		"thought: nobody has used the bread maker since I arrived":                  false,
		"All twelve frames arrived.":                                                false,
		"Orders of at most five boards leave on Friday; no more than that was left": false,
	} {
		if got := WorthOf(text, 0).Form == "rule"; got != want {
			t.Errorf("%q: a rule %v, want %v: %+v", text, got, want, WorthOf(text, 0))
		}
	}
	if w := WorthOf("Sample IDs: `ST3-<tray>-<pot>`; anything else is rejected.", 0); !w.Fact || w.Score < 2 {
		t.Errorf("a form to go by: %+v", w)
	}
	if Read("mail 19 new", 0).Changed || Read("2 Tickets neu, 2 zu", 0).Changed || !Read("new mail address: post@example.org", 0).Changed {
		t.Error("what came in is no change")
	}
}
