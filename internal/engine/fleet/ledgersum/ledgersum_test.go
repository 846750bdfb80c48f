package ledgersum

import (
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
)

// TestPullIsNotTendsOwnChange: what a job left in a file is its own, so a line that is missing there was not deleted by the
// owner. What a sync wrote is not: a line that is missing may have been deleted on the other machine.
func TestPullIsNotTendsOwnChange(t *testing.T) {
	for name, want := range map[string]int{"prune": 1, ledger.Pull: 0} {
		sum := emptyTally()
		sum.add(ledger.Action{Outcome: ledger.Done, Record: ledger.Record{
			ID: "1ra6a40wpa", Job: name, At: time.Now(), Files: []ledger.File{{Path: "MEMORY.md", After: vault.VersionOf([]byte("x"))}},
		}}, "MEMORY.md", time.UTC)
		if len(sum.Files) != want || sum.Upto != "1ra6a40wpa" {
			t.Errorf("%s left %v, up to %s", name, sum.Files, sum.Upto)
		}
	}
}
