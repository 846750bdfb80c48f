//go:build !windows

package keeper

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/state/ledger"
)

// ordinary creates a fleet of agents that each have one problem.
func ordinary(t *testing.T, names ...string) *fixture {
	t.Helper()
	tend, err := program()
	if err != nil {
		t.Fatal(err)
	}
	h := &fixture{t, tend, t.TempDir()}
	var text strings.Builder
	text.WriteString("version: 1\nstate_dir: ./state\nkeeper: {listen: 127.0.0.1:0}\ndefaults:\n  layout: openclaw@2026.8\n  timezone: UTC\n" +
		"  policy: {guard.zone: report, schedule.rotate: \"@every 1s\", reset.every: 1h, reset.quiet: 0s, schedule.overfire: never, " +
		"history.quiet: never, lock.wait: 100ms}\nagents:\n")
	for _, n := range names {
		base := "# " + n + "\n\nThe operator's text.\n" + strings.Repeat("A rule that holds.\n", 80) + "\n---\n## Notes\n"
		for _, p := range []string{"baselines/" + n + ".md", "ws/" + n + "/MEMORY.md"} {
			if err := os.MkdirAll(filepath.Dir(h.path(p)), 0o755); err != nil {
				t.Fatal(err)
			}
			h.write(p, base)
		}
		ws := "./ws/" + n
		if n == "away" {
			ws = "ssh://nobody@127.0.0.1:1/home/nobody/ws"
		}
		fmt.Fprintf(&text, "  %s:\n    workspace: %s\n    baselines: {MEMORY.md: ./baselines/%s.md}\n", n, ws, n)
		text.WriteString(map[string]string{
			"often": "    policy: {schedule.overfire: 1.1}\n",
			"late":  "    policy: {reset.quiet: 1h}\n",
		}[n])
	}
	h.write("tend.yaml", text.String())
	for _, n := range names {
		if out, code := h.run("baseline", "approve", n); code != 0 && n != "away" {
			t.Fatalf("approve %s: %d %s", n, code, out)
		}
	}
	return h
}

// TestNothingIsSilent provokes each problem that the promise names, with a real keeper and command line, and looks for a
// line, a JSON field, a metric and an exit code.
func TestNothingIsSilent(t *testing.T) {
	t.Parallel()
	h := ordinary(t, "cut", "drifty", "late", "often", "rebel", "held", "away")
	// Truncation: more than the harness shows.
	h.write("ws/cut/MEMORY.md", h.read("ws/cut/MEMORY.md")+strings.Repeat("- a long note that goes on and on\n", 2000))
	h.write("ws/drifty/MEMORY.md", strings.Replace(h.read("ws/drifty/MEMORY.md"), "The operator's text.", "My own.", 1))
	// A job that was deferred for two days because the agent is always at work.
	ago := func(d time.Duration) string { return time.Now().Add(-d).Format(time.RFC3339) }
	h.state("late", fmt.Sprintf(`{"reset":{"last":%q,"outcome":"unchanged","slot":%q,"deferred_since":%q}}`, ago(49*time.Hour),
		ago(49*time.Hour), ago(48*time.Hour)))
	h.append("late", "- busy\n")
	// Something else runs a job too often.
	var recent []string
	for i := range 99 {
		recent = append(recent, fmt.Sprintf("%q", ago(time.Duration(100-i)*time.Second)))
	}
	h.state("often", fmt.Sprintf(`{"check":{"last":%q,"outcome":"unchanged","slot":%q,"recent":[%s]}}`, ago(25*time.Hour),
		ago(25*time.Hour), strings.Join(recent, ",")))
	state, err := fsys.Dir(h.path("state"))
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()
	lock, err := state.Lock(ledger.LockPath("held"), "pid 1 on elsewhere since 2026-11-15T04:00:00Z\n")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	h.append("held", "- to be reset\n")

	operator, rebel := h.token("--operator"), h.token("rebel")
	r := h.up()
	base := "http://" + r.address()
	for _, job := range []string{"cut/jobs/audit", "held/jobs/reset", "away/jobs/reset", "often/jobs/check"} {
		ask(t, "POST", base+"/api/v1/agents/"+job, operator, "")
	}
	_, refusal := ask(t, "POST", base+"/mcp", rebel, toolCall("memory_write", `{"filename":"MEMORY.md","content":"mine alone"}`))
	if !strings.Contains(refusal, `"isError":true`) {
		t.Errorf("a write above the line was not refused: %s", refusal)
	}

	for _, c := range []struct {
		what, agent, code string
		command           string // whose exit code and line report it
		line              string
		exit              int
		field             string // in its --json output
		metric            string
	}{
		{"truncation", "cut", "preview-loss", "preview cut", `lost|cut|not shown`, 1, `"lost`, `tend_findings{code="preview-loss"} [1-9]`},
		{"drift", "drifty", "drift", "status drifty", `\[drift\]`, 1, `"drift": true`, `tend_findings{code="drift"} [1-9]`},
		{"overdue", "late", "job-overdue", "status late", `\[job-overdue\].*reset has been overdue since`, 1, `"overdue_since"`,
			`tend_agents_overdue [1-9]`},
		{"over-firing", "often", "job-over-firing", "findings often", `\[job-over-firing\] check ran \d+ times`, 1, `"job-over-firing"`,
			`tend_findings{code="job-over-firing"} [1-9]`},
		{"refused write", "rebel", "call-refused", "note --agent rebel 'ghp_" + strings.Repeat("a1B2", 9) + "'", `secret|token`, 3, `"error"`,
			`tend_refused_total{code="operators"} [1-9]`},
		{"lock", "held", "job-put-off", "reset held", `pid 1 on elsewhere`, 4, `"locked"`,
			`tend_job_runs_total{job="reset",outcome="locked"} [1-9]`},
		{"unreachable host", "away", "host-unreachable", "status away", `\[cannot-look\].*unreachable`, 5, `"error": "`,
			`tend_findings{code="host-unreachable"} [1-9]`},
	} {
		t.Run(c.what, func(t *testing.T) {
			args := strings.Fields(c.command)
			for i := range args {
				args[i] = strings.Trim(args[i], "'")
			}
			text, code := h.run(args...)
			if code != c.exit {
				t.Errorf("`tend %s`: exit code %d, want %d\n%s", c.command, code, c.exit, text)
			}
			if !regexp.MustCompile(c.line).MatchString(text) {
				t.Errorf("`tend %s` does not say %q:\n%s", c.command, c.line, text)
			}
			if text, _ := h.run(append(args, "--json")...); !strings.Contains(text, c.field) {
				t.Errorf("`tend %s --json` has no %s:\n%s", c.command, c.field, text)
			}
			r.until("the finding "+c.code, func() bool { return h.noticed(c.agent, c.code) })
			var metrics string
			r.until("the metric "+c.metric, func() bool {
				_, metrics = ask(t, "GET", base+"/metrics", "", "")
				return regexp.MustCompile(`(?m)^` + strings.ReplaceAll(strings.ReplaceAll(c.metric, "{", `\{`), "}", `\}`)).MatchString(metrics)
			})
		})
	}
	r.signal(syscall.SIGTERM)
	r.ends()
}

// noticed reports whether `tend status --json` shows a finding of the keeper.
func (h *fixture) noticed(agent, code string) bool {
	h.t.Helper()
	out, _ := h.run("findings", agent, "--json")
	var list []struct {
		Code  string
		First string `json:"first_seen"`
		Last  string `json:"last_seen"`
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		h.t.Fatalf("%v\n%s", err, out)
	}
	for _, n := range list {
		if n.Code == code && n.First != "" && n.Last != "" {
			return true
		}
	}
	return false
}

// state writes what is remembered of an agent's jobs.
func (h *fixture) state(agent, jobs string) {
	h.t.Helper()
	if err := os.MkdirAll(h.path("state/agents/"+agent), 0o700); err != nil {
		h.t.Fatal(err)
	}
	h.write("state/agents/"+agent+"/jobs.json", jobs)
}

func (h *fixture) append(agent, text string) {
	h.t.Helper()
	h.write("ws/"+agent+"/MEMORY.md", h.read("ws/"+agent+"/MEMORY.md")+text)
}
