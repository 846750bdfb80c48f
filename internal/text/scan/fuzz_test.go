package scan_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"tend/internal/text/scan"
	"tend/internal/text/scan/scantest"
)

// seed adds every attack and secret of the corpus and some harmless lines.
func seed(f *testing.F) {
	set := scantest.Tuned()
	for _, p := range set.Positive {
		f.Add([]byte(p.Text))
	}
	for _, h := range set.Harmless[:400] {
		f.Add([]byte(h.Text))
	}
	f.Add([]byte("password: " + strings.Repeat("«", 9)))
	f.Add([]byte("| host | password |\n|---|---|\n| nas | Kessel" + "77!berg |\n"))
	f.Add([]byte(strings.Repeat("-----BEG"+"IN PRIVATE KEY-----\n", 9)))
	f.Add([]byte("\U000e0001\U000e007f\xed\xa0\x80\ufeff"))
}

func FuzzText(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		hits := scan.Text(text, scan.Options{})
		if !bytes.Equal(before, text) {
			t.Fatal("the text was changed")
		}
		at := 0
		for _, h := range hits {
			if h.Start < at || h.End <= h.Start || h.End > len(text) {
				t.Fatalf("%s at %d..%d of %d, after %d", h.Rule, h.Start, h.End, len(text), at)
			}
			at = h.Start
			if want := 1 + bytes.Count(text[:h.Start], []byte{'\n'}); h.Line != want {
				t.Fatalf("%s: line %d, want %d", h.Rule, h.Line, want)
			}
			if !utf8.ValidString(h.Excerpt) || strings.ContainsFunc(h.Excerpt, unicode.IsControl) {
				t.Fatalf("%s: excerpt is not safe to print: %q", h.Rule, h.Excerpt)
			}
			for _, other := range hits {
				if value := string(text[other.Start:other.End]); other.Class == scan.Secret && len(value) >= 6 && strings.Contains(h.Excerpt, value) {
					t.Fatalf("%s shows the value of %s: %q", h.Rule, other.Rule, h.Excerpt)
				}
			}
		}
	})
}

func FuzzMask(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		masked := scan.Mask(text)
		if again := scan.Mask(masked); !bytes.Equal(again, masked) {
			t.Fatalf("masking again changed the text\n 0 %q\n 1 %q\n 2 %q", text, masked, again)
		}
		for _, h := range scan.Text(text, scan.Options{Classes: []scan.Class{scan.Secret}}) {
			if value := text[h.Start:h.End]; len(value) >= 6 && bytes.Contains(masked, value) {
				t.Fatalf("%s is not masked: %q in %q", h.Rule, value, masked)
			}
		}
	})
}
