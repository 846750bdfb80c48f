//go:build linux

// Package binary tests the program as it is shipped: compiled, started, killed, out of space, and with failing system calls.
// Its promises are checked on the files it leaves behind.
package binary

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tend/test/blklog"

	"tend/internal/front/cli/clitest"
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
	// Other users run it too, see TestForeignFolder.
	if err := os.Chmod(dir, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	program = filepath.Join(dir, "tend")
	if err := clitest.Build(program); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Unsetenv("GOGC") // its memory is measured
	return m.Run()
}

// privileged reports whether the tests can mount. In CI it is an error if they cannot; elsewhere callers run what works
// without mounts.
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
