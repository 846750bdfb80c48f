package runner

import (
	"os"
	"slices"
	"strings"
	"testing"

	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
)

// TestPaddedFiles: an agent pads a file so that it is too large to read. Its beginning is still compared with the
// baseline, a reset puts it into the trash whole, and the undo restores it.
func TestPaddedFiles(t *testing.T) {
	padding := strings.Repeat("- pad\n", 1<<20/6)
	for name, tc := range map[string]struct {
		text  string
		times int
		want  job.Outcome
	}{
		"drift, 2 MB":  {"# I am the king\n\n---\n", 2, job.Drifted},
		"drift, 40 MB": {"# I am the king\n\n---\n", 40, job.Drifted},
		"notes, 40 MB": {operators, 40, job.WasReset},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t, "ada")
			text := tc.text + strings.Repeat(padding, tc.times)
			y.write("ada/MEMORY.md", text)
			f := y.open(fleet.Options{Write: true})
			drift := func(found []finding.Finding) bool {
				return slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Code == finding.Drift.Code })
			}
			if r := Do(t.Context(), f, "ada", "audit", Options{Who: "test"}); drift(r.Findings) != (tc.want == job.Drifted) {
				t.Errorf("audit: %v", r.Findings)
			}
			if st := f.State(t.Context(), "ada", fleet.Survey{}); st.Drift != (tc.want == job.Drifted) || st.Error != "" {
				t.Errorf("status: drift %v, %s", st.Drift, st.Error)
			}
			r := Do(t.Context(), f, "ada", "reset", Options{Who: "test"})
			if r.Outcome != tc.want {
				t.Fatalf("reset: %s (%s %v), want %s", r.Outcome, r.Summary, r.Err, tc.want)
			}
			if got := y.read("ada/MEMORY.md"); got != operators {
				t.Errorf("it has %d bytes", len(got))
			}
			a, err := f.Agent(t.Context(), "ada")
			must(t, err)
			defer a.Close()
			kept := y.path("deep/state/trash/ada/" + r.Did.Files[0].Trash)
			if i, err := os.Stat(kept); err != nil || i.Size() != int64(len(text)) {
				t.Errorf("the trash has %v, %v", i, err)
			}
			act, err := a.Ledger.Find(r.Action)
			must(t, err)
			if _, err := Undo(t.Context(), a, act, false, Options{Who: "test"}); err != nil {
				t.Fatalf("undo: %v", err)
			}
			if got := y.read("ada/MEMORY.md"); got != text {
				t.Errorf("after the undo it has %d bytes, want %d", len(got), len(text))
			}
			records, err := os.ReadDir(y.path("deep/state/agents/ada/ledger"))
			must(t, err)
			for _, e := range records {
				if i, err := e.Info(); err != nil || i.Size() > 64<<10 {
					t.Errorf("the ledger has %v, %v", i, err)
				}
			}
		})
	}
}
