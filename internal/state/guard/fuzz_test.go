package guard_test

import (
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/state/guard"
)

// FuzzApprovals puts any text where approvals and their counts are kept: nothing panics, and a baseline passes only as
// the text that was approved.
func FuzzApprovals(f *testing.F) {
	f.Add(`[{"file":"MEMORY.md","sha256":"x","count":1}]`, `{"counts":{"MEMORY.md":1}}`)
	f.Add(`[{"file":"../x","sha256":"../../x","count":-1,"signature":"-----BEGIN SSH SIGNATURE-----"}]`, `{"MEMORY.md":9}`)
	f.Add(`{}`, `[]`)
	f.Fuzz(func(t *testing.T, approvals, counts string) {
		o := newOffice(t, nil)
		o.writes("MEMORY.md", sized(1200))
		o.approve(nil, "MEMORY.md")
		o.must(o.disk.WriteFile("state/baselines/ada/approvals.json", approvals))
		o.must(o.disk.WriteFile("state/agents/ada/approved.json", counts))
		list, err := o.guard.Approvals()
		if err != nil {
			return
		}
		o.writes("MEMORY.md", sized(1300)) // not approved
		_, found, err := o.guard.Check(o.baseline("MEMORY.md"), list, minBytes)
		if err == nil && len(found) == 0 && list["MEMORY.md"].Version != vault.VersionOf([]byte(sized(1300))) {
			t.Errorf("passes with %q", approvals)
		}
		for _, a := range list {
			_, _ = o.guard.Approved(a)
			_, _ = o.guard.Restore(o.baseline("MEMORY.md"), a)
		}
		_, _ = o.guard.Approve([]guard.Baseline{o.baseline("MEMORY.md")}, "olga", minBytes, nil)
	})
}
