package runner

import (
	"os"
	"testing"
	"time"

	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/jobruns"
)

// runs returns what is recorded of an agent's jobs.
func (y *yard) runs(agent string) map[string]jobruns.Run {
	y.t.Helper()
	a, err := y.open(fleet.Options{}).Records(agent)
	must(y.t, err)
	runs, err := a.Runs.Last()
	must(y.t, err)
	return runs
}

// TestTimersRecordResets: a reset that a timer starts has a time and an outcome in jobs.json, whether it succeeds or fails,
// and counts once.
func TestTimersRecordResets(t *testing.T) {
	y := newYard(t, "ada")
	y.write("tend.yaml", "version: 1\nstate_dir: ./deep/state\nagents:\n  ada:\n    layout: shepherd\n"+
		"    timezone: UTC\n    workspace: ./ada\n"+
		"    baselines: {MEMORY.md: ./baselines/ada.md}\n    policy: {reset.every: 1h, baseline.min_bytes: 10}\n")
	due := func() []Result { return Due(t.Context(), y.open(fleet.Options{Write: true}), "ada") }
	due() // the clock starts
	y.write("ada/MEMORY.md", operators+"- a note\n")
	y.now = y.now.Add(2 * time.Hour)
	due()
	if run := y.runs("ada")["reset"]; run.Outcome != job.WasReset || !run.Last.Equal(y.now) || len(run.Recent) != 1 {
		t.Fatalf("after a reset by a timer: %+v", run)
	}
	must(t, os.RemoveAll(y.path("ada")))
	y.now = y.now.Add(2 * time.Hour)
	due()
	if run := y.runs("ada")["reset"]; run.Outcome == job.WasReset || run.Error == "" || !run.Last.Equal(y.now) || len(run.Recent) != 2 {
		t.Errorf("after one that failed: %+v", run)
	}
}
