package remote_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tend/internal/disk/remote/sshdtest"
)

// On a slow link the number of round trips counts. A reset of one agent, from opening the folder to its sync, takes at
// most these.
func TestRequests(t *testing.T) {
	log := filepath.Join(t.TempDir(), "requests")
	s := sshdtest.Start(t, sshdtest.Options{Config: []string{"ForceCommand exec " + sftpServer(t) + " -e -l DEBUG3 2>>" + log}})
	w := approved(t, s)
	w.ok("reset", "far")
	w.append("far", "- more\n")
	count := func() map[string]int {
		n := map[string]int{}
		// The first connection is the command's; the git history has one of its own.
		sessions := strings.Split(read(t, log), "session opened")
		for _, m := range regexp.MustCompile(`request \d+: ([a-z-]+)`).FindAllStringSubmatch(sessions[len(sessions)-2], -1) {
			if m[1] != "sent" {
				n[m[1]]++
			}
		}
		return n
	}
	w.ok("reset", "far")
	most, total := map[string]int{
		"realpath": 1, "stat": 1, // find the folder
		"open": 6, "close": 6, "read": 6, // the file, again before it is staged, and what was displaced; the folder twice, to sync it
		"lstat": 7, "fstat": 1, "write": 1, "fsync": 3, "hardlink": 1, "posix-rename": 2,
	}, 0
	for kind, n := range count() {
		if total += n; n > most[kind] {
			t.Errorf("%d times %s, want %d at most", n, kind, most[kind])
		}
	}
	if total > 35 || total == 0 {
		t.Errorf("%d requests, want 35 at most", total)
	}
}
