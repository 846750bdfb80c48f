//go:build linux

package binary

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tend/test/require"
)

// tmpfs mounts a file system in memory with these options and returns its folder.
func tmpfs(t *testing.T, options string) string {
	t.Helper()
	require.Root(t, "it mounts a file system")
	dir := filepath.Join(t.TempDir(), "small")
	must(t, os.Mkdir(dir, 0o755))
	must(t, unix.Mount("tmpfs", dir, "tmpfs", 0, options))
	t.Cleanup(func() { unmount(t, dir) })
	return dir
}

// ext4 mounts an ext4 in a file and returns its folder and the file.
func ext4(t *testing.T) (dir, image string) {
	t.Helper()
	require.Root(t, "it mounts a file system")
	dir, image = filepath.Join(t.TempDir(), "disk"), filepath.Join(t.TempDir(), "image")
	must(t, os.Mkdir(dir, 0o755))
	must(t, os.WriteFile(image, nil, 0o600))
	must(t, os.Truncate(image, 16<<20))
	system(t, "mkfs.ext4", "-q", "-b", "4096", image)
	mountImage(t, image, dir)
	t.Cleanup(func() { unmount(t, dir) })
	return dir, image
}

func mountImage(t *testing.T, image, dir string) {
	t.Helper()
	system(t, "mount", "-o", "loop", image, dir)
}

// unmount waits for processes that still have something open there.
func unmount(t *testing.T, dir string) {
	t.Helper()
	var err error
	for range 3000 {
		if err = unix.Unmount(dir, 0); err == nil || err == unix.EINVAL {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("unmount %s: %v", dir, err)
	_ = unix.Unmount(dir, unix.MNT_DETACH)
}

// system runs a program of the system, which an ordinary PATH may lack.
func system(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	if cmd.Err != nil {
		cmd = exec.Command(filepath.Join("/usr/sbin", name), args...)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", cmd, err, out)
	}
}
