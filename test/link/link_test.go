// Package link runs a keeper with agents on two hosts while the link to one of them is down for a minute. It is a package of
// its own so that other tests run meanwhile.
package link

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tend/internal/disk/remote/sshdtest"
	"tend/internal/front/cli/clitest"
	"tend/internal/model/finding"
	"tend/test/require"
)

// consequences are the findings that a link may cause, depending on what was running when it went down: the host cannot be
// reached, a job failed because of that, and the reset that was cut off is finished once the link is back.
var consequences = []string{finding.Unreachable.Code, finding.JobFailed.Code, finding.Recovered.Code}

// codeOf returns what an alert is about.
func codeOf(t *testing.T, alert string) string {
	t.Helper()
	var n struct{ Code string }
	must(t, json.Unmarshal([]byte(alert), &n))
	return n.Code
}

// outage is how long the link is down.
const outage = time.Minute

// A link that is down for a minute is reported once, as an unreachable host and not as deleted notes. The local agents are
// maintained meanwhile, and the remote ones again once it is up, with nothing lost.
func TestMinute(t *testing.T) {
	t.Parallel()
	host := sshdtest.NewHost(t)
	s := host.Start(sshdtest.Options{})
	p := &pager{}
	hook := httptest.NewServer(p)
	t.Cleanup(hook.Close)
	h := newFixture(t, s, hook.URL)

	keeper := h.start("up")
	for _, agent := range []string{"near", "far"} {
		h.note(agent, "before")
		h.until(keeper, agent+" is reset", func() bool { return h.isReset(agent) })
	}

	host.Link(false)
	down := time.Now()
	h.note("far", "during")
	h.until(keeper, "the alert", func() bool { return len(p.of("far")) > 0 })
	t.Logf("alert %s after the link went down", time.Since(down).Round(time.Second))
	if code, out := h.tend("findings", "far", "--json"); code == 0 || !strings.Contains(out, "unreachable") {
		t.Errorf("findings while it is down: exit code %d: %s", code, out)
	}
	rounds := 0
	for ; time.Since(down) < outage; rounds++ {
		h.note("near", fmt.Sprint("round ", rounds))
		h.until(keeper, "near is reset", func() bool { return h.isReset("near") })
		time.Sleep(5 * time.Second)
	}
	if got := h.read("far"); !strings.HasSuffix(got, "- during\n") {
		t.Errorf("far was touched while it was out of reach: %q", got)
	}
	code, out := h.tend("status", "far", "--json")
	if code != 5 || !strings.Contains(out, "unreachable") {
		t.Errorf("status while it is down: exit code %d: %s", code, out)
	}

	host.Link(true)
	up := time.Now()
	h.until(keeper, "far is reset again", func() bool { return h.isReset("far") })
	t.Logf("the link was down for %s; far was reset %s after it was up; near was reset %d times meanwhile",
		up.Sub(down).Round(time.Second), time.Since(up).Round(time.Second), rounds)
	h.until(keeper, "nothing is the matter any more", func() bool {
		code, out := h.tend("findings", "far", "--json")
		interrupted := strings.Contains(out, `"recovered"`) // by the link, in the middle of a reset that was then finished
		return (code == 0 || interrupted) && !strings.Contains(out, "unreachable")
	})
	about := map[string]int{}
	for _, alert := range p.of("far") {
		code := codeOf(t, alert)
		about[code]++
		if !slices.Contains(consequences, code) {
			t.Errorf("an alert about something else: %s", alert)
		}
	}
	if about[finding.Unreachable.Code] != 1 {
		t.Errorf("alerts for far by code: %v, want one that says its host is unreachable", about)
	}
	if got := p.of("near"); len(got) != 0 {
		t.Errorf("alerts for near: %s", got)
	}
	must(t, keeper.Process.Signal(syscall.SIGTERM))
	must(t, keeper.Wait())
	for _, text := range []string{"- before\n", "- during\n"} {
		if !h.kept("far", text) {
			t.Errorf("%q of far is lost", text)
		}
	}
}

// A host with a different key than the known one causes one alert, and nothing is done there until a person has
// checked.
func TestChangedKey(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	p := &pager{}
	hook := httptest.NewServer(p)
	t.Cleanup(hook.Close)
	h := newFixture(t, s, hook.URL)
	s.Stop()
	must(t, s.Rekey())
	must(t, s.Run())
	h.note("far", "before")

	keeper := h.start("up")
	h.until(keeper, "the alarm", func() bool { return len(p.of("far")) > 0 })
	h.note("near", "on")
	for range 2 {
		h.note("near", "and on")
		h.until(keeper, "near is reset", func() bool { return h.isReset("near") })
	}
	if got := p.of("far"); len(got) != 1 || !strings.Contains(got[0], "a different key than the known one") ||
		!strings.Contains(got[0], "SHA256:") {
		t.Errorf("%d alerts for far, want one about the key: %s", len(got), got)
	}
	if got := h.read("far"); got != baseline+"- before\n" {
		t.Errorf("far was touched: %q", got)
	}
	must(t, keeper.Process.Signal(syscall.SIGTERM))
	must(t, keeper.Wait())
}

// pager receives alerts.
type pager struct {
	mu  sync.Mutex
	all []string
}

func (p *pager) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, string(body))
}

func (p *pager) of(agent string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.all), func(alert string) bool {
		var n struct{ Agent string }
		return json.Unmarshal([]byte(alert), &n) != nil || n.Agent != agent
	})
}

// fixture is a configuration with a local and a remote agent, and the program.
type fixture struct {
	t             *testing.T
	dir, bin, env string
	log           syncBuffer
}

func newFixture(t *testing.T, s *sshdtest.Server, hook string) *fixture {
	t.Helper()
	h := &fixture{t: t, dir: t.TempDir(), env: s.Home}
	h.bin = filepath.Join(h.dir, "tend")
	must(t, clitest.Build(h.bin))
	var conf strings.Builder
	fmt.Fprintf(&conf, `version: 1
state_dir: ./state
keeper: {listen: "127.0.0.1:0"}
alerts: {webhook: %q}
defaults:
  layout: shepherd
  policy: {schedule.reset: "@every 5s", schedule.jitter: 0s, reset.quiet: 0s, reset.retry: 1s, schedule.overfire: 0}
agents:
`, hook)
	for agent, place := range map[string]string{"near": "./ws/near", "far": s.URL(filepath.Join(h.dir, "ws/far"))} {
		must(t, os.MkdirAll(filepath.Join(h.dir, "ws", agent), 0o755))
		must(t, os.WriteFile(filepath.Join(h.dir, agent+".md"), []byte(baseline), 0o644))
		must(t, os.WriteFile(h.memory(agent), []byte(baseline), 0o644))
		fmt.Fprintf(&conf, "  %s:\n    workspace: %q\n    baselines: {MEMORY.md: ./%[1]s.md}\n", agent, place)
	}
	must(t, os.WriteFile(filepath.Join(h.dir, "tend.yaml"), []byte(conf.String()), 0o644))
	if code, out := h.tend("baseline", "approve", "--all"); code != 0 {
		t.Fatalf("approve: %s", out)
	}
	return h
}

var baseline = "# Rules\n\n" + strings.Repeat("- asks before what cannot be undone.\n", 40) + "\n---\n## Scratch Notes\n"

func (h *fixture) memory(agent string) string { return filepath.Join(h.dir, "ws", agent, "MEMORY.md") }

func (h *fixture) read(agent string) string {
	h.t.Helper()
	text, err := os.ReadFile(h.memory(agent))
	must(h.t, err)
	return string(text)
}

func (h *fixture) isReset(agent string) bool { return h.read(agent) == baseline }

// note appends to the memory as the agent does, on its own host.
func (h *fixture) note(agent, text string) {
	h.t.Helper()
	f, err := os.OpenFile(h.memory(agent), os.O_APPEND|os.O_WRONLY, 0)
	must(h.t, err)
	_, err = f.WriteString("- " + text + "\n")
	must(h.t, err)
	must(h.t, f.Close())
}

// kept looks for a text in the archives of an agent.
func (h *fixture) kept(agent, text string) bool {
	names, err := filepath.Glob(filepath.Join(h.dir, "state/archive", agent, "*"))
	must(h.t, err)
	return slices.ContainsFunc(names, func(name string) bool {
		archived, err := os.ReadFile(name)
		return err == nil && bytes.Contains(archived, []byte(text))
	})
}

func (h *fixture) command(args ...string) *exec.Cmd {
	cmd := exec.Command(h.bin, append([]string{"--config", filepath.Join(h.dir, "tend.yaml")}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+h.env, "SSH_AUTH_SOCK=")
	return cmd
}

func (h *fixture) tend(args ...string) (int, string) {
	h.t.Helper()
	cmd := h.command(args...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		h.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func (h *fixture) start(args ...string) *exec.Cmd {
	h.t.Helper()
	cmd := h.command(args...)
	cmd.Stdout, cmd.Stderr = &h.log, &h.log
	must(h.t, cmd.Start())
	h.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd
}

// until waits for a condition, for two minutes at most.
func (h *fixture) until(keeper *exec.Cmd, what string, so func() bool) {
	h.t.Helper()
	for end := time.Now().Add(10 * time.Minute); !so(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			_ = keeper.Process.Kill()
			h.t.Fatalf("timed out waiting: %s; the keeper's log:\n%s", what, h.log.String())
		}
	}
}

// syncBuffer is a log that is read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

var must = require.NoError
