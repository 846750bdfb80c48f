package scope

import (
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// TestFoldIsCaseFolding compares fold with Unicode's full case folding for every character: two names are twins by one
// rule if they are by the other.
func TestFoldIsCaseFolding(t *testing.T) {
	full := cases.Fold()
	ours, theirs := map[string]string{}, map[string]string{}
	for r := rune(0x21); r <= unicode.MaxRune; r++ {
		if r >= 0xD800 && r <= 0xDFFF || !unicode.IsGraphic(r) || unicode.Is(unicode.Cherokee, r) { // which x/text does not fold
			continue
		}
		a, b := Fold(string(r)), norm.NFKD.String(full.String(norm.NFKC.String(string(r))))
		if x, ok := ours[a]; ok && x != b {
			t.Errorf("%q is a twin of another character by our rule only: %q, %q and %q", r, a, b, x)
		}
		if x, ok := theirs[b]; ok && x != a {
			t.Errorf("%q is a twin of another character by Unicode's rule only: %q, %q and %q", r, b, a, x)
		}
		ours[a], theirs[b] = b, a
	}
	for _, pair := range [][2]string{{"Straße", "STRASSE"}, {"ﬁle", "FILE"}, {"Ὀδυσσεύς", "ὈΔΥΣΣΕΎΣ"}, {"e\u0301", "É"}} {
		if Fold(pair[0]) != Fold(pair[1]) {
			t.Errorf("%q and %q are not twins", pair[0], pair[1])
		}
	}
}
