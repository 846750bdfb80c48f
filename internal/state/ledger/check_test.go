package ledger_test

import (
	"strings"
	"testing"
	"time"

	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// TestForeign: of another machine's ledger only whole, sound actions of the past come here; what we have, too, stays.
func TestForeign(t *testing.T) {
	d := newDesk(t)
	first := d.edit(plan.Append, "a.md", "1\n")
	second := d.edit(plan.Append, "a.md", "2\n")
	text, err := d.disk.ReadFile(month)
	d.must(err)
	lines := strings.SplitAfter(text, "\n")
	other := strings.Replace(lines[2], `"path":"a.md"`, `"path":".git/config"`, 1)
	whole, open := strings.Join(lines[:4], ""), strings.Join(lines[:3], "")
	for name, c := range map[string]struct {
		theirs, ours, want string
		left               int
		now                time.Time
	}{
		"whole":                 {theirs: whole, want: whole},
		"torn":                  {theirs: whole + `{"v":1,"id":"15f`, want: whole},
		"did not end":           {theirs: open, want: strings.Join(lines[:2], ""), left: 1},
		"did not end, but ours": {theirs: open, ours: text, want: open},
		"damaged": {theirs: strings.ReplaceAll(whole, `"id":"`+second.ID+`","state":"done"`, `"id":"`+second.ID+`","state":"perhaps"`),
			want: strings.Join(lines[:2], ""), left: 1},
		"of another year":          {theirs: whole, left: 2, now: noon.AddDate(-1, 0, 0)},
		"another one under our id": {theirs: whole + other, ours: text, want: whole, left: 1},
		"and before it":            {theirs: strings.Join(lines[:2], "") + other + lines[2] + lines[3], ours: text, want: whole, left: 1},
		"an end alone":             {theirs: lines[1], want: lines[1]},
	} {
		now := c.now
		if now.IsZero() {
			now = d.now
		}
		in := func(s string) map[string][]byte { return map[string][]byte{"2026-03.jsonl": []byte(s)} }
		rest, left := ledger.Foreign(in(c.theirs), in(c.ours), now)
		if got := string(rest["2026-03.jsonl"]); got != c.want || left != c.left {
			t.Errorf("%s: %d left out, want %d:\n%s", name, left, c.left, got)
		}
	}
	if first.ID == second.ID {
		t.Error("one id for two actions")
	}
}
