//go:build linux

package blklog

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// newMemFile makes a file that lives in memory until its last user is gone.
func newMemFile(name string, size int64) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", name, err)
	}
	file := os.NewFile(uintptr(fd), name)
	if err := file.Truncate(size); err != nil {
		return nil, errors.Join(fmt.Errorf("size %s: %w", name, err), file.Close())
	}
	return file, nil
}

// newBase makes the disk as it is before the recording: a file system with the
// tree of setup in it, cleanly unmounted.
func newBase(dir *runDir, cfg Config, setup func(string) error) (*os.File, error) {
	base, err := newMemFile("base", cfg.Size)
	if err != nil {
		return nil, err
	}
	if err := fillBase(dir, cfg, base, setup); err != nil {
		return nil, errors.Join(err, base.Close())
	}
	return base, nil
}

func fillBase(dir *runDir, cfg Config, base *os.File, setup func(string) error) (err error) {
	if err := mkfs(base, cfg.MkfsArgs); err != nil {
		return err
	}
	mnt, err := dir.mkdir("setup")
	if err != nil {
		return err
	}
	if err := mountImage(int(base.Fd()), mnt, dir.path, cfg.MountOpts); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unmount(mnt)) }()
	if err := os.Remove(filepath.Join(mnt, "lost+found")); err != nil {
		return fmt.Errorf("empty the root: %w", err)
	}
	if setup == nil {
		return nil
	}
	if err := guard(func() error { return setup(mnt) }); err != nil {
		return fmt.Errorf("set up: %w", err)
	}
	return nil
}

func mkfs(image *os.File, args []string) error {
	path, err := mkfsPath()
	if err != nil {
		return err
	}
	// Nothing is left to be done in the background, which would blur the log.
	all := []string{"-q", "-F", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"}
	all = append(append(all, args...), "/proc/self/fd/3")
	cmd := exec.Command(path, all...)
	cmd.ExtraFiles = []*os.File{image}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make file system: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}
