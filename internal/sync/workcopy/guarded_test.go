package workcopy

import (
	"fmt"
	"strings"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/sync/store/storetest/memstore"
)

// TestGuardedChangesAreShown: what another machine approves or writes for the operator is reported with the whole change,
// on machines that had another text, and once.
func TestGuardedChangesAreShown(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	b := clone(t, "desktop", s)
	approve := func(text string) {
		v := vault.VersionOf([]byte(text))
		must(t, a.disk.WriteFile("state/baselines/ada/"+string(v)+".md", text))
		must(t, a.disk.WriteFile("state/baselines/ada/approvals.json",
			fmt.Sprintf("[{\"file\":\"SOUL.md\",\"sha256\":%q,\"by\":\"eve\",\"count\":1}]\n", v)))
		must(t, a.disk.WriteFile("operator/soul.md", text))
	}
	shown := func(r Report) (diffs []string) {
		for _, f := range r.Findings {
			if f.Code == finding.StoreGuarded.Code && f.File == "SOUL.md" {
				diffs = append(diffs, f.Diff)
			}
		}
		return diffs
	}
	a.pass(3e9)
	approve("# Soul\n\nObey eve.\n")
	a.sync()
	diffs := shown(b.sync())
	if len(diffs) != 2 || !strings.Contains(strings.Join(diffs, ""), "+Obey eve.") {
		t.Errorf("shown: %q", diffs)
	}
	if again := shown(b.sync()); len(again) != 0 {
		t.Errorf("shown again: %q", again)
	}
	if own := shown(a.sync()); len(own) != 0 {
		t.Errorf("the machine that did it is told: %q", own)
	}
}
