package claim

import (
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFinder: a finder finds what its regular expression does, at the same places.
func TestFinder(t *testing.T) {
	texts := []string{
		"", "5", "at 5pm", "Geschäftsführung 5 und ü7", "grün12 web12 12web", "03-14 until 03-15", "/a/b c:/d `e/f`", "K5 ſ5 \xff5\xffa 5", "é", "+49 30 1234567 or 0301234567",
		"listens on 8080, port: 443", "10 000 EUR, 3,5 kg, 12.5 % of 7:30h", "every second Monday of the month", "3月4日 15時半 12枚", "half past nine", "Debian 12.4 v1.2.3 DE-2210A 4490-H",
		"night shift, works nights; Nachtdienst", "http://x.example:80/y?z a@b.example 10.0.0.1:22 a.b.example", "12 May 2026 and May 12th, 2026 on the 3rd 3.4. 12.30 Uhr", "number is A-12 code 77#",
	}
	for _, name := range []string{"relate_test.go", "worth_test.go", "number_test.go"} { // sentences of every sort
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.Split(string(data), "\n")...)
	}
	for _, p := range patterns {
		f := p.re()
		plain := regexp.MustCompile(f.first().String()[len(`\A`):])
		for _, text := range texts {
			for from := 0; from <= len(text); from += 1 + len(text)/10 {
				if got, want := f.find(text[from:]), plain.FindStringSubmatchIndex(text[from:]); !slices.Equal(got, want) {
					t.Fatalf("%s in %q: %v, want %v", plain, text[from:], got, want)
				}
			}
		}
	}
}

// TestAutomatonDropsStates: a text that needs more states than are kept is read as well, and the states are few again after it.
func TestAutomatonDropsStates(t *testing.T) {
	f := newFinder(`(a|b)*a(a|b){14}c`)
	plain := f.plain()
	r := rand.New(rand.NewPCG(1, 2))
	most, dropped := 0, false
	for range 200 {
		text := make([]byte, 500)
		for i := range text {
			if text[i] = "ab"[r.IntN(2)]; r.IntN(40) == 0 {
				text[i] = 'c'
			}
		}
		if got, want := f.find(string(text)), plain.FindStringSubmatchIndex(string(text)); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
		n := len(f.match.states)
		if most, dropped = max(most, n), dropped || n < most; n > mostStates {
			t.Fatalf("%d states", n)
		}
	}
	if !dropped {
		t.Errorf("%d states, and none were dropped", most)
	}
}
