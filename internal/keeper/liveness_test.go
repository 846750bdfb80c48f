//go:build !windows

package keeper

import (
	"os"
	"syscall"
	"testing"
)

// TestS6KeeperRestoresWhatIsGone: the watch sees every way to take a guarded file away, and the guard brings it back
// without waiting for a reset.
func TestS6KeeperRestoresWhatIsGone(t *testing.T) {
	h := newHome(t, often, "", "a").start()
	at := h.path("ws/a/MEMORY.md")
	tries := 0
	for name, harm := range map[string]func() error{
		"removed": func() error { return os.Remove(at) },
		"renamed": func() error { return os.Rename(at, at+".old") },
		"folder":  func() error { _ = os.Remove(at); return os.MkdirAll(at+"/inner", 0o755) },
		"link":    func() error { _ = os.Remove(at); return os.Symlink("/etc/hostname", at) },
		"FIFO":    func() error { _ = os.Remove(at); return syscall.Mkfifo(at, 0o644) },
	} {
		tries++
		if err := harm(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		h.until(name, func() bool {
			info, err := os.Lstat(at)
			return err == nil && info.Mode().IsRegular() && h.read("ws/a/MEMORY.md") == baseline("a")
		})
	}
	t.Logf("keeper: %d tries, %d held", tries, tries)
}
