package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/job/table"
	"tend/internal/engine/runner"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
)

// TestANewJobIsOneRow adds a job to the table and finds it everywhere: policy, configuration, schedule, keeper, timers,
// command line and help.
func TestANewJobIsOneRow(t *testing.T) {
	const file = vault.Path("dusted.md")
	undo := table.Extend(table.Row{
		Name: "dust", Short: "Dust the shelves", Help: "Write down that the shelves were dusted.", Examples: "  tend dust reviewer",
		Needs: policy.AutomationMaintain, When: "0 4 * * *", Why: "a test",
		Plan: func(in job.Input) (plan.Plan, error) {
			if in.File(file).Version != vault.Absent {
				return plan.Plan{}, nil
			}
			return plan.Plan{Summary: "dusted", Changes: []plan.Change{{Path: file, Op: plan.Write, New: []byte("- dusted\n")}}}, nil
		},
	})
	defer undo()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, []byte(text), 0o644))
	}
	conf := filepath.Join(dir, "tend.yaml")
	write("tend.yaml", "version: 1\nstate_dir: ./state\nagents:\n  ada: {workspace: ./w, layout: openclaw, timezone: UTC, policy: "+
		"{schedule.dust: \"30 4 * * *\"}}\n")
	write("w/MEMORY.md", "# Memory\n")
	tend := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := Main(append([]string{"--config", conf}, args...), strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("tend %v: exit code %d: %s%s", args, code, out.String(), errs.String())
		}
		return out.String()
	}
	for _, where := range []struct{ name, text, want string }{
		{"policy", tend("policy", "ada"), "schedule.dust"},
		{"help", tend("dust", "--help"), "Write down that the shelves were dusted."},
		{"list of jobs", tend("run", "--help"), "Dust the shelves"},
		{"timetable", tend("up", "--check", "--clock", "2026-11-15 12:00"), "30 4 * * *"},
	} {
		if !strings.Contains(where.text, where.want) {
			t.Errorf("%s does not have %q:\n%s", where.name, where.want, where.text)
		}
	}
	cfg, err := config.Load(conf, config.Env{Get: func(string) string { return "" }, Dir: dir})
	must(t, err)
	entries, err := fleet.Entries(cfg)
	must(t, err)
	found := false
	for _, e := range entries {
		found = found || e.Job == "dust" && e.Spec == "30 4 * * *"
	}
	if !found {
		t.Errorf("the keeper does not schedule it: %v", entries)
	}
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	f, err := fleet.Open(cfg, fleet.Options{Write: true, Clock: func() time.Time { return now }})
	must(t, err)
	defer f.Close()
	runner.Due(t.Context(), f, "ada") // the clock starts
	now = now.Add(20 * time.Hour)
	for _, r := range runner.Due(t.Context(), f, "ada") {
		if r.Err != nil {
			t.Error(r.Err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "w", "dusted.md")); err != nil || string(text) != "- dusted\n" {
		t.Errorf("timers did not run it: %q %v", text, err)
	}
	if got := tend("log", "ada"); !strings.Contains(got, "dust") {
		t.Errorf("the log does not have it:\n%s", got)
	}
}

// TestJobsAreDocumented compares the table in docs/jobs.md with the job table.
func TestJobsAreDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString("| job | what it does | when | automation |\n|---|---|---|---|\n")
	for _, r := range table.Rows() {
		when, needs := "`"+r.When+"`", string(r.Needs)
		if r.When == "" {
			when = "when asked"
		}
		if r.Name == "reset" {
			when = "`reset.every`"
		}
		if len(r.Chain) > 0 {
			needs = "each part for itself: " + strings.Join(r.Chain, ", ")
		} else if needs == "" {
			needs = "any: it only reads"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.Name, r.Short, when, needs)
	}
	const name, begin, end = "../../../docs/jobs.md", "<!-- jobs: begin -->\n", "<!-- jobs: end -->"
	data, err := os.ReadFile(name)
	must(t, err)
	head, rest, ok := strings.Cut(string(data), begin)
	was, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no table between %q and %q", name, begin, end)
	}
	if *update {
		must(t, os.WriteFile(name, []byte(head+begin+b.String()+end+tail), 0o644))
	} else if was != b.String() {
		t.Errorf("the table of jobs in %s is not the job table; run this test with -update:\n%s", name, b.String())
	}
}
