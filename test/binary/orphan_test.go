//go:build linux

package binary

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/fsys"
)

// gate replaces git: it blocks the nth git command on a repository, and every later one, until it is opened, and then execs
// the real git. So a test knows that git runs when it kills Tend, and decides when it continues.
const gate = `#!/bin/sh
case "$*" in --git-dir=*)
	echo x >>"%[1]s/calls"
	if [ "$(wc -l <"%[1]s/calls")" -ge %[2]d ]; then
		echo "$*" >"%[1]s/held"
		while [ ! -e "%[1]s/open" ]; do sleep 0.02; done
	fi
esac
exec %[3]s "$@"
`

// orphanage is an agent with a git that can be blocked.
type orphanage struct {
	*world
	git, bin string // the real git, and the folder of its replacement
	gate     string // folder to communicate with the gate
}

func newOrphanage(t *testing.T) *orphanage {
	t.Helper()
	git, err := exec.LookPath("git")
	must(t, err)
	o := &orphanage{world: newWorld(t, t.TempDir(), places{}, "a"), git: git, bin: t.TempDir()}
	o.env = []string{"PATH=" + o.bin + ":/usr/bin:/bin"}
	o.reset(t)
	return o
}

// shut closes the gate for the nth git command; for none if that is 0.
func (o *orphanage) shut(t *testing.T, n int) {
	t.Helper()
	o.gate = t.TempDir()
	if n == 0 {
		n = 1 << 30
	}
	must(t, os.RemoveAll(filepath.Join(o.bin, "git"))) // do not overwrite: a shell may still read the old one
	must(t, os.WriteFile(filepath.Join(o.bin, "git"), fmt.Appendf(nil, gate, o.gate, n, o.git), 0o755))
}

// reset changes the memory, so that the history has something to commit.
func (o *orphanage) reset(t *testing.T) {
	t.Helper()
	env := o.env
	o.env = []string{"PATH=/nonexistent"} // without git: nothing is synced
	notes(t, o.world)
	o.mustRun(t, "reset", "--all")
	o.env = env
}

func (o *orphanage) repo() string { return filepath.Join(o.state, "history", "a.git") }

func (o *orphanage) locked() bool {
	_, held := fsys.LockHolder(filepath.Join(o.state, "history", "a.lock"))
	return held
}

// until waits for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// orphaned starts Tend, kills it with SIGKILL while its nth git runs, and checks what another Tend does meanwhile. It returns
// false if the run had fewer git commands.
func (o *orphanage) orphaned(t *testing.T, n int, args ...string) bool {
	t.Helper()
	o.shut(t, n)
	cmd := o.command(args...)
	must(t, cmd.Start())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	held := func() bool {
		_, err := os.Stat(filepath.Join(o.gate, "held"))
		return err == nil
	}
	until(t, fmt.Sprintf("git command %d of %v", n, args), func() bool {
		select {
		case <-ended:
			return true
		default:
			return held()
		}
	})
	_ = cmd.Process.Kill()
	<-ended
	if !held() {
		return false
	}
	open := func() { must(t, os.WriteFile(filepath.Join(o.gate, "open"), nil, 0o600)) }
	if !o.locked() {
		open()
		t.Fatal("the lock is free though a git is alive")
	}
	// Lock files that the running git may have made stay.
	lock := filepath.Join(o.repo(), "HEAD.lock")
	planted := os.WriteFile(lock, nil, 0o600) == nil // fails without a repository
	if r := o.tend("history", "sync", "a"); r.code != 4 {
		t.Errorf("another sync beside the orphan: %s", r)
	}
	if _, err := os.Stat(lock); planted && err != nil {
		t.Error("the lock of a running git was removed")
	}
	// No write waits for it.
	o.reset(t)
	if planted {
		must(t, os.Remove(lock)) // git itself would do so
	}
	open()
	until(t, "the orphan has ended", func() bool { return !o.locked() })
	return true
}

// checkSynced runs the next sync and checks the repository: valid, without locks, complete.
func (o *orphanage) checkSynced(t *testing.T) {
	t.Helper()
	o.shut(t, 0)
	o.mustRun(t, "history", "sync", "a")
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"--git-dir=" + o.repo()}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("fsck", "--strict", "--full", "--no-progress")
	story := git("log", "--format=%B", "main")
	actions := 0
	must(t, walk(filepath.Join(o.state, "agents", "a", "ledger"), func(_ string, text []byte) {
		for line := range strings.Lines(string(text)) {
			if _, rest, ok := strings.Cut(line, `"id":"`); ok && strings.Contains(line, `"state":"done"`) {
				id, _, _ := strings.Cut(rest, `"`)
				actions++
				if n := strings.Count(story, "Tend-Action: "+id+"\n"); n != 1 {
					t.Errorf("action %s has %d commits", id, n)
				}
			}
		}
	}))
	if actions == 0 {
		t.Error("no action was looked for")
	}
	must(t, filepath.WalkDir(filepath.Join(o.state, "history"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && (strings.HasSuffix(name, ".lock") && name != filepath.Join(o.state, "history", "a.lock") ||
			strings.HasSuffix(name, "tend-syncing") || strings.HasSuffix(name, ".old")) {
			t.Errorf("left behind: %s", name)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}))
	o.check(t)
}

// TestOrphanedGit kills Tend with SIGKILL during each of its git commands: those of a first sync, of a later one, of a
// repair and of a rebuild. The orphaned git finishes or fails by itself. Until it has ended, nothing removes its locks and
// no write waits; then the next sync completes the history.
func TestOrphanedGit(t *testing.T) {
	t.Parallel()
	first := func(o *orphanage) { must(t, os.RemoveAll(o.repo())) }
	none := func(*orphanage) {}
	forget := func(o *orphanage) { must(t, os.Remove(filepath.Join(o.repo(), "tend-tip"))) }
	heal := func(o *orphanage) { must(t, os.WriteFile(filepath.Join(o.repo(), "tend-syncing"), nil, 0o600)) }
	tries, held := 0, 0
	for _, run := range []struct {
		name    string
		prepare func(o *orphanage)
		args    []string
	}{
		{"first sync", first, []string{"history", "sync", "a"}},
		{"later sync", none, []string{"history", "sync", "a"}},
		{"later sync that must ask git", forget, []string{"history", "sync", "a"}},
		{"after a cut-off sync", heal, []string{"history", "sync", "a"}},
		{"rebuild", none, []string{"doctor", "--rebuild-history"}},
	} {
		o := newOrphanage(t)
		o.shut(t, 0)
		o.mustRun(t, "history", "sync", "a")
		for n, more := 1, true; more; n++ {
			t.Run(fmt.Sprintf("%s/git %d", run.name, n), func(t *testing.T) {
				o.reset(t)
				run.prepare(o)
				if more = o.orphaned(t, n, run.args...); more {
					tries++
				}
				o.checkSynced(t)
				if more && !t.Failed() {
					held++
				}
				more = more && !t.Failed()
			})
		}
	}
	t.Logf("kill -9 with an orphaned git: %d tries, %d held", tries, held)
	if tries < 10 {
		t.Errorf("%d tries are too few", tries)
	}
}
