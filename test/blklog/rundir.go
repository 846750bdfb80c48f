//go:build linux

package blklog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// runDir holds all mount points of one run.
type runDir struct{ path string }

func newRunDir() (*runDir, error) {
	path, err := os.MkdirTemp("", "blklog-")
	if err != nil {
		return nil, fmt.Errorf("make run folder: %w", err)
	}
	// Mount tables show paths without symbolic links.
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, fmt.Errorf("resolve run folder: %w", err)
	}
	return &runDir{path: path}, nil
}

func (d *runDir) join(name string) string { return filepath.Join(d.path, name) }

func (d *runDir) mkdir(name string) (string, error) {
	path := d.join(name)
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", fmt.Errorf("make mount point: %w", err)
	}
	return path, nil
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

// cutOff ends all waiting for the recorded disk: requests to it fail from now on.
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
	return nil
}
