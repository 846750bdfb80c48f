package job

import (
	"maps"
	"slices"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/engine/job/jobtest"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/test/require"
)

// night is an agent's evening as a table writes it down.
type night struct {
	layout     string            // openclaw@2026.8 unless said
	clock      string            // 2026-11-15 23:00 unless said
	zone       string            // Europe/Berlin unless said
	files      map[string]string // path: text
	policy     map[string]any
	remembered Remembered
	facts      Facts
	base       map[string]string // baselines
}

func (n night) input(t *testing.T) Input {
	t.Helper()
	g := jobtest.Night{Layout: n.layout, Clock: n.clock, Zone: n.zone, Files: n.files, Policy: n.policy, Base: n.base}.Given(t)
	in := Input{Snapshot: g.Snapshot, Layout: g.Layout, Policy: g.Policy, Baselines: g.Baselines, Facts: n.facts}
	in.Facts.Remembered = n.remembered
	return in
}

const hot0 = "# Memory\n"

const (
	v4         = jobtest.V4
	infra      = jobtest.InfraFile
	bufferFile = jobtest.BufferFile
	dailyFile  = jobtest.DailyFile
	bufferHead = jobtest.BufferHead
	closure    = jobtest.Closure
	awsKey     = jobtest.AWSKey
	hotHead    = jobtest.HotHead
)

var (
	must     = require.NoError
	clock    = jobtest.Clock
	one      = jobtest.Files
	bufferOf = jobtest.Buffer
	codes    = jobtest.Codes
)

// after is the input once the plan has been applied, as the ledger and the fleet would
// have it: the second run of a job begins with it.
func after(in Input, pl plan.Plan) Input {
	in.Files = maps.Clone(in.Files)
	touched := map[vault.Path]bool{}
	for _, c := range pl.Changes {
		touched[c.Path] = true
		text := c.New
		switch c.Op {
		case plan.Remove:
			delete(in.Files, c.Path)
			continue
		case plan.Append:
			text = slices.Concat(c.Old, c.New)
		}
		in.Files[c.Path] = vault.Doc{Path: c.Path, Data: text, Version: vault.VersionOf(text), ModTime: in.Now, Links: 1}
	}
	for _, r := range pl.Receipts {
		if touched[r.Path] {
			in.Facts.Receipts = slices.DeleteFunc(slices.Clone(in.Facts.Receipts),
				func(o plan.Receipt) bool { return o.Path == r.Path && o.Hash == r.Hash })
			if in.Sole(layout.Hot) == r.Path {
				in.Facts.Removed++
				in.Facts.Remembered.Lost++
			}
			continue
		}
		in.Facts.Receipts = append([]plan.Receipt{r}, in.Facts.Receipts...)
	}
	past := in.Facts.Remembered
	past.Promoted, past.Proposed = slices.Clone(past.Promoted), maps.Clone(past.Proposed)
	if past.Proposed == nil {
		past.Proposed = map[string]bool{}
	}
	for _, s := range pl.Sources {
		past.Promoted.AddSource(s)
		switch {
		case pl.Job != "prune":
			past.Today++
		case s.Path == in.Sole(layout.Hot) && !past.Promoted.Has(WroteMark(s.Entry)):
			in.Facts.Removed++
			past.Lost++
		}
	}
	for _, p := range pl.Proposals {
		past.Proposed[p.ID] = true
	}
	in.Facts.Remembered = past
	return in
}

// text is what a file would hold with the plan applied.
func text(in Input, pl plan.Plan, path string) string {
	return string(after(in, pl).File(vault.Path(path)).Data)
}

// unchanged fails if running the job again would change anything, or leave a trace.
func idempotent(t *testing.T, job func(Input) plan.Plan, in Input) {
	t.Helper()
	first := job(in)
	second := job(after(in, first))
	if !second.Empty() || len(second.Receipts)+len(second.Sources)+len(second.Proposals)+len(second.Archives) > 0 {
		t.Errorf("a second run is not nothing: %s\n%s%v", second.Summary, second.Diff(), second.Receipts)
	}
}
