package note

import "testing"

func TestNormal(t *testing.T) {
	same := [][]string{
		{"- [decision] Use Postgres.", "* use postgres", "1. [14:30] [lesson] Use  **Postgres**!", "- [x] use postgres (2026-11-15)",
			"Use\n  postgres"},
		{"- ＡＢＣ １２３", "- abc 123"},
		{"- cafe\u0301", "- café"},
		{"- \"quoted\"", "- “quoted”", "- `quoted`"},
		{"- 記憶、整理。", "- 記憶 整理"},
	}
	for _, group := range same {
		want := Normal(group[0])
		for _, text := range group[1:] {
			if got := Normal(text); got != want {
				t.Errorf("%q: got %q, want %q", text, got, want)
			}
		}
	}
	different := [][2]string{
		{"- written in C", "- written in C++"}, {"- written in C", "- written in C#"}, {"- it is 5", "- it is -5"},
		{"- mood 😀", "- mood 😢"}, {"- v1.2", "- v12"}, {"- due 2026-11-15 at noon", "- due 2026-11-16 at noon"},
	}
	for _, p := range different {
		if a, b := Normal(p[0]), Normal(p[1]); a == b {
			t.Errorf("%q and %q: both are %q", p[0], p[1], a)
		}
	}
	if got := Normal("- [ ] **!**"); got != "" {
		t.Errorf("punctuation only: got %q, want nothing", got)
	}
}
