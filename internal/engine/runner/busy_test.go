package runner

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/state/plan"
)

// TestBusyTrashIsPacked: an agent changes a file many times a day for two months. The trash stays small, long before its
// retention is over, and the text before every change is still known.
func TestBusyTrashIsPacked(t *testing.T) {
	y := newYard(t, "ada")
	a, err := y.open(fleet.Options{Write: true}).Agent(t.Context(), "ada")
	must(t, err)
	defer a.Close()
	rnd := rand.New(rand.NewPCG(1, 2))
	var lines []string
	for range 1000 {
		lines = append(lines, fmt.Sprintf("- fact %x", rnd.Uint64()))
	}
	const days, perDay = 60, 5
	for day := range days {
		for i := range perDay {
			lines[rnd.IntN(len(lines))] = fmt.Sprintf("- fact %d of day %d", i, day)
			y.now = y.now.Add(4 * time.Hour)
			r, err := Write(t.Context(), a, "notes.md", []byte(strings.Join(lines, "\n")+"\n"), nil, "write", Options{Who: "test"})
			if err != nil || r.Outcome == plan.Failed {
				t.Fatalf("day %d: %v", day, err)
			}
		}
	}
	trash := int64(0)
	files, err := os.ReadDir(y.path("deep/state/trash/ada"))
	must(t, err)
	for _, f := range files {
		i, err := f.Info()
		must(t, err)
		trash += i.Size()
	}
	packs, err := filepath.Glob(y.path("deep/state/agents/ada/pack/*"))
	must(t, err)
	t.Logf("%d changes of %d KB: %d KB of trash, %d packs", days*perDay, len(strings.Join(lines, "\n"))>>10, trash>>10, len(packs))
	if trash > 4<<20 || len(packs) == 0 {
		t.Errorf("%d KB of trash and %d packs", trash>>10, len(packs))
	}
	seen := 0
	for act, err := range a.Ledger.Actions() {
		must(t, err)
		for i, file := range act.Files {
			if file.Path != "notes.md" || file.Before == vault.Absent {
				continue
			}
			text, err := a.Ledger.Before(act, i)
			if err != nil || vault.VersionOf(text) != file.Before {
				t.Fatalf("the text before %s: %v", act.ID, err)
			}
			seen++
		}
	}
	if seen != days*perDay-1 {
		t.Errorf("%d texts are known, want %d", seen, days*perDay-1)
	}
}
