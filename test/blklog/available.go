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

// Available reports everything that this machine lacks to run the package, nil
// if nothing.
func Available() error {
	var missing []error
	if os.Geteuid() != 0 {
		missing = append(missing, errors.New("mounting needs root: run the tests as root"))
	}
	for _, dev := range []string{"/dev/fuse", "/dev/loop-control"} {
		fd, err := unix.Open(dev, unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			missing = append(missing, fmt.Errorf("open %s: %w: load the module, or give the container the device", dev, err))
			continue
		}
		unix.Close(fd)
	}
	if known, err := os.ReadFile("/proc/filesystems"); err == nil {
		for _, fs := range []string{"ext4", "fuse"} {
			if !strings.Contains(string(known)+"\n", "\t"+fs+"\n") {
				missing = append(missing, fmt.Errorf("the kernel has no %s: run modprobe %s", fs, fs))
			}
		}
	}
	if _, err := mkfsPath(); err != nil {
		missing = append(missing, err)
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("blklog cannot run here: %w", errors.Join(missing...))
}

// mkfsPath looks beyond PATH because that of an ordinary user lacks sbin.
func mkfsPath() (string, error) {
	if path, err := exec.LookPath("mkfs.ext4"); err == nil {
		return path, nil
	}
	for _, dir := range []string{"/usr/sbin", "/sbin"} {
		if path, err := exec.LookPath(filepath.Join(dir, "mkfs.ext4")); err == nil {
			return path, nil
		}
	}
	return "", errors.New("mkfs.ext4 is missing: install the package e2fsprogs")
}
