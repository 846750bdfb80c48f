package scan

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestQuote(t *testing.T) {
	pw := "Sommer" + "2031!x"
	tests := []struct {
		name, text string
		max        int
		want       string
	}{
		{"short", "the build takes 48 s", 40, "the build takes 48 s"},
		{"cut by characters", "größere Änderungen am Bau", 10, "größere Ä…"},
		{"on one line", "one\r\n\ttwo\nthree", 40, "one two three"},
		{"no limit", "one\ntwo", 0, "one two"},
		{"control characters written out", "a\x1b[2Kb\u202ec", 40, "a<U+001B>[2Kb<U+202E>c"},
		{"masked before it is cut", "password: " + pw, 14, "password: «ma…"},
		{"label far from the cut", strings.Repeat("x ", 30) + "password: " + pw, 80, strings.Repeat("x ", 30) + "password: «masked»"},
		{"token without its label", "kQ7" + "vLm2XpR9tB4nW8sYd3HjF6g was rejected", 60, "«masked» was rejected"},
		{"commit and id stay", "fixed in 8f3c2b1a9d7e6f504132abcd98765432deadbe01", 80, "fixed in 8f3c2b1a9d7e6f504132abcd98765432deadbe01"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Quote(tt.text, tt.max)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if tt.max > 0 && utf8.RuneCountInString(got) > tt.max {
				t.Errorf("%d characters, want at most %d", utf8.RuneCountInString(got), tt.max)
			}
		})
	}
}
