//go:build linux

package blklog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// errBusy is returned when a file system is still in use long after its user
// should have let go of it.
var errBusy = errors.New("a file is still open there, or a child process still runs there")

// ErrMount is in the chain of a failure whose image could not even be mounted.
var ErrMount = errors.New("mount image")

// mountImage attaches the open file backing to a loop device and mounts it on dir.
func mountImage(backing int, dir, scratch string, opts []string) error {
	loop, err := attachLoop(backing, scratch)
	if err != nil {
		return err
	}
	defer loop.close()
	if err := unix.Mount(loop.path, dir, "ext4", 0, strings.Join(opts, ",")); err != nil {
		return fmt.Errorf("%w: %w", ErrMount, err)
	}
	return nil
}

// unmount gives processes in dir a moment to leave, then detaches it and
// reports errBusy. Everything is on the disk afterwards, even where a process
// with a mount namespace of its own still has the file system in it: then
// unmounting here writes nothing.
func unmount(dir string) error {
	return errors.Join(syncAll(dir), detach(dir))
}

func detach(dir string) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := unix.Unmount(dir, 0)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, unix.EBUSY):
			return fmt.Errorf("unmount %s: %w", filepath.Base(dir), err)
		case wait > time.Second:
			return errors.Join(fmt.Errorf("unmount %s: %w", filepath.Base(dir), errBusy), unix.Unmount(dir, unix.MNT_DETACH))
		}
		time.Sleep(wait)
	}
}

// syncAll writes everything that the file system of dir still has in memory.
func syncAll(dir string) error {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open %s to sync it: %w", filepath.Base(dir), err)
	}
	defer unix.Close(fd)
	if err := unix.Syncfs(fd); err != nil {
		return fmt.Errorf("sync %s: %w", filepath.Base(dir), err)
	}
	return nil
}

// mountsBelow lists the mount points in dir with their types, the latest first.
func mountsBelow(dir string) ([]mountPoint, error) {
	info, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("list mounts: %w", err)
	}
	return parseMounts(string(info), dir), nil
}

type mountPoint struct{ path, fsType string }

func (m mountPoint) isFuse() bool { return strings.HasPrefix(m.fsType, "fuse") }

func parseMounts(info, dir string) []mountPoint {
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	var found []mountPoint
	for line := range strings.Lines(info) {
		before, after, ok := strings.Cut(line, " - ")
		fields, rest := strings.Fields(before), strings.Fields(after)
		if !ok || len(fields) < 5 || len(rest) < 1 {
			continue
		}
		path := unescape.Replace(fields[4])
		if strings.HasPrefix(path, dir+"/") {
			found = append([]mountPoint{{path, rest[0]}}, found...)
		}
	}
	return found
}
