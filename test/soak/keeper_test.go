//go:build !windows

package soak

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tend/internal/front/cli/clitest"
)

// binary builds the program as it is shipped.
func binary(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tend")
	must(t, clitest.Build(name))
	return name
}

// keeper is a running `tend up`.
type keeper struct {
	cmd  *exec.Cmd
	addr string
	log  *os.File
	done chan error
}

var listening = regexp.MustCompile(`msg=keeping .*listen=(\S+)`)

// start starts the keeper and waits until it is ready.
func start(t *testing.T, bin string, w *town) (*keeper, time.Duration) {
	t.Helper()
	began := time.Now()
	cmd := exec.Command(bin, "up", "--config", w.path("tend.yaml"))
	pipe, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	k := &keeper{cmd: cmd, done: make(chan error, 1)}
	lines := bufio.NewReader(pipe)
	var said strings.Builder
	for k.addr == "" {
		text, err := lines.ReadString('\n')
		said.WriteString(text)
		if m := listening.FindStringSubmatch(text); m != nil {
			k.addr = m[1]
		}
		if err != nil {
			t.Fatalf("the keeper ended at its start: %v\n%s", cmd.Wait(), said.String())
		}
	}
	took := time.Since(began)
	log, err := os.OpenFile(w.path("keeper.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	must(t, err)
	k.log = log
	go func() {
		_, _ = io.Copy(log, lines)
		k.done <- cmd.Wait()
	}()
	return k, took
}

// kill ends it with SIGKILL.
func (k *keeper) kill() {
	_ = k.cmd.Process.Kill()
	<-k.done
	_ = k.log.Close()
}

// stop ends it with SIGTERM.
func (k *keeper) stop() error {
	if err := k.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	defer k.log.Close()
	select {
	case err := <-k.done:
		return err
	case <-time.After(10 * time.Minute):
		return context.DeadlineExceeded
	}
}

// sample is a process's use of resources.
type sample struct {
	goroutines, fds int
	rss             int64
	cpu             float64 // seconds
	metrics         map[string]float64
}

func (k *keeper) sample() (s sample, err error) {
	res, err := http.Get("http://" + k.addr + "/metrics")
	if err != nil {
		return s, err
	}
	defer res.Body.Close()
	s.metrics = map[string]float64{}
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		name, value, ok := strings.Cut(lines.Text(), " ")
		if v, perr := strconv.ParseFloat(value, 64); ok && perr == nil {
			s.metrics[name] = v
		}
	}
	s.goroutines = int(s.metrics["go_goroutines"])
	s.fds = int(s.metrics["process_open_fds"])
	s.rss = int64(s.metrics["process_resident_memory_bytes"])
	s.cpu = s.metrics["process_cpu_seconds_total"]
	return s, nil
}

// idle returns the resources of an idle keeper: the first sample that is enough, else the lowest of the given number, four
// a second. It first makes the keeper reload its configuration, which closes what it keeps open for callers.
func (k *keeper) idle(t *testing.T, looks int, enough func(sample) bool) sample {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	must(t, k.cmd.Process.Signal(syscall.SIGHUP))
	var least sample
	for i := range looks {
		time.Sleep(250 * time.Millisecond)
		s, err := k.sample()
		must(t, err)
		if i == 0 || s.fds+s.goroutines < least.fds+least.goroutines {
			least = s
		}
		if enough(least) {
			break
		}
	}
	return least
}

func (s sample) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %.0f MB, %.1f s of processor", s.goroutines, s.fds, float64(s.rss)/(1<<20), s.cpu)
}
