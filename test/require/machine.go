package require

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Skipper is a test that may be skipped.
type Skipper interface {
	T
	Skip(args ...any)
}

// NoSkips reports whether a test that this machine cannot run is a failure: in CI, and with TEND_NO_SKIP=1, as `make test` has
// it.
func NoSkips() bool { return os.Getenv("CI") == "true" || os.Getenv("TEND_NO_SKIP") == "1" }

// Here skips the test with a reason if this machine cannot run it. No other function skips tests.
func Here(t Skipper, can bool, reason string, args ...any) {
	t.Helper()
	if can {
		return
	}
	reason = fmt.Sprintf(reason, args...)
	if NoSkips() {
		t.Fatal(reason)
		return
	}
	t.Skip(reason)
}

// Program returns the path of a program that the test runs. It also looks where only root's PATH leads.
func Program(t Skipper, name string) string {
	t.Helper()
	for _, dir := range []string{"", "/usr/sbin", "/sbin", "/usr/local/sbin"} {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	Here(t, false, "this test runs %s, which is not installed: tools/setup installs it", name)
	return ""
}

// Root skips the test unless it runs as root.
func Root(t Skipper, why string) {
	t.Helper()
	Here(t, os.Geteuid() == 0, "this test needs root: %s", why)
}
