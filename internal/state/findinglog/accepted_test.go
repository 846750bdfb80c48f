package findinglog

import (
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/model/finding"
)

// TestAcceptedIsAcknowledgedUntilTakenBack: what a person accepted is open again once the acceptance is gone, is over, or
// there is more of the same.
func TestAcceptedIsAcknowledgedUntilTakenBack(t *testing.T) {
	state, err := fsys.Dir(t.TempDir())
	must(t, err)
	defer state.Close()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	b, err := Read(state, "a")
	must(t, err)
	found := finding.SecretAtRest.In("MEMORY.md", "2 secrets")
	found.Lines = []int{3, 9}
	b.Holds("audit", []finding.Finding{found}, now)
	until := now.Add(48 * time.Hour)
	a := finding.NewAcceptance(finding.Acceptance{
		Agent: "a", Code: found.Code, File: "MEMORY.md", Places: 2, By: "x", At: now, Until: &until,
	})
	must(t, Accept(state, "a", []finding.Acceptance{a, a}))
	open := func() int {
		t.Helper()
		must(t, b.ReadAcks(state))
		return len(Open(b.List()))
	}
	if got := open(); got != 0 {
		t.Fatalf("%d open, want none: it was accepted", got)
	}
	found.Lines = append(found.Lines, 12)
	b.Holds("audit", []finding.Finding{found}, now.Add(time.Hour))
	if got := open(); got != 1 {
		t.Errorf("%d open, want 1: a third secret was not accepted", got)
	}
	found.Lines = found.Lines[:2]
	b.Holds("audit", []finding.Finding{found}, now.Add(2*time.Hour))
	if got := open(); got != 0 {
		t.Errorf("%d open, want none again", got)
	}
	b.Holds("audit", []finding.Finding{found}, until)
	if got := open(); got != 1 {
		t.Errorf("%d open, want 1: the acceptance is over", got)
	}
	b.Holds("audit", []finding.Finding{found}, now.Add(3*time.Hour))
	gone, err := Unaccept(state, "a", []string{a.ID})
	must(t, err)
	if got := open(); got != 1 || len(gone) != 1 {
		t.Errorf("%d open after %d were taken back, want 1 and 1", got, len(gone))
	}
}
