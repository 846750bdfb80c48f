//go:build !windows

package keeper

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// run runs tend and returns its output and exit code.
func (h *fixture) run(args ...string) (string, int) {
	h.t.Helper()
	out, err := exec.Command(h.tend, append([]string{"--config", filepath.Join(h.dir, "tend.yaml")}, args...)...).CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return string(out), exit.ExitCode()
	case err != nil:
		h.t.Fatal(err)
	}
	return string(out), 0
}

func (h *fixture) path(name string) string { return filepath.Join(h.dir, filepath.FromSlash(name)) }

func (h *fixture) read(name string) string {
	text, _ := os.ReadFile(h.path(name))
	return string(text)
}

// write writes a file atomically: a keeper that restores a truncated file leaves the text to the displaced one.
func (h *fixture) write(name, text string) {
	h.t.Helper()
	tmp := h.path("written." + filepath.Base(name))
	if err := errors.Join(os.WriteFile(tmp, []byte(text), 0o644), os.Rename(tmp, h.path(name))); err != nil {
		h.t.Fatal(err)
	}
}

// keeperState returns what `tend status --json` says about the keeper, and the exit code.
func (h *fixture) keeperState() (state string, findings []string, code int) {
	h.t.Helper()
	out, code := h.run("status", "--json")
	var all struct {
		Keeper   struct{ State string }
		Findings []struct{ Code string }
	}
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		h.t.Fatalf("%v\n%s", err, out)
	}
	for _, f := range all.Findings {
		findings = append(findings, f.Code)
	}
	return all.Keeper.State, findings, code
}

// TestNobodyTends: the keeper is killed or stopped, and status reports that none is running.
func TestNobodyTends(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	want := func(when, state, finding string) {
		t.Helper()
		got, found, code := h.keeperState()
		if got != state || strings.Join(found, " ") != finding || finding != "" && code != 1 {
			t.Errorf("%s: %s %v, exit code %d; want %s %s", when, got, found, code, state, finding)
		}
		text, _ := h.run("status")
		if loud := strings.Contains(text, "THE KEEPER ") || strings.Contains(text, "["+finding+"]"); loud != (finding != "") {
			t.Errorf("%s: status says\n%s", when, text)
		}
	}
	want("before the first", "never", "")
	r := h.up()
	want("at work", "alive", "")
	r.signal(syscall.SIGKILL)
	r.ends()
	want("killed", "dead", "keeper-dead")
	r = h.up()
	want("started again", "alive", "")
	r.stop()
	// As if it had been stopped an hour ago.
	life := h.read("state/keeper.alive.json")
	h.write("state/keeper.alive.json",
		regexp.MustCompile(`"last_beat": "[^"]*"`).ReplaceAllString(life, `"last_beat": "2026-01-01T00:00:00Z"`))
	want("stopped by SIGSTOP", "hung", "keeper-hung")
	r.signal(syscall.SIGCONT)
	r.until("a sign of life", func() bool { state, _, _ := h.keeperState(); return state == "alive" })
	r.signal(syscall.SIGTERM)
	r.ends()
	want("stopped by the operator", "stopped", "")
	if text, _ := h.run("status"); !strings.Contains(text, "No keeper running") {
		t.Errorf("stopped: status says\n%s", text)
	}
}

// TestSecondKeeper: the error of a second keeper names the first.
func TestSecondKeeper(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	first := h.up()
	second := h.up()
	if code := second.ends(); code != 4 {
		t.Errorf("exit code %d, want 4", code)
	}
	if !regexp.MustCompile(`pid ` + regexp.QuoteMeta(strconv.Itoa(first.cmd.Process.Pid)) + `\b`).MatchString(second.log()) {
		t.Errorf("it does not say who the first is: %s", second.log())
	}
	if state, _, _ := h.keeperState(); state != "alive" {
		t.Errorf("after the second was turned away the first is %s", state)
	}
	first.signal(syscall.SIGTERM)
	first.ends()
}
