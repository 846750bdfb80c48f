package runner

import (
	"fmt"
	"io/fs"
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

// TestStateStaysWithinItsQuota: an agent that only uses tools rewrites a large file over and over. The displaced texts
// are compacted as edits, none is lost, and every action can still be undone.
func TestStateStaysWithinItsQuota(t *testing.T) {
	y := newYard(t, "ada")
	conf := y.read("tend.yaml")
	y.write("tend.yaml", strings.Replace(conf, "baseline.min_bytes: 10", "baseline.min_bytes: 10, state.max_bytes: 4MB", 1))
	f := y.open(fleet.Options{Write: true})
	a, err := f.Agent(t.Context(), "ada")
	must(t, err)
	defer a.Close()
	rnd := rand.New(rand.NewPCG(1, 2))
	var lines []string
	for range 4000 {
		lines = append(lines, fmt.Sprintf("- fact %x", rnd.Uint64()))
	}
	const rounds = 100
	texts := make([]string, rounds)
	for i := range texts {
		lines[rnd.IntN(len(lines))] = fmt.Sprintf("- fact of round %d", i)
		texts[i] = strings.Join(lines, "\n") + "\n"
		y.now = y.now.Add(time.Minute)
		r, err := Write(t.Context(), a, "notes.md", []byte(texts[i]), nil, "write", Options{Who: "test"})
		if err != nil || r.Outcome == plan.Failed {
			t.Fatalf("round %d: %v", i, err)
		}
	}
	var used int64
	must(t, filepath.WalkDir(y.path("deep/state"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			i, ierr := d.Info()
			used, err = used+i.Size(), ierr
		}
		return err
	}))
	t.Logf("%d replaces of %d KB: the state has %d KB", rounds, len(texts[0])>>10, used>>10)
	if used > 5<<20 {
		t.Errorf("the state has %d bytes, the quota is 4 MB", used)
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
	if seen != rounds-1 {
		t.Errorf("%d texts are kept, want %d", seen, rounds-1)
	}
	if _, err := os.Stat(y.path("deep/state/trash/ada")); err != nil {
		t.Error(err)
	}
}

// TestFightStaysWithinItsQuota: an agent rewrites the operator's text and is reset, again and again.
func TestFightStaysWithinItsQuota(t *testing.T) {
	y := newYard(t, "ada")
	conf := y.read("tend.yaml")
	y.write("tend.yaml", strings.Replace(conf, "baseline.min_bytes: 10",
		"baseline.min_bytes: 10, state.max_bytes: 2MB, archive.keep_min: 5", 1))
	f := y.open(fleet.Options{Write: true})
	padding := strings.Repeat("- I will not be told what to do\n", 3000)
	const rounds = 60
	for i := range rounds {
		y.now = y.now.Add(time.Minute)
		y.write("ada/MEMORY.md", fmt.Sprintf("# I am king number %d\n\n---\n%s", i, padding))
		if r := Do(t.Context(), f, "ada", "reset", Options{Who: "test"}); r.Err != nil {
			t.Fatalf("round %d: %v", i, r.Err)
		}
	}
	var used int64
	must(t, filepath.WalkDir(y.path("deep/state"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			i, ierr := d.Info()
			used, err = used+i.Size(), ierr
		}
		return err
	}))
	t.Logf("%d fights over %d KB: the state has %d KB", rounds, len(padding)>>10, used>>10)
	if used > 3<<20 {
		t.Errorf("the state has %d bytes, the quota is 2 MB", used)
	}
	a, err := f.Agent(t.Context(), "ada")
	must(t, err)
	defer a.Close()
	kept := 0
	for act, err := range a.Ledger.Actions() {
		must(t, err)
		if act.Job != "reset" {
			continue
		}
		text, err := a.Ledger.Before(act, 0)
		must(t, err)
		if strings.Contains(string(text), "I am king number") {
			kept++
		}
	}
	if kept != rounds {
		t.Errorf("%d of %d texts are kept", kept, rounds)
	}
}
