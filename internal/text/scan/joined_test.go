package scan

import (
	"strings"
	"testing"
)

func TestJoined(t *testing.T) {
	half, rest := patToken[:18], patToken[18:]
	body := strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", 4)
	tests := []struct {
		name        string
		parts       []string
		rule        string // "" for no hit
		first, last int
	}{
		{"end and beginning", []string{"the token is " + half, rest + " as I said"}, "secret.github-pat", 0, 1},
		{"announced", []string{"first half: `" + half + "`", "second half: `" + rest + "`."}, "secret.github-pat", 0, 1},
		{"bullets", []string{"- " + half, "- " + rest}, "secret.github-pat", 0, 1},
		{"three pieces", []string{patToken[:10], patToken[10:22], patToken[22:]}, "secret.github-pat", 0, 2},
		{"in the middle of a day", []string{"fine", "note " + half, rest, "fine"}, "secret.github-pat", 1, 2},
		{"key block", []string{"-----BEG" + "IN PRIVATE KEY-----", body}, "secret.private-key", 0, 1},
		{"whole in one text", []string{"x", patToken, "y"}, "", 0, 0},
		{"nothing", []string{"The build takes", "48 seconds now", "on edge-2"}, "", 0, 0},
		{"commit ids", []string{"reverted 8f3c2b1a9d7e6f50", "4132abcd98765432 stays"}, "", 0, 0},
		{"one text", []string{half}, "", 0, 0},
		{"none", nil, "", 0, 0},
		{"empty texts", []string{"", half, "", rest}, "", 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var parts [][]byte
			for _, p := range tt.parts {
				parts = append(parts, []byte(p))
			}
			got := Joined(parts, Options{})
			if tt.rule == "" {
				if len(got) != 0 {
					t.Errorf("got %+v, want nothing", got)
				}
				return
			}
			if len(got) != 1 {
				t.Fatalf("got %d splits %+v, want one", len(got), got)
			}
			s := got[0]
			if s.Rule != tt.rule || s.First != tt.first || s.Last != tt.last {
				t.Errorf("got %s in texts %d to %d, want %s in %d to %d", s.Rule, s.First, s.Last, tt.rule, tt.first, tt.last)
			}
			if s.Start < 0 || s.Start >= len(parts[s.First]) || s.End <= 0 || s.End > len(parts[s.Last]) {
				t.Errorf("position %d..%d is outside", s.Start, s.End)
			}
			if strings.Contains(s.Excerpt, half) || strings.Contains(s.Excerpt, rest) {
				t.Errorf("excerpt shows a piece: %s", s.Excerpt)
			}
		})
	}
	if got := Joined([][]byte{[]byte(half), []byte(rest)}, Options{Allow: []string{"secret.github-pat"}}); len(got) != 0 {
		t.Errorf("allowed rule reported: %+v", got)
	}
}
