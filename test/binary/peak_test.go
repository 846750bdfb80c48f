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

// peakFile in the environment makes this program measure another and write its peak memory to that file.
const peakFile = "TEND_TEST_PEAK"

// measured runs a command through a fresh copy of this program, and returns a function for its peak memory in kilobytes. The
// kernel counts the forking process's memory for the child too, so this process, grown large, cannot measure it.
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

// measureIfChild runs and measures the command in the arguments if this process was started for that.
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
