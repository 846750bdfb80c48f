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

// loopDevice is attached to a file until closed and unmounted: the kernel
// detaches it by itself then, so none can be left behind.
type loopDevice struct {
	fd   int
	path string
}

// attachLoop attaches a free loop device to the open file backing. Scratch is a
// folder for a device node if /dev has none, as in containers.
func attachLoop(backing int, scratch string) (*loopDevice, error) {
	control, err := unix.Open("/dev/loop-control", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open /dev/loop-control: %w", err)
	}
	defer unix.Close(control)
	config := unix.LoopConfig{Fd: uint32(backing)}
	config.Info.Flags = unix.LO_FLAGS_AUTOCLEAR
	for {
		n, err := unix.IoctlRetInt(control, unix.LOOP_CTL_GET_FREE)
		if err != nil {
			return nil, fmt.Errorf("find free loop device: %w", err)
		}
		path, err := loopPath(n, scratch)
		if err != nil {
			return nil, err
		}
		fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", path, err)
		}
		err = unix.IoctlLoopConfigure(fd, &config)
		if err == nil {
			return &loopDevice{fd: fd, path: path}, nil
		}
		unix.Close(fd)
		// Another process was faster to take it.
		if !errors.Is(err, unix.EBUSY) {
			return nil, fmt.Errorf("configure %s: %w", path, err)
		}
	}
}

func (l *loopDevice) close() { unix.Close(l.fd) }

func loopPath(n int, scratch string) (string, error) {
	path := fmt.Sprintf("/dev/loop%d", n)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	number, err := os.ReadFile(fmt.Sprintf("/sys/block/loop%d/dev", n))
	if err != nil {
		return "", fmt.Errorf("find device number of loop%d: %w", n, err)
	}
	var major, minor uint32
	if _, err := fmt.Sscanf(strings.TrimSpace(string(number)), "%d:%d", &major, &minor); err != nil {
		return "", fmt.Errorf("parse device number of loop%d: %w", n, err)
	}
	path = filepath.Join(scratch, fmt.Sprintf("loop%d", n))
	err = unix.Mknod(path, unix.S_IFBLK|0o600, int(unix.Mkdev(major, minor)))
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return "", fmt.Errorf("make node of loop%d: %w", n, err)
	}
	return path, nil
}
