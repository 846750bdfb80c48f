package write

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/engine/job/jobtest"
	"tend/internal/state/plan"
	"tend/test/require"
)

// night is an agent's evening in a table of tests.
type night struct {
	layout, clock, zone string
	files, base         map[string]string
	policy              map[string]any
	facts               job.Facts
}

func (n night) input(t *testing.T) job.Input {
	t.Helper()
	g := jobtest.Night{Layout: n.layout, Clock: n.clock, Zone: n.zone, Files: n.files, Policy: n.policy, Base: n.base}.Given(t)
	return job.Input{Snapshot: g.Snapshot, Layout: g.Layout, Policy: g.Policy, Baselines: g.Baselines, Facts: n.facts}
}

// text returns a file's text with the plan applied.
func text(in job.Input, pl plan.Plan, path string) string {
	return string(job.After(in, pl).File(vault.Path(path)).Data)
}

const (
	v4         = jobtest.V4
	bufferFile = jobtest.BufferFile
	dailyFile  = jobtest.DailyFile
	closure    = jobtest.Closure
	awsKey     = jobtest.AWSKey
)

var (
	must     = require.NoError
	one      = jobtest.Files
	lines    = jobtest.Lines
	bufferOf = jobtest.Buffer
	codes    = jobtest.Codes
)

func TestSessionWrite(t *testing.T) {
	const now = "last_updated: 2026-11-15T23:00:00+01:00\n"
	for _, tt := range []struct{ name, before, text, want string }{
		{"plain words", "", "reviewing the retry change", "# Session State\n" + now + "\nreviewing the retry change\n"},
		{"the old one goes", "# Session State\nlast_updated: 2026-11-01\n\nold\n", "new", "# Session State\n" + now + "\nnew\n"},
		{"its own title and time", "", "# Now\n**Last updated:** 2026-11-01\n\nwork",
			"# Now\n**Last updated:** 2026-11-15T23:00:00+01:00\n\nwork\n"},
		{"its own title", "", "# Now\n\nwork", "# Now\n" + now + "\nwork\n"},
		{"a heading of lower rank", "", "## Task\nwork", "# Session State\n" + now + "\n## Task\nwork\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := night{}
			if tt.before != "" {
				n.files = one("SESSION-STATE.md", tt.before)
			}
			in := n.input(t)
			pl, err := SessionWrite(in, Request{Text: tt.text})
			must(t, err)
			if diff := cmp.Diff(tt.want, text(in, pl, "SESSION-STATE.md")); diff != "" {
				t.Errorf("the state (-want +got):\n%s", diff)
			}
		})
	}
}
