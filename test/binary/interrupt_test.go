//go:build linux

package binary

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// large is a workspace of 20 MB: long logs, a hot file and many small files.
func large(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	put("tend.yaml", "version: 1\nstate_dir: ./state\ndefaults: {layout: openclaw, timezone: UTC, automation: curate}\n"+
		"agents: {a: {workspace: ./ws}}\n")
	entries := func(from, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "- [decision] service %d moves to rack %d because port %d is taken\n", from+i, i*7%1000, 8000+i%999)
		}
		return b.String()
	}
	put("ws/MEMORY.md", "# Memory\n\n"+entries(0, 20_000))
	for day := range 28 {
		put(fmt.Sprintf("ws/memory/2026-10-%02d.md", day+1), entries(day*8000, 8000))
	}
	for i := range 3000 {
		put(fmt.Sprintf("ws/memory/notes/n%d.md", i), fmt.Sprintf("# N%d\n\n- [lesson] see [[n%d]]\n", i, i/2))
	}
	return dir
}

// used is the processor time of a process; ok is false when it has ended.
func used(pid int) (_ time.Duration, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	f := strings.Fields(rest)
	if err != nil || len(f) < 13 || f[0] == "Z" {
		return 0, false
	}
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond, true
}

// TestASignalEndsEveryCommand: a command that is at work on 20 MB ends soon after a signal, whatever it is doing. Its processor
// time counts, so a busy machine makes no difference.
func TestASignalEndsEveryCommand(t *testing.T) {
	t.Parallel()
	dir := large(t)
	caught := 0
	for _, line := range []string{
		"check", "check --world", "check ./ws", "status", "compare", "context --tokens o200k", "preview --all", "search word",
		"search --past word", "grep rack", "tags", "fit --dry-run", "nightly --dry-run", "run curate --dry-run",
		"run curate --print-request", "run review --dry-run",
		"run replay --dry-run", "run prune --dry-run", "export a out.tgz", "doctor", "history sync", "nightly",
	} {
		cmd := exec.Command(program, append([]string{"--config", "tend.yaml", "--clock", "2026-11-18 03:00"}, strings.Fields(line)...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "GOMAXPROCS=1")
		must(t, cmd.Start())
		at := time.Duration(0)
		for ok := true; ok && at < 250*time.Millisecond; at, ok = used(cmd.Process.Pid) {
			time.Sleep(5 * time.Millisecond)
		}
		if at >= 250*time.Millisecond {
			caught++
			_ = cmd.Process.Signal([]os.Signal{syscall.SIGTERM, os.Interrupt}[caught%2])
		}
		_ = cmd.Wait()
		all := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		if more := all - at; at > 0 && more > 1500*time.Millisecond {
			t.Errorf("%s worked for %v after a signal", line, more)
		}
	}
	if caught < 5 {
		t.Errorf("only %d commands were still at work when the signal came", caught)
	}
}

// TestASignalEndsACommandThatWaits: so does one that waits for its input.
func TestASignalEndsACommandThatWaits(t *testing.T) {
	t.Parallel()
	dir := large(t)
	for _, line := range []string{"note --stdin", "checkpoint --stdin --compacting", "purge", "context --hook claude-code"} {
		cmd := exec.Command(program, append([]string{"--config", "tend.yaml"}, strings.Fields(line)...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir)
		in, err := cmd.StdinPipe()
		must(t, err)
		must(t, cmd.Start())
		_, err = io.WriteString(in, strings.Repeat("a", 128<<10)) // more than the pipe holds: it is being read
		must(t, err)
		must(t, cmd.Process.Signal(syscall.SIGTERM))
		if err := cmd.Wait(); err == nil {
			t.Errorf("%s succeeded", line)
		}
		_ = in.Close()
	}
}
