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
