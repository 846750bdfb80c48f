package scan

import (
	"strings"
	"testing"
)

func TestMask(t *testing.T) {
	pw := "Sommer" + "2031!x"
	tests := []struct{ name, text, want string }{
		{"nothing", "no secret here", "no secret here"},
		{"token", "use " + patToken + ".", "use «masked»."},
		{"address keeps its host", "postgres" + "://app:" + pw + "@db01/app", "postgres://app:«masked»@db01/app"},
		{"value again elsewhere", "password: " + pw + "\nlogged in with " + pw, "password: «masked»\nlogged in with «masked»"},
		{"two in a row", patToken + "," + awsKey, "«masked»,«masked»"},
		{"longer than any search", "Authorization: Bea" + "rer " + strings.Repeat(patToken[4:], 90), "Authorization: Bearer «masked»"},
		{"long assigned value", "api_key=" + strings.Repeat(patToken[4:], 20) + " x", "api_key=«masked» x"},
		{"masked already", "password: «masked»", "password: «masked»"},
		{"cut off at the end", "use " + patToken[:20], "use «masked»"},
		{"abbreviated", "use " + patToken[:14] + "... from now on", "use «masked»... from now on"},
		{"a prefix alone", "tokens begin with gh" + "p_", "tokens begin with gh" + "p_"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(Mask([]byte(tt.text)))
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if again := string(Mask([]byte(got))); again != got {
				t.Errorf("masked again: %q, was %q", again, got)
			}
		})
	}
}

func TestMaskLeavesOriginalAlone(t *testing.T) {
	text := []byte("use " + patToken)
	Mask(text)
	if !strings.HasSuffix(string(text), patToken) {
		t.Errorf("the input was changed: %q", text)
	}
}
