//go:build linux

package binary

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestFullDisk leaves less and less space. A reset that does not fit reports an error and changes nothing; with space again
// it works.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if !privileged(t) {
		limitedFiles(t)
		return
	}
	for _, tc := range []struct {
		name, options string
		fill          func(t *testing.T, dir string, free int) (empty func())
		frees         []int
	}{
		{"bytes", "size=512k", fillBytes, []int{0, 1, 2, 3, 4, 5, 6, 8, 12}},
		{"inodes", "size=8m,nr_inodes=64", fillInodes, []int{0, 1, 2, 3, 4, 5, 6, 8}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			full, fits := 0, 0
			for _, free := range tc.frees {
				w := newWorld(t, tmpfs(t, tc.options), places{}, "one", "two")
				notes(t, w)
				w.mustRun(t, "reset", "--all") // create its folders
				notes(t, w)
				empty := tc.fill(t, w.dir, free)
				for _, args := range [][]string{{"reset", "one"}, {"reset", "--all"}} {
					switch r := w.tend(args...); {
					case r.done():
						fits++
					case r.code == 5 && strings.Contains(r.out+r.err, "no space left"):
						full++
					default:
						t.Errorf("%d free: %s", free, r)
					}
					if lost := w.lost(t); len(lost) > 0 {
						t.Fatalf("%d free, lost: %q", free, lost)
					}
				}
				empty()
				w.mustRun(t, "reset", "--all")
				w.check(t)
				for i := range w.agents {
					if !w.clean(t, i) {
						t.Errorf("%d free: %s is not the baseline", free, w.memory(i))
					}
				}
			}
			t.Logf("%d runs did not fit, %d did", full, fits)
			if full == 0 || fits == 0 {
				t.Error("both should have happened")
			}
		})
	}
}

// fillBytes leaves only free pages.
func fillBytes(t *testing.T, dir string, free int) func() {
	t.Helper()
	name := filepath.Join(dir, "filler")
	f, err := os.Create(name)
	must(t, err)
	page := make([]byte, 4096)
	size := int64(0)
	for {
		n, err := f.Write(page)
		size += int64(n)
		if errors.Is(err, unix.ENOSPC) {
			break
		}
		must(t, err)
	}
	must(t, f.Truncate(max(0, size-int64(free)*4096)))
	must(t, f.Close())
	return func() { must(t, os.Remove(name)) }
}

// fillInodes leaves space for only free files.
func fillInodes(t *testing.T, dir string, free int) func() {
	t.Helper()
	var names []string
	for n := 0; ; n++ {
		name := filepath.Join(dir, fmt.Sprintf("filler%d", n))
		err := os.WriteFile(name, nil, 0o600)
		if errors.Is(err, unix.ENOSPC) {
			break
		}
		must(t, err)
		names = append(names, name)
	}
	drop := func(list []string) {
		for _, name := range list {
			must(t, os.Remove(name))
		}
	}
	drop(names[:free])
	return func() { drop(names[free:]) }
}

// TestReadOnlyMeanwhile makes the disk read-only at any moment during resets, as the kernel does after an error, and checks
// it after a remount.
func TestReadOnlyMeanwhile(t *testing.T) {
	t.Parallel()
	if !privileged(t) {
		limitedFiles(t)
		return
	}
	aborted := 0
	for n := range 12 {
		dir, image := ext4(t)
		w := newWorld(t, dir, places{}, "one", "two", "three", "four")
		notes(t, w)
		took := w.howLong(t)
		notes(t, w)
		must(t, syncAll(dir))
		cmd := w.command("reset", "--all")
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		must(t, cmd.Start())
		time.Sleep(took * time.Duration(n) / 12)
		system(t, "mount", "-o", "remount,abort", dir)
		if err := cmd.Wait(); err != nil {
			if code := cmd.ProcessState.ExitCode(); code != 5 {
				t.Errorf("exit code on a dead disk: got %d, want 5\n%s", code, said.Bytes())
			}
			aborted++
		}
		if r := w.tend("reset", "--all"); r.code != 5 && strings.Count(r.out, "unchanged") != len(w.agents) {
			t.Errorf("on a read-only disk: %s", r)
		}
		unmount(t, dir)
		mountImage(t, image, dir)
		w.mustRun(t, "reset", "--all")
		for i := range w.agents {
			if !w.clean(t, i) {
				t.Errorf("%s is not the baseline", w.memory(i))
			}
		}
		w.check(t)
	}
	t.Logf("%d of 12 runs met the read-only disk", aborted)
	if aborted == 0 {
		t.Error("no run met the read-only disk")
	}
}

func syncAll(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(d.Fd())), d.Close())
}
