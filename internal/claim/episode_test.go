package claim

import "testing"

// TestEpisodes: what people without a name did, an answer and a possibility are neither rules nor facts.
func TestEpisodes(t *testing.T) {
	for text, want := range map[string]bool{
		"A man came in to ask whether we sell envelopes. We do not. He bought a pencil.": false,
		"Two tourists photographed the window for ten minutes.":                          false,
		"Une cliente demande des carnets à petits carreaux.":                             false,
		"I read two chapters that a customer may or may not ask about.":                  false,
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
