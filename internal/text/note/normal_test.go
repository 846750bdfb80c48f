package note

import "testing"

func TestNormal(t *testing.T) {
	same := [][]string{
		{"- [decision] Use Postgres.", "* use postgres", "1. [14:30] [lesson] Use  **Postgres**!", "- [x] use postgres (2026-11-15)", "Use\n  postgres"},
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

func TestSimilar(t *testing.T) {
	tests := []struct {
		a, b     string
		low, top float64
	}{
		{"- [decision] Use Postgres for the ledger", "* 14:30 - use postgres for the ledger!", 1, 1},
		{"", "", 1, 1},
		{"", "x", 0, 0},
		{"We decided to use Postgres for the ledger", "Decided to use Postgres for the ledger", 0.75, 0.99},
		{"The API listens on port 8080 behind nginx", "The API listens on port 8081 behind nginx", 0, 0.5},
		{"The deploy script does restart the gateway", "The deploy script does not restart the gateway", 0, 0.5},
		{"Anna reviews the work of Ben", "Ben reviews the work of Anna", 0, 0.7},
		{"the ports 80 and 443 of the proxy are open to the whole office network", "the ports 443 and 80 of the proxy are open to the whole office network", 0.6, 0.99},
		{"Use Postgres for the ledger", "The cat sat on the mat", 0, 0.2},
		{"毎晩ログを整理してから記憶を更新する", "毎晩ログを整理して記憶を更新する", 0.7, 0.99},
		{"毎晩ログを整理する", "猫が好きです", 0, 0.1},
		{"部署到生产环境", "不部署到生产环境", 0, 0.5},
		{"端口是8080", "端口是8081", 0, 0.5},
	}
	for _, tt := range tests {
		got := NewGist(tt.a).Similar(NewGist(tt.b))
		if got < tt.low || got > tt.top {
			t.Errorf("%q and %q: got %.2f, want %.2f to %.2f", tt.a, tt.b, got, tt.low, tt.top)
		}
		if back := NewGist(tt.b).Similar(NewGist(tt.a)); back != got {
			t.Errorf("%q and %q: %.2f one way, %.2f the other", tt.a, tt.b, got, back)
		}
	}
}
