//go:build !windows

package keeper

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tend/internal/front/cli/clitest"
)

var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tend-keeper-")
	if err != nil {
		return "", err
	}
	programDir = dir
	os.Unsetenv("GOGC") // its memory is measured
	name := filepath.Join(dir, "tend")
	return name, clitest.Build(name)
})

// programDir is the folder of program.
var programDir string

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(programDir)
	os.Exit(code)
}

// fixture is a sample fleet with a keeper.
type fixture struct {
	t    *testing.T
	tend string
	dir  string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	tend, err := program()
	if err != nil {
		t.Fatal(err)
	}
	h := &fixture{t, tend, filepath.Join(t.TempDir(), "fleet")}
	if out, err := exec.Command(tend, "demo", "--keep", h.dir).CombinedOutput(); err != nil {
		t.Fatalf("demo: %v\n%s", err, out)
	}
	h.configure("keeper: {listen: 127.0.0.1:0}\n")
	return h
}

// configure makes jobs run every second.
func (h *fixture) configure(more string) {
	h.t.Helper()
	name := filepath.Join(h.dir, "tend.yaml")
	text, err := os.ReadFile(name)
	if err != nil {
		h.t.Fatal(err)
	}
	fast := strings.Replace(string(text), "  timezone: UTC\n",
		"  timezone: UTC\n  policy: {guard.baseline: restore, schedule.rotate: \"@every 1s\", schedule.reset: \"@every 1s\", reset.quiet: 0s, "+
			"schedule.overfire: never}\n", 1)
	if err := os.WriteFile(name, []byte(fast+more), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

// add appends to the configuration.
func (h *fixture) add(more string) {
	h.t.Helper()
	f, err := os.OpenFile(filepath.Join(h.dir, "tend.yaml"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(more); err != nil {
		h.t.Fatal(err)
	}
}

type running struct {
	*fixture
	cmd  *exec.Cmd
	mu   sync.Mutex
	said strings.Builder
	done chan error
}

var keeping = regexp.MustCompile(`msg=keeping`)

func (h *fixture) up(args ...string) *running {
	h.t.Helper()
	r := &running{fixture: h, done: make(chan error, 1)}
	r.cmd = exec.Command(h.tend, append([]string{"up", "--config", filepath.Join(h.dir, "tend.yaml")}, args...)...)
	pipe, err := r.cmd.StderrPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = r.cmd.Process.Kill() })
	up := make(chan bool, 1)
	go func() {
		for lines := bufio.NewScanner(pipe); lines.Scan(); {
			r.mu.Lock()
			r.said.WriteString(lines.Text() + "\n")
			r.mu.Unlock()
			if keeping.MatchString(lines.Text()) {
				up <- true
			}
		}
		r.done <- r.cmd.Wait()
		close(up)
	}()
	<-up
	return r
}

func (r *running) log() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said.String()
}

func (r *running) signal(s os.Signal) {
	r.t.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		r.t.Fatal(err)
	}
}

// ends waits for the process and returns its exit code, -1 if a signal ended it.
func (r *running) ends() int {
	r.t.Helper()
	select {
	case err := <-r.done:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			r.t.Fatal(err)
		}
		return r.cmd.ProcessState.ExitCode()
	case <-time.After(10 * time.Minute):
		r.t.Fatalf("it did not end\n%s", r.log())
	}
	return 0
}

func (r *running) until(what string, holds func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("timed out waiting: %s\n%s", what, r.log())
		}
	}
}

// stop sends SIGSTOP and waits until the process no longer runs.
func (r *running) stop() {
	r.t.Helper()
	r.signal(syscall.SIGSTOP)
	r.until("it is stopped", func() bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", r.cmd.Process.Pid))
		_, state, _ := strings.Cut(string(text), ") ")
		return err != nil || strings.HasPrefix(state, "T") // only Linux has the file
	})
}

func (h *fixture) jobs() string {
	text, _ := os.ReadFile(filepath.Join(h.dir, "state/agents/scout/jobs.json"))
	return string(text)
}

// note writes a note as an agent does, while the keeper resets the file every second.
func (h *fixture) note(text string) {
	h.t.Helper()
	f, err := os.OpenFile(filepath.Join(h.dir, "workspaces/scout/MEMORY.md"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		h.t.Fatal(err)
	}
}

func (h *fixture) kept(text string) bool {
	found := false
	_ = filepath.WalkDir(h.dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.Contains(p, ".git/") {
			data, _ := os.ReadFile(p)
			found = found || strings.Contains(string(data), text)
		}
		return nil
	})
	return found
}

func TestSignals(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	for i, s := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		r := h.up()
		for k := range 5 {
			h.note(fmt.Sprintf("- signal %d, line %d.\n", i, k))
			time.Sleep(time.Duration(137*k) * time.Millisecond)
		}
		r.signal(s)
		if code := r.ends(); code != 0 {
			t.Errorf("%s: exit code %d\n%s", s, code, r.log())
		}
		for k := range 5 {
			if line := fmt.Sprintf("- signal %d, line %d.\n", i, k); !h.kept(line) {
				t.Errorf("%s: lost %q", s, line)
			}
		}
	}
	if out, err := exec.Command(h.tend, "--config", filepath.Join(h.dir, "tend.yaml"), "--quiet", "log", "scout").
		CombinedOutput(); err != nil || strings.Contains(string(out), "intent") {
		t.Errorf("after clean stops the log says %s, %v", out, err)
	}
}

func TestHangupReloads(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	r := h.up()
	r.signal(syscall.SIGHUP)
	r.until("reload", func() bool { return strings.Contains(r.log(), "configuration loaded") })
	r.signal(syscall.SIGTERM)
	if code := r.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestStoppedAndContinued(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	r := h.up()
	r.until("jobs", func() bool { return strings.Contains(h.jobs(), "slot") })
	r.stop()
	time.Sleep(2100 * time.Millisecond) // one or two slots pass
	before := h.jobs()
	r.signal(syscall.SIGCONT)
	r.until("jobs go on", func() bool { return h.jobs() != before })
	r.signal(syscall.SIGTERM)
	if code := r.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestKilledAndStartedAgain(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	for i := range 15 {
		r := h.up()
		h.note(fmt.Sprintf("- life %d.\n", i))
		time.Sleep(time.Duration(50+i*97) * time.Millisecond)
		r.signal(syscall.SIGKILL)
		r.ends()
	}
	r := h.up()
	before := h.jobs()
	r.until("jobs go on", func() bool { return h.jobs() != before })
	r.signal(syscall.SIGTERM)
	if code := r.ends(); code != 0 {
		t.Errorf("exit code %d\n%s", code, r.log())
	}
	for i := range 15 {
		if line := fmt.Sprintf("- life %d.\n", i); !h.kept(line) {
			t.Errorf("lost %q", line)
		}
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	first := h.up()
	if second := h.up(); second.ends() != 4 {
		t.Errorf("a second keeper: exit code %d, want 4\n%s", second.cmd.ProcessState.ExitCode(), second.log())
	}
	first.signal(syscall.SIGTERM)
	first.ends()

	if r := h.up("--listen", "0.0.0.0:0"); r.ends() != 3 {
		t.Errorf("in the open: exit code %d, want 3\n%s", r.cmd.ProcessState.ExitCode(), r.log())
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if r := h.up("--listen", l.Addr().String()); r.ends() != 5 {
		t.Errorf("an address that is taken: exit code %d, want 5\n%s", r.cmd.ProcessState.ExitCode(), r.log())
	}
	if err := os.WriteFile(filepath.Join(h.dir, "tend.yaml"), []byte("version: 7\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := h.up(); r.ends() != 2 {
		t.Errorf("a broken configuration: exit code %d, want 2\n%s", r.cmd.ProcessState.ExitCode(), r.log())
	}
}
