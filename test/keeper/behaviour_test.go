//go:build !windows

package keeper

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

func (r *running) metrics() string {
	_, text := ask(r.t, "GET", "http://"+r.address()+"/metrics", "", "")
	return text
}

// end stops it with SIGTERM.
func (r *running) end() {
	r.t.Helper()
	r.signal(syscall.SIGTERM)
	if code := r.ends(); code != 0 {
		r.t.Errorf("exit code %d\n%s", code, r.log())
	}
}

// TestBrokenConfiguration: an invalid configuration is reported and changes nothing else.
func TestBrokenConfiguration(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	r := h.up()
	good := h.read("tend.yaml")
	h.write("tend.yaml", good+"nonsense: [\n")
	r.signal(syscall.SIGHUP)
	r.until("log", func() bool { return strings.Contains(r.log(), "configuration not loaded") })
	r.until("metric", func() bool {
		return strings.Contains(r.metrics(), `tend_config_reloads_total{result="refused"}`) &&
			strings.Contains(r.metrics(), `tend_findings{code="config-broken"} 1`)
	})
	h.write("tend.yaml", good) // commands need a valid one; the keeper must still report the broken one
	if text := h.read("state/keeper-findings.json"); !strings.Contains(text, "config-broken") {
		t.Errorf("findings: %s", text)
	}
	before := h.jobs()
	r.until("jobs go on", func() bool { return h.jobs() != before })
	r.until("loaded", func() bool { return strings.Contains(r.metrics(), `tend_findings{code="config-broken"} 0`) })
	// A setting that needs a restart is reported too.
	h.write("tend.yaml", strings.Replace(good, "127.0.0.1:0", "127.0.0.1:1", 1))
	r.until("it waits for a restart", func() bool { return strings.Contains(r.metrics(), `tend_findings{code="config-waits"} 1`) })
	if text, code := h.run("status"); code != 1 || !strings.Contains(text, "unacknowledged finding") {
		t.Errorf("status: %d\n%s", code, text)
	}
	r.end()
}

// TestAgentsComeAndGo: an added agent is guarded at once; a removed one disappears from the counts, and has its history when
// it is added again.
func TestAgentsComeAndGo(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	all := h.read("tend.yaml")
	scout := regexp.MustCompile(`(?m)^  scout:\n(    .*\n)+`).FindString(all)
	if scout == "" {
		t.Fatalf("no scout in %s", all)
	}
	h.write("tend.yaml", strings.Replace(all, scout, "", 1))
	r := h.up()
	original, err := os.ReadFile(h.baseline())
	if err != nil {
		t.Fatal(err)
	}
	h.write("tend.yaml", all)
	r.until("added", func() bool { return strings.Contains(r.metrics(), "tend_agents 3\n") })
	if err := os.WriteFile(h.baseline(), []byte("evil"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.until("guarded", func() bool { now, _ := os.ReadFile(h.baseline()); return string(now) == string(original) })
	r.until("its jobs run", func() bool { return strings.Contains(h.jobs(), `"slot"`) })
	r.until("told", func() bool { return strings.Contains(r.metrics(), `tend_findings{code="baseline-restored"} 1`) })
	for i := range 20 { // while its jobs run every second
		h.note(fmt.Sprintf("- going %d.\n", i))
		time.Sleep(50 * time.Millisecond)
	}
	h.write("tend.yaml", strings.Replace(all, scout, "", 1))
	r.until("removed", func() bool { return strings.Contains(r.metrics(), "tend_agents 2\n") })
	r.until("no longer counted", func() bool { return strings.Contains(r.metrics(), `tend_findings{code="baseline-restored"} 0`) })
	h.write("tend.yaml", all)
	r.until("back", func() bool { return strings.Contains(r.metrics(), `tend_findings{code="baseline-restored"} 1`) })
	r.end()
	for i := range 20 {
		if line := fmt.Sprintf("- going %d.\n", i); !h.kept(line) {
			t.Errorf("lost %q", line)
		}
	}
}

// TestTermTwice: a second SIGTERM ends the keeper at once, and the next command recovers.
func TestTermTwice(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	for i := range 5 {
		r := h.up()
		h.note(fmt.Sprintf("- twice %d.\n", i))
		time.Sleep(time.Duration(100+i*211) * time.Millisecond)
		r.signal(syscall.SIGTERM)
		_ = r.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		r.ends()
	}
	r := h.up()
	r.end()
	for i := range 5 {
		if line := fmt.Sprintf("- twice %d.\n", i); !h.kept(line) {
			t.Errorf("lost %q", line)
		}
	}
	if out, _ := h.run("--quiet", "log", "scout"); strings.Contains(out, "intent") {
		t.Errorf("something is half done: %s", out)
	}
}

// TestWorkspaceMovedAway: a missing workspace is reported, and maintained again when it is back.
func TestWorkspaceMovedAway(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ws := h.path("workspaces/scout")
	r := h.up()
	r.until("jobs", func() bool { return strings.Contains(h.jobs(), "slot") })
	if err := os.Rename(ws, ws+".away"); err != nil {
		t.Fatal(err)
	}
	r.until("told", func() bool {
		return strings.Contains(r.metrics(), `tend_findings{code="job-failed"} `) && h.noticed("scout", "job-failed")
	})
	if err := os.Rename(ws+".away", ws); err != nil { // another folder would be refused
		t.Fatal(err)
	}
	baseline, err := os.ReadFile(h.baseline())
	if err != nil {
		t.Fatal(err)
	}
	h.write("workspaces/scout/MEMORY.md", strings.Replace(string(baseline), "\n", "\nmy own rules\n", 1)+"- kept\n")
	r.until("guarded again", func() bool {
		text := h.read("workspaces/scout/MEMORY.md")
		return strings.HasPrefix(text, string(baseline[:200])) && !strings.Contains(text, "my own rules")
	})
	if !h.kept("- kept\n") || !h.kept("my own rules") {
		t.Error("the replaced text is lost")
	}
	r.end()
}

// TestHistoryThroughKills writes versions that each last longer than history.quiet, while another file changes all the time
// and the keeper is killed: each version is in the history.
func TestHistoryThroughKills(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	text := h.read("tend.yaml")
	h.write("tend.yaml", strings.Replace(text, `schedule.reset: "@every 1s"`, `schedule.reset: "off", history.quiet: 1s`, 1))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
				_ = os.WriteFile(h.path("workspaces/scout/restless.md"), fmt.Appendf(nil, "turn %d\n", i), 0o644)
			}
		}
	}()
	memory := h.read("workspaces/scout/MEMORY.md")
	var at []time.Time
	for i := range 6 {
		r := h.up()
		// A new keeper commits what changed while none ran; then this version lasts for a while.
		h.write("workspaces/scout/MEMORY.md", memory+fmt.Sprintf("- state %d\n", i))
		want := fmt.Sprintf("- state %d\n", i)
		if i%2 == 0 {
			r.until("committed", func() bool { return h.inHistory(want) })
			at = append(at, time.Now())
			time.Sleep(1100 * time.Millisecond) // git counts seconds
			r.signal(syscall.SIGKILL)
			r.ends()
			continue
		}
		// Killed before the commit: the next keeper commits it.
		r.signal(syscall.SIGKILL)
		r.ends()
		r = h.up()
		r.until("committed by the next", func() bool { return h.inHistory(want) })
		at = append(at, time.Now())
		time.Sleep(1100 * time.Millisecond)
		r.end()
	}
	close(stop)
	<-stopped
	for i, when := range at {
		out, code := h.run("show", "--agent", "scout", "MEMORY.md@"+when.Format(time.RFC3339))
		if code != 0 || !strings.Contains(out, fmt.Sprintf("- state %d\n", i)) {
			t.Errorf("at %s it was state %d: %d %s", when.Format("15:04:05"), i, code, out[max(0, len(out)-200):])
		}
	}
}

// inHistory reports whether a text is in the last commit of scout's history.
func (h *fixture) inHistory(text string) bool {
	repos, _ := filepath.Glob(h.path("state/history/scout.git"))
	if len(repos) == 0 {
		return false
	}
	return strings.Contains(git(repos[0], "show", "main:MEMORY.md"), text)
}

// git runs a git command and returns its output, "" if it fails.
func git(repo string, args ...string) string {
	out, _ := exec.Command("git", append([]string{"--git-dir", repo}, args...)...).Output()
	return string(out)
}
