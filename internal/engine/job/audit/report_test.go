package audit

import (
	"slices"
	"strings"
	"testing"

	"tend/internal/engine/job"
	"tend/internal/engine/job/jobtest"
	"tend/internal/engine/schedule"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/test/require"
)

// night is an agent's evening in a table of tests.
type night struct {
	layout, clock, zone string
	files, base         map[string]string
	policy              map[string]any
	facts               job.Facts
}

// input returns the audit's input on a night, with check as the only scheduled job.
func (n night) input(t *testing.T) job.Input {
	t.Helper()
	g := jobtest.Night{Layout: n.layout, Clock: n.clock, Zone: n.zone, Files: n.files, Policy: n.policy, Base: n.base}.Given(t)
	in := job.Input{Snapshot: g.Snapshot, Layout: g.Layout, Policy: g.Policy, Baselines: g.Baselines, Facts: n.facts}
	if policy.Automation.Of(in.Policy) != policy.AutomationOff {
		in.Facts.Audit.Scheduled = []schedule.Row{{Job: "check", Spec: "45 21 * * *"}}
	}
	return in
}

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

// v4Policy is Memory v4's protocol in another layout.
var v4Policy = map[string]any{"protocol": "v4"}

var (
	must     = require.NoError
	clock    = jobtest.Clock
	one      = jobtest.Files
	lines    = jobtest.Lines
	bufferOf = jobtest.Buffer
)

// fixture is a night on which one check flags something, or nothing.
type fixture struct {
	check finding.Kind
	name  string
	n     night
	also  func(*job.Input) // anything that a night cannot express
	flag  string           // in the verdict's line; "" for a pass
	off   bool             // the check does not apply at all
}

// hold runs every fixture, and fails if a check of the registry lacks one that passes or
// one that does not.
func hold(t *testing.T, run func(job.Input) Report, checks []check, fixtures []fixture) {
	t.Helper()
	passing, failing := map[string]bool{}, map[string]bool{}
	for _, f := range fixtures {
		t.Run(f.check.Code+"/"+f.name, func(t *testing.T) {
			in := f.n.input(t)
			if f.also != nil {
				f.also(&in)
			}
			report := run(in)
			at := slices.IndexFunc(report, func(v Verdict) bool { return v.Check == f.check.Code })
			if f.off {
				if at >= 0 {
					t.Errorf("the check was run: %+v", report[at])
				}
				return
			}
			if at < 0 {
				t.Fatal("the check was not run")
			}
			v := report[at]
			switch {
			case f.flag == "":
				passing[v.Check] = true
				if v.Result != Pass {
					t.Errorf("flagged: %s", v.Text)
				}
			default:
				failing[v.Check] = true
				if v.Result != Flag || !strings.Contains(v.Text, f.flag) {
					t.Errorf("got %s %q, want a flag with %q", v.Result, v.Text, f.flag)
				}
				if v.Remedy == "" || len(v.Findings) == 0 || v.Findings[0].Agent != "ada" {
					t.Errorf("a flag without remedy, finding or agent: %+v", v)
				}
			}
		})
	}
	known := map[string]bool{}
	for _, k := range finding.Kinds() {
		known[k.Code] = true
	}
	seen := map[string]bool{}
	for _, c := range checks {
		code := c.kind.Code
		if seen[code] || !known[code] || c.title == "" {
			t.Errorf("check %s is there twice, has no title or is not among finding.Kinds", code)
		}
		seen[code] = true
		if !passing[code] || !failing[code] {
			t.Errorf("check %s: passing fixture %t, failing fixture %t; both are needed", code, passing[code], failing[code])
		}
	}
}

func TestReport(t *testing.T) {
	pass, flag := Verdict{Check: "a", Result: Pass}, Verdict{Check: "b", Result: Flag, Findings: []finding.Finding{{Text: "x"}, {Text: "y"}}}
	for _, tt := range []struct {
		r    Report
		want string
	}{
		{Report{pass, pass}, "2 pass"},
		{Report{pass, flag}, "1 pass, 1 flag"},
		{Report{flag, flag}, "0 pass, 2 flags"},
	} {
		if got := tt.r.Words(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	if got, want := oneLine(flag.Findings), "x (and 1 more)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := len(Report{pass, flag, flag}.Findings()); got != 4 {
		t.Errorf("got %d findings, want 4", got)
	}
}

// TestStoppedReport: once nobody wants a report, no further check of it runs.
func TestStoppedReport(t *testing.T) {
	stop := make(chan struct{})
	ran := 0
	list := []check{{find: func(*inspection) { ran++; close(stop) }}, {find: func(*inspection) { ran++ }}}
	if run(list, job.Input{Stop: stop}); ran != 1 {
		t.Errorf("%d checks ran, want 1", ran)
	}
}
