//go:build linux

package binary

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// packed returns a fleet with an agent that has a history, and the file it was exported to.
func packed(t *testing.T) (*world, string) {
	t.Helper()
	w := newWorld(t, t.TempDir(), places{}, "a")
	notes(t, w)
	w.mustRun(t, "reset", "a")
	notes(t, w)
	file := filepath.Join(t.TempDir(), "a.tar.gz")
	w.mustRun(t, "export", "a", file)
	return w, file
}

// elsewhere returns another machine's configuration.
func elsewhere(t *testing.T, w *world, archives string) *world {
	t.Helper()
	far := &world{dir: t.TempDir(), said: w.said, archives: archives}
	far.state = far.abs("state")
	must(t, os.WriteFile(far.abs("tend.yaml"), []byte("version: 1\nstate_dir: ./state\narchive_dir: "+archives+"\nagents: {}\n"), 0o644))
	far.agents = []string{far.abs("workspaces/a")}
	return far
}

// TestImportAcrossDevices: archives may be on another file system than the state.
func TestImportAcrossDevices(t *testing.T) {
	if !privileged(t) {
		return
	}
	w, file := packed(t)
	far := elsewhere(t, w, tmpfs(t, "size=8m"))
	far.mustRun(t, "import", file)
	if lost := far.lost(t); len(lost) > 0 {
		t.Errorf("%d lines are lost, such as %q", len(lost), lost[0])
	}
	if litter := far.litter(t); len(litter) > 0 {
		t.Errorf("left behind: %q", litter)
	}
	must(t, filepath.Walk(far.archives, func(name string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		return err
	}))
	far.mustRun(t, "reset", "a")

	// Without space, nothing is left behind.
	full := tmpfs(t, "size=8k")
	must(t, os.WriteFile(filepath.Join(full, "other"), make([]byte, 8<<10), 0o644))
	small := elsewhere(t, w, full)
	if r := small.tend("import", file); r.code == 0 {
		t.Errorf("it fitted: %s", r)
	}
	for _, name := range []string{"state/trash/a", "state/agents/a"} {
		if _, err := os.Stat(small.abs(name)); err == nil {
			t.Errorf("%s is left", name)
		}
	}
	if conf, err := os.ReadFile(small.abs("tend.yaml")); err != nil || !strings.Contains(string(conf), "agents: {}") {
		t.Errorf("the agent was added: %s, %v", conf, err)
	}
}

// TestImportKilled: after an import is killed at any moment, running it again completes it.
func TestImportKilled(t *testing.T) {
	w, file := packed(t)
	kills := 0
	for i := range 40 {
		far := elsewhere(t, w, filepath.Join(t.TempDir(), "archives"))
		cmd := far.command("import", file)
		must(t, cmd.Start())
		time.Sleep(time.Duration(i) * 700 * time.Microsecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		conf, err := os.ReadFile(far.abs("tend.yaml"))
		must(t, err)
		if strings.Contains(string(conf), "agents: {}") {
			kills++
			far.mustRun(t, "import", file)
		}
		if lost := far.lost(t); len(lost) > 0 {
			t.Fatalf("killed after %d steps: %d lines are lost, such as %q", i, len(lost), lost[0])
		}
		far.mustRun(t, "baseline", "verify", "a")
		far.mustRun(t, "reset", "a")
		if !strings.Contains(far.tend("log", "a").out, "reset") {
			t.Fatal("the records are missing")
		}
	}
	if kills == 0 {
		t.Error("no import was killed before its end")
	}
}
