package cli

import (
	"testing"

	"tend/internal/engine/job"
	"tend/internal/engine/runner"
	"tend/internal/model/finding"
	"tend/internal/model/usererr"
)

// TestUnrecordedRunFails: a disk that fails after the change, but before the run is recorded, is a failure, not a finding.
func TestUnrecordedRunFails(t *testing.T) {
	done := runner.Result{Agent: "a", Outcome: job.Changed, Action: "x"}
	unrecorded, drift := done, done
	unrecorded.Findings = []finding.Finding{finding.Drift.In("", "x"), finding.JobFailed.In("", "record the run of reset: input/output error")}
	drift.Findings = unrecorded.Findings[:1]
	for want, r := range map[int]runner.Result{usererr.CodeFine: done, usererr.CodeFindings: drift, usererr.CodeFailed: unrecorded} {
		if got := resultCode(r); got != want {
			t.Errorf("got exit code %d, want %d: %v", got, want, r.Findings)
		}
	}
}
