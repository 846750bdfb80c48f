package claim

import "testing"

// A word that begins like a number is none: "eighth" is not eight hours, "und" not one day.
func TestNumberInWord(t *testing.T) {
	for text, want := range map[string]bool{
		`The eighth is called "the eighth" from now on.`:      false,
		"DNS: ns1 und ns2 laufen mit Knot, zone files in git": false,
		"The kiln cools for eight hours.":                     true,
		"Eine Woche Urlaub":                                   true,
		"Der Ofen kühlt 8h aus":                               true,
	} {
		found := false
		for _, c := range Read(text, 0).Claims {
			found = found || c.Kind == Duration
		}
		if found != want {
			t.Errorf("%q: a duration was read: %v, want %v: %v", text, found, want, Read(text, 0).Claims)
		}
	}
}

// TestCodeWithALetter: "4490-H" is a code, not 4490 hours, and "4471-K" no port.
func TestCodeWithALetter(t *testing.T) {
	older, newer := Read("Consumables go on cost centre 4471-K.", 0), Read("New cost centre for consumables from April: 4490-H", 0)
	cs := Conflicts(newer, older)
	if len(cs) != 1 || cs[0].Old.Value() != "4471-k" || cs[0].New.Value() != "4490-h" {
		t.Errorf("read as %v and %v", older.Claims, newer.Claims)
	}
}
