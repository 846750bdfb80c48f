package job

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
)

// TestAFullPageLeavesTheLogRoom: a page that alone fills a curator's window does not make a request of each entry of the log.
func TestAFullPageLeavesTheLogRoom(t *testing.T) {
	l, err := layout.Preset("openclaw@2026.8")
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&log, "- entry %d of the log\n", i)
	}
	in := Input{Layout: l, Policy: policy.Policy{}, Snapshot: plan.Snapshot{
		Agent: "ada", Now: time.Date(2026, 11, 18, 3, 0, 0, 0, time.UTC), Files: map[vault.Path]vault.Doc{}}}
	for name, text := range map[vault.Path]string{
		"MEMORY.md": strings.Repeat("- a line of memory\n", 20_000), "memory/2026-11-17.md": log.String(),
	} {
		in.Files[name] = vault.Doc{Path: name, Data: []byte(text), Version: vault.VersionOf([]byte(text))}
	}
	entries, requests := 0, 0
	for r := range Requests(in) {
		entries, requests = entries+len(r.Log), requests+1
	}
	if entries != 5000 || requests > 20 {
		t.Errorf("%d entries in %d requests, want 5000 in at most 20", entries, requests)
	}
}

// TestOnlyTaggedEntriesAreKeptUnasked: a request does not say that Tend keeps what it would only propose.
func TestOnlyTaggedEntriesAreKeptUnasked(t *testing.T) {
	in := night{files: one("MEMORY.md", "# Memory\n", today,
		"- [decision] The cache keeps entries for 30 minutes\n- Never restart the gateway from inside a session\n")}.input(t)
	for r := range Requests(in) {
		if got := strings.Join(r.Suggestions, "\n"); !strings.Contains(got, r.Log[0].ID) || strings.Contains(got, r.Log[1].ID) {
			t.Errorf("%q, of %s and %s", got, r.Log[0].ID, r.Log[1].ID)
		}
	}
}
