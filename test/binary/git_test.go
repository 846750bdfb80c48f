//go:build linux

package binary

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tend/internal/history"
	"tend/test/blklog"
)

var errNotKept = errors.New("what git had taken is gone")

// keeping hands texts to git, as emptying the trash does: each is acknowledged once git has
// it and the file system is synced, for then it leaves the trash.
func keeping() blklog.Workload {
	ctx := context.Background()
	name := func(i int) string { return fmt.Sprintf("%d-MEMORY.md", i) }
	text := func(i int) []byte { return bytes.Repeat([]byte(name(i)+"\n"), 600) }
	repo := func(dir string) history.Repo { return history.Repo{Dir: filepath.Join(dir, "a.git")} }
	keep := func(dir string, i int) error {
		if err := repo(dir).Keep(ctx, "a", map[string][]byte{name(i): text(i)}, time.Unix(1_800_000_000+int64(i), 0)); err != nil {
			return err
		}
		d, err := os.Open(dir)
		if err != nil {
			return err
		}
		return errors.Join(unix.Syncfs(int(d.Fd())), d.Close())
	}
	return blklog.Workload{
		Setup: func(dir string) error { return keep(dir, 0) },
		Run: func(dir string, ack func(string)) error {
			for i := 1; i <= 6; i++ {
				if err := keep(dir, i); err != nil {
					return err
				}
				ack(name(i))
			}
			return nil
		},
		Check: func(dir string, acked []string) error {
			for i := range len(acked) + 1 {
				got, err := repo(dir).Kept(ctx, name(i))
				if err != nil || !bytes.Equal(got, text(i)) {
					return fmt.Errorf("%w: %s, %d bytes: %v", errNotKept, name(i), len(got), err)
				}
			}
			return nil
		},
	}
}

// TestGitKeeps: whatever moment the power goes at, what git has acknowledged is there.
// TestTeethGitDefaultFsync: with the settings git has by itself it is not, and this is how it shows.
func TestGitKeeps(t *testing.T) { gitKeeps(t, false) }

func TestTeethGitDefaultFsync(t *testing.T) { gitKeeps(t, true) }

func gitKeeps(t *testing.T, mistake bool) {
	if !privileged(t) {
		return
	}
	if mistake {
		t.Setenv("PATH", forgetful(t)+":"+os.Getenv("PATH"))
	}
	cfg := blklog.Config{Size: 32 << 20, MaxStates: 250, Subsets: 6, Seed: 1, SyncEvery: 3 * time.Millisecond, Log: t.Logf}
	if mistake {
		cfg.SyncEvery = 0 // nobody else does what was forgotten
	}
	report, err := blklog.Explore(t.Context(), cfg, keeping())
	must(t, err)
	broken := report.Count(errNotKept)
	t.Logf("%d states, %d broken", report.States, broken)
	if other := len(report.Failures) - broken; other > 0 || report.States < 50 {
		t.Errorf("%d states, %d other failures", report.States, other)
	}
	if mistake != (broken > 0) {
		t.Errorf("%d of %d states are broken", broken, report.States)
	}
}

// forgetful is a folder with a git that takes no advice on what to sync.
func forgetful(t *testing.T) string {
	t.Helper()
	git, err := exec.LookPath("git")
	must(t, err)
	dir := t.TempDir()
	script := "#!/bin/sh\nn=$#\nwhile [ $n -gt 0 ]; do\n  a=$1; shift; n=$((n-1))\n  case $a in core.fsync=*) a=core.bigFileThreshold=512m;; esac\n  set -- \"$@\" \"$a\"\ndone\nexec " + git + " \"$@\"\n"
	must(t, os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755))
	return dir
}
