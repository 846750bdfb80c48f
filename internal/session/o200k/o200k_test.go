package o200k

import (
	"strings"
	"testing"

	"tend/internal/session"
)

// TestEstimate holds the estimator to the exact count: a budget must not be
// overrun by much, nor half of it wasted.
func TestEstimate(t *testing.T) {
	count := Counter()
	for name, text := range map[string]string{
		"notes": "# 2026-11-15\n\n- 09:12 [decision] backups go to the second disk before the upgrade, not after\n" +
			"- 10:40 rotated the certificates; next in 60 days\n- 11:05 [lesson] the proxy caches DNS for an hour, so wait before calling a move done\n",
		"prose": "The agent owns its notes and the operator owns the baseline. Housekeeping happens between them, without ever losing a byte. " +
			"Whoever opens the file in an editor finds plain markdown and nothing else.\n",
		"german":  "Der Betreiber entscheidet, welche Regeln gelten; der Agent schreibt seine Notizen darunter. Änderungen an der Grundlage werden erkannt und zurückgesetzt.\n",
		"list":    "- a: 1\n- b: 2\n- port: 8080\n- host: db-3.internal\n- path: /srv/data/notes.md\n- url: https://example.org/a/b?c=d&e=f\n",
		"code":    "```go\nfunc main() {\n\tif err := run(os.Args[1:]); err != nil {\n\t\tlog.Fatal(err)\n\t}\n}\n```\n",
		"chinese": "代理拥有自己的笔记，操作者拥有基线。两者之间的整理不会丢失任何一个字节。\n",
		"hashes":  "version 4a1e67f2fe1d9c0b7734 action 1r9cand4zf, sha256 b36c369a33ad\n",
	} {
		text = strings.Repeat(text, 10)
		exact, guess := count(text), session.EstimateTokens(text)
		ratio := float64(guess) / float64(exact)
		t.Logf("%-8s exact %5d, estimate %5d, ratio %.2f", name, exact, guess, ratio)
		if ratio < 0.9 || ratio > 1.45 {
			t.Errorf("%s: estimate %d for %d tokens", name, guess, exact)
		}
	}
}

func TestBudgetInExactTokens(t *testing.T) {
	count := Counter()
	if got := count("hello world"); got != 2 {
		t.Errorf("got %d tokens, want 2", got)
	}
	if got := count("\xff\xfe"); got == 0 {
		t.Error("what is no UTF-8 counts nothing")
	}
}
