package ledger_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

func TestDiscard(t *testing.T) {
	d := newDesk(t)
	d.has("a.md", "one\n")
	old := d.edit(plan.Write, "a.md", "two\n").ID
	d.now = d.now.Add(100 * 24 * time.Hour)
	young := d.edit(plan.Write, "a.md", "three\n").ID
	d.must(d.disk.WriteFile("state/trash/ada/mine.md", "a file of the operator's\n"))

	if names, err := d.Aged(0, 0); err != nil || len(names) > 0 {
		t.Errorf("with no retention: %v, %v", names, err)
	}
	names, err := d.Aged(90*24*time.Hour, 10)
	if err != nil || !slices.Equal(names, []string{old + ".0-a.md"}) {
		t.Fatalf("aged: %v, %v", names, err)
	}
	d.session(func(s *ledger.Session) {
		act, err := s.Discard(context.Background(), names, "test")
		if err != nil || act.Outcome != ledger.Done || !slices.Equal(act.Discarded, names) {
			t.Errorf("discard: %+v, %v", act, err)
		}
	})
	left := d.disk.Files("state/trash/ada")
	if len(left) != 2 || left["state/trash/ada/"+young+".0-a.md"] != "two\n" || left["state/trash/ada/mine.md"] == "" {
		t.Errorf("left in the trash: %q", left)
	}
	d.holds("a.md", "three\n")
}
