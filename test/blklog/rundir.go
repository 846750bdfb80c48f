//go:build linux

package blklog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	runPrefix = "blklog-"
	lockName  = "blklog.lock"
)

// runDir holds all mount points of one run. Its lock is held by the test and by
// its helper: as long as either lives the folder is in use, and no longer.
type runDir struct {
	path string
	lock *os.File
}

func newRunDir() (*runDir, error) {
	path, err := os.MkdirTemp("", runPrefix)
	if err != nil {
		return nil, fmt.Errorf("make run folder: %w", err)
	}
	// Mount tables show paths without symbolic links.
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, fmt.Errorf("resolve run folder: %w", err)
	}
	d := &runDir{path: path}
	if err := d.acquire(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(path))
	}
	return d, nil
}

// acquire renames the lock into place once it is locked, so that a new folder
// is not mistaken for an abandoned one.
func (d *runDir) acquire() error {
	fresh := d.join(lockName + ".new")
	lock, err := os.OpenFile(fresh, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("make lock: %w", err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("take lock: %w", err), lock.Close())
	}
	if err := os.Rename(fresh, d.join(lockName)); err != nil {
		return errors.Join(fmt.Errorf("place lock: %w", err), lock.Close())
	}
	d.lock = lock
	return nil
}

func (d *runDir) join(name string) string { return filepath.Join(d.path, name) }

func (d *runDir) mkdir(name string) (string, error) {
	path := d.join(name)
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", fmt.Errorf("make mount point: %w", err)
	}
	return path, nil
}

// release unmounts and removes all, if the helper has not done so already.
func (d *runDir) release() error {
	return errors.Join(release(d.path), d.lock.Close())
}

// sweep releases the folders of runs that are over but could not clean up, which
// takes a kill -9 of both the test and its helper. Errors do not matter to the
// run about to start: the next sweep tries again.
func sweep() {
	parent, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return
	}
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), runPrefix) {
			continue
		}
		sweepDir(filepath.Join(parent, entry.Name()))
	}
}

func sweepDir(path string) {
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR|unix.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer lock.Close()
	var info unix.Stat_t
	if err := unix.Fstat(int(lock.Fd()), &info); err != nil || int(info.Uid) != os.Geteuid() {
		return
	}
	if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
		_ = release(path)
	}
}

// release unmounts everything below a run folder and removes it.
func release(path string) error {
	if err := cutOff(path); err != nil {
		return err
	}
	mounts, err := mountsBelow(path)
	if err != nil {
		return err
	}
	for _, m := range mounts {
		if err := unix.Unmount(m.path, unix.MNT_DETACH); err != nil {
			return fmt.Errorf("detach %s: %w", m.path, err)
		}
	}
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("remove run folder: %w", err)
	}
	return nil
}

// cutOff ends all waiting for disks of the run: requests to the recorded one
// fail from now on, and frozen file systems are thawed.
func cutOff(path string) error {
	mounts, err := mountsBelow(path)
	if err != nil {
		return err
	}
	for _, m := range mounts {
		if !m.isFuse() {
			continue
		}
		// It is busy as long as the loop device is there; the abort happens anyway.
		if err := unix.Unmount(m.path, unix.MNT_FORCE); err != nil && !errors.Is(err, unix.EBUSY) {
			return fmt.Errorf("abort %s: %w", m.path, err)
		}
	}
	for _, m := range mounts {
		if !m.isFuse() {
			thaw(m.path)
		}
	}
	return nil
}

// fiThaw is FITHAW of linux/fs.h.
const fiThaw = 0xc0045878

// thaw does nothing to a file system that is not frozen.
func thaw(path string) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	_ = unix.IoctlSetInt(fd, fiThaw, 0)
}
