package guard_test

import (
	"strings"
	"testing"

	"tend/internal/model/policy"
	"tend/internal/state/guard"
	"tend/internal/text/note"
)

// TestDraft: a filled-in draft gets no advice except on its size, and notes can be added below it.
func TestDraft(t *testing.T) {
	p, err := policy.Policy{}.With("test", map[string]any{"reset.every": "6h", "baseline.separator": "-----"})
	must(t, err)
	text := guard.Draft("ada", "memory/YYYY-MM-DD.md", p)
	for _, want := range []string{"every 6h", "`memory/YYYY-MM-DD.md`", "\n-----\n## Scratch Notes (ada)\n", "## Autonomy Tiers\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the draft:\n%s", want, text)
		}
	}
	if n := guard.Unfinished([]byte(text)); n == 0 || n != strings.Count(text, "[fill in: ") {
		t.Errorf("%d places to fill in", n)
	}
	if z := note.Split([]byte(text+"- a note\n"), []byte(text), "-----"); !z.Marked || z.Drift || string(z.Added()) != "- a note\n" {
		t.Errorf("a note below the draft: %+v", z)
	}
	if len(text) < policy.BaselineMinBytes.Of(p) {
		t.Errorf("the draft has only %d bytes", len(text))
	}
	filled := []byte(strings.ReplaceAll(text, "[fill in: ", "") + sized(12<<10))
	if found := guard.Advise("MEMORY.md", filled, p); len(found) > 0 {
		t.Errorf("advice on a filled-in draft: %v", found)
	}
}

func TestUnfinishedIsNotApproved(t *testing.T) {
	o := newOffice(t, nil)
	o.writes("MEMORY.md", guard.Draft("ada", "", policy.Policy{}))
	if made, err := o.guard.Approve([]guard.Baseline{o.baseline("MEMORY.md")}, "olga", minBytes, nil); err == nil ||
		!strings.Contains(err.Error(), "[fill in: ") {
		t.Errorf("approved %v, %v", made, err)
	}
}
