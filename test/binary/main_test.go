//go:build linux

// Package binary tests the program as it is shipped: compiled, started, killed, starved of space and cut off by the
// kernel. What it promises is checked on the files it leaves behind.
package binary

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tend/test/blklog"

	"tend/internal/cli/clitest"
)

// program is the compiled tend, built once.
var program string

func TestMain(m *testing.M) {
	measureIfChild()
	blklog.ServeIfChild()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tend-binary-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	// Others than root run it too, see TestForeignFolder.
	if err := os.Chmod(dir, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	program = filepath.Join(dir, "tend")
	if err := clitest.Build(program); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Unsetenv("GOGC") // the memory it takes is measured
	return m.Run()
}

// privileged says whether mounts can be made here. In CI nothing may be left out, so there it is an error that they
// cannot; elsewhere callers run what can be run without them.
func privileged(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() == 0 {
		return true
	}
	if os.Getenv("CI") != "" {
		t.Fatal("these tests mount file systems: run them as root")
	}
	t.Log("not root: the part that needs mounts is left out")
	return false
}
