//go:build linux

package blklog

import (
	"os"
	"testing"
)

// ownTemp gives the test a folder for temporary files of its own and fails it if
// anything is left there or mounted there at the end.
func ownTemp(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		if left := leftovers(t, dir); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
	return dir
}

func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	mounts, err := mountsBelow(dir)
	must(t, err)
	var left []string
	for _, m := range mounts {
		left = append(left, m.path)
	}
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	return left
}

func explore(t *testing.T, cfg Config, w Workload) Report {
	t.Helper()
	cfg.Log = t.Logf
	report, err := Explore(t.Context(), cfg, w)
	must(t, err)
	return report
}
