//go:build linux

package binary

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// peakFile in the environment makes this program a runner that measures another and
// writes its peak there.
const peakFile = "TEND_TEST_PEAK"

// measured has a command run by a fresh copy of this program, and returns what tells its
// peak afterwards, in kilobytes. What the kernel calls a child's peak includes the memory
// of the process that forked it, so this one, grown large by then, cannot measure it.
func measured(t *testing.T, cmd *exec.Cmd) (peak func() int64) {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	file := filepath.Join(t.TempDir(), "peak")
	cmd.Path, cmd.Args = self, append([]string{self, cmd.Path}, cmd.Args[1:]...)
	cmd.Env = append(cmd.Env, peakFile+"="+file)
	return func() int64 {
		text, err := os.ReadFile(file)
		must(t, err)
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		must(t, err)
		return n
	}
}

// measureIfChild runs the command in the arguments if that is what this process is for.
func measureIfChild() {
	file := os.Getenv(peakFile)
	if file == "" {
		return
	}
	os.Unsetenv(peakFile)
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
	peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if err := os.WriteFile(file, []byte(strconv.FormatInt(peak, 10)), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}
