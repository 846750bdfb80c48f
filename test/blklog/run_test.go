//go:build linux

package blklog

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var errCheck = errors.New("found wanting")

// short is a workload of a few states.
func short(check func(string, []string) error) Workload {
	return Workload{
		Run:   func(dir string, ack func(string)) error { return writeUntilError(dir, 3, ack) },
		Check: check,
	}
}

func TestSetupAndAcks(t *testing.T) {
	needDisk(t)
	ownTemp(t)
	var last atomic.Value
	w := short(func(dir string, acked []string) error {
		if data, err := os.ReadFile(filepath.Join(dir, "prepared")); err != nil || string(data) != "yes" {
			return errors.Join(errCheck, err)
		}
		// A state must not see what the check of another one wrote.
		if err := os.Mkdir(filepath.Join(dir, "checked"), 0o700); err != nil {
			return err
		}
		if len(acked) == 3 {
			last.Store(acked)
		}
		return nil
	})
	w.Setup = func(dir string) error { return os.WriteFile(filepath.Join(dir, "prepared"), []byte("yes"), 0o600) }
	report := Run(t, Config{}, w)
	if diff := cmp.Diff([]string{"0", "1", "2"}, last.Load()); diff != "" {
		t.Errorf("acked (-want +got):\n%s", diff)
	}
	if got, want := report.Acks, 3; got != want {
		t.Errorf("acks: got %d, want %d", got, want)
	}
}

// A process with a mount namespace of its own keeps what is mounted when it starts, so that the setup's file system lives on.
func TestSetupHeldElsewhere(t *testing.T) {
	needDisk(t)
	ownTemp(t)
	w := short(func(dir string, _ []string) error {
		if data, err := os.ReadFile(filepath.Join(dir, "prepared")); err != nil || string(data) != "yes" {
			return errors.Join(errCheck, err)
		}
		return nil
	})
	w.Setup = func(dir string) error {
		if err := os.WriteFile(filepath.Join(dir, "prepared"), []byte("yes"), 0o600); err != nil {
			return err
		}
		return holdMounts(t)
	}
	Run(t, Config{MaxStates: 1}, w)
}

// holdMounts starts a process that has all mounts of this moment until the test ends.
func holdMounts(t *testing.T) error {
	t.Helper()
	cmd := exec.Command("unshare", "--mount", "sh", "-c", "echo up; cat")
	cmd.Dir = "/"
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	t.Cleanup(func() { must(t, errors.Join(in.Close(), cmd.Wait())) })
	_, err = bufio.NewReader(out).ReadString('\n')
	return err
}

// quietTB stands in for a test that is expected to fail.
type quietTB struct {
	testing.TB
	failed bool
}

func (q *quietTB) Errorf(string, ...any) { q.failed = true }

func TestFailuresFailTheTest(t *testing.T) {
	needDisk(t)
	for name, check := range map[string]func(string, []string) error{
		"error":  func(string, []string) error { return errCheck },
		"panic":  func(string, []string) error { panic(errCheck.Error()) },
		"goexit": func(string, []string) error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			ownTemp(t)
			tb := &quietTB{TB: t}
			report := Run(tb, Config{}, short(check))
			if got, want := len(report.Failures), report.States; got != want || !tb.failed {
				t.Errorf("got %d failures and failed %v, want %d and true", got, tb.failed, want)
			}
		})
	}
}

func TestWorkloadErrors(t *testing.T) {
	needDisk(t)
	for _, tc := range []struct {
		name string
		run  func(string, func(string)) error
		want string
	}{
		{"error", func(string, func(string)) error { return errCheck }, errCheck.Error()},
		{"panic", func(string, func(string)) error { panic("on purpose") }, "panic: on purpose"},
		{"disk full", func(dir string, _ func(string)) error {
			return os.WriteFile(filepath.Join(dir, "big"), make([]byte, 20<<20), 0o600)
		}, syscall.ENOSPC.Error()},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ownTemp(t)
			_, err := Explore(t.Context(), Config{}, Workload{Run: tc.run})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

func TestWorkloadLeavesFileOpen(t *testing.T) {
	needDisk(t)
	ownTemp(t)
	var open *os.File
	_, err := Explore(t.Context(), Config{}, Workload{Run: func(dir string, _ func(string)) (err error) {
		open, err = os.Create(filepath.Join(dir, "open"))
		return err
	}})
	if !errors.Is(err, errBusy) {
		t.Errorf("got %v, want %v", err, errBusy)
	}
	open.Close()
}

// TestStuckWorkload has a writer that is still at work when the time is up.
func TestStuckWorkload(t *testing.T) {
	needDisk(t)
	ownTemp(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := Explore(ctx, Config{}, Workload{Run: func(dir string, ack func(string)) error { return writeUntilError(dir, 1<<30, ack) }})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestHelperKilled(t *testing.T) {
	needDisk(t)
	temp := ownTemp(t)
	w := short(nil)
	w.Run = func(dir string, ack func(string)) error {
		if err := syscall.Kill(findHelper(t, temp), syscall.SIGKILL); err != nil {
			return err
		}
		return writeUntilError(dir, 1<<30, ack)
	}
	if _, err := Explore(t.Context(), Config{}, w); !errors.Is(err, syscall.EIO) && !errors.Is(err, syscall.EROFS) {
		t.Errorf("got %v, want an I/O error", err)
	}
}
