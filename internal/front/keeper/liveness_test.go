//go:build !windows

package keeper

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestKeeperRestoresWhatIsGone: a guarded file that is removed or replaced in any way is restored without a reset.
func TestKeeperRestoresWhatIsGone(t *testing.T) {
	t.Parallel()
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

// TestKeeperReportsAChangedWorkspace: another folder at the workspace's path is a finding and a metric until the
// workspace is back, and nothing is written to it.
func TestKeeperReportsAChangedWorkspace(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a").start()
	ws := h.path("ws/a")
	h.until("the workspace is pinned", func() bool {
		_, err := os.Stat(h.path("state/agents/a/workspace.json"))
		return err == nil
	})
	must(t, errors.Join(os.Rename(ws, ws+".away"), os.Mkdir(ws, 0o755)))
	reported := func() bool {
		_, metrics, _ := h.do(call{method: "GET", path: "/metrics"})
		return strings.Contains(metrics, `tend_findings{code="workspace-changed"} 1`)
	}
	h.until("it is reported", reported)
	if list, err := os.ReadDir(ws); err != nil || len(list) > 0 {
		t.Errorf("%d files were written to another folder: %v", len(list), err)
	}
	must(t, errors.Join(os.Remove(ws), os.Rename(ws+".away", ws)))
	h.until("it is over", func() bool { return !reported() })
}
