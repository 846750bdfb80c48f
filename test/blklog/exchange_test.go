//go:build linux

package blklog

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestExchange swaps the new version and the old one, so that neither name is
// ever without a whole version.
func TestExchange(t *testing.T) {
	needDisk(t)
	for _, tc := range []struct {
		name  string
		after func(path string) error
		lost  verdict
	}{
		{"fsync of dir", syncDir, never},
		{"no fsync of dir", nothing, found},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ownTemp(t)
			report := explore(t, Config{SyncEvery: 3 * time.Millisecond, MaxStates: 300}, Workload{
				Setup: func(dir string) error { return writeFile(filepath.Join(dir, targetName), content(0), 0) },
				Run: func(dir string, ack func(string)) error {
					for v := 1; v <= versions; v++ {
						if err := exchange(dir, v, tc.after); err != nil {
							return err
						}
						ack(strconv.Itoa(v))
					}
					return nil
				},
				Check: checkExchange,
			})
			lost := report.Count(errLost)
			t.Logf("lost %d", lost)
			if !tc.lost.allows(lost) {
				t.Errorf("lost: got %d, want %s", lost, tc.lost)
			}
			if other := len(report.Failures) - lost; other != 0 || t.Failed() {
				t.Errorf("%d other failures: %s", other, report.describe())
			}
		})
	}
}

func spare(dir string, version int) string {
	return filepath.Join(dir, fmt.Sprintf("spare-%d", version))
}

func exchange(dir string, version int, after func(string) error) error {
	name, target := spare(dir, version), filepath.Join(dir, targetName)
	if err := writeFile(name, content(version), os.O_EXCL); err != nil {
		return err
	}
	if err := syncFile(name); err != nil {
		return err
	}
	if err := unix.Renameat2(unix.AT_FDCWD, name, unix.AT_FDCWD, target, unix.RENAME_EXCHANGE); err != nil {
		return err
	}
	return after(target)
}

// checkExchange demands a whole version at the target, and at each spare name
// the version that the target had before, once it has been swapped out.
func checkExchange(dir string, acked []string) error {
	current, err := readVersion(filepath.Join(dir, targetName))
	if err != nil {
		return err
	}
	for v := 1; v <= current; v++ {
		previous, err := readVersion(spare(dir, v))
		if err != nil {
			return err
		}
		if previous != v-1 {
			return fmt.Errorf("spare %d: have version %d, want %d", v, previous, v-1)
		}
	}
	return notOlder(current, acked)
}
