//go:build linux

package binary

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// other returns a folder on another file system than the temporary folder's, if possible.
func other(t *testing.T) string {
	t.Helper()
	if !privileged(t) {
		return t.TempDir()
	}
	return tmpfs(t, "size=16m")
}

// TestArchiveElsewhere: the archive is on another disk, so nothing can be renamed into it.
func TestArchiveElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), places{archives: filepath.Join(other(t), "archive")}, "one", "two")
	for day := range 3 {
		notes(t, w)
		if r := w.tend("reset", "--all", "--clock", fmt.Sprintf("2026-11-%02d", 15+day)); r.code != 0 {
			t.Fatal(r)
		}
	}
	w.check(t)
	if r := w.tend("grep", "--past", "agent 1 says"); strings.Count(r.out, "archive:") != 3 {
		t.Errorf("found in the archive: %s", r)
	}
	// Retention moves between file systems too.
	edit(t, w.abs("tend.yaml"), "timezone: UTC\n", "timezone: UTC\n  policy: {archive.keep_min: 1}\n")
	notes(t, w)
	w.mustRun(t, "reset", "--all", "--clock", "2027-03-01")
	if r := w.tend("past", "list", "one"); strings.Count(r.out, "  archive  ") != 1 {
		t.Errorf("after retention: %s", r)
	}
	w.check(t)
}

// TestStateElsewhere: the state is on another disk than the workspaces. A displaced file cannot be moved to the trash, so it
// stays beside the new one until its text is safe and it is no longer open anywhere.
func TestStateElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), places{state: filepath.Join(other(t), "state")}, "one", "two")
	notes(t, w)
	slow, err := os.OpenFile(w.memory(0), os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	if r := w.tend("reset", "--all", "--clock", "2026-11-15 12:00"); r.code != 0 {
		t.Fatal(r)
	}
	if !w.clean(t, 0) {
		t.Error("not the baseline")
	}
	if lost := w.lost(t); len(lost) > 0 {
		t.Errorf("lost: %q", lost)
	}
	// A writer still has it open and appends.
	_, err = slow.WriteString("- said late\n")
	must(t, err)
	w.said = append(w.said, "- said late")
	if lost := w.lost(t); len(lost) > 0 {
		t.Errorf("lost: %q", lost)
	}
	// It stays for the grace period; then its text is archived and it is removed.
	notes(t, w)
	w.mustRun(t, "reset", "--all", "--clock", "2026-11-16 11:00")
	if privileged(t) && len(w.litter(t)) == 0 {
		t.Error("the displaced file was removed too early")
	}
	w.mustRun(t, "reset", "--all", "--clock", "2026-11-16 11:30")
	notes(t, w)
	r := w.tend("reset", "--all", "--clock", "2026-11-18 12:00")
	if r.code != 1 || !strings.Contains(r.out, "late-write") {
		t.Errorf("a late write was not reported: %s", r)
	}
	notes(t, w)
	w.mustRun(t, "reset", "--all", "--clock", "2026-11-20 12:00")
	// The writer still has the file open, so it is still there.
	_, err = slow.WriteString("- said very late\n")
	must(t, err)
	w.said = append(w.said, "- said very late")
	if lost := w.lost(t); len(lost) > 0 {
		t.Errorf("lost: %q", lost)
	}
	must(t, slow.Close())
	notes(t, w)
	r = w.tend("reset", "--all", "--clock", "2026-11-22 12:00")
	if r.code != 1 || !strings.Contains(r.out, "late-write") {
		t.Errorf("a very late write was not reported: %s", r)
	}
	notes(t, w)
	w.mustRun(t, "reset", "--all", "--clock", "2026-11-24 12:00")
	left := w.litter(t)
	if !privileged(t) {
		left = nil
	}
	// Only the file that the last reset displaced may still be there.
	if len(left) > len(w.agents) {
		t.Errorf("left beside: %q", left)
	}
	if lost := w.lost(t); len(lost) > 0 {
		t.Errorf("lost: %q", lost)
	}
	for _, late := range []string{"said late", "said very late"} {
		if r := w.tend("grep", "--past", late); !strings.Contains(r.out, late) {
			t.Errorf("the late write is not in the archive: %s", r)
		}
	}
}

// TestFewDescriptors gives tend 64 open files for 60 agents.
func TestFewDescriptors(t *testing.T) {
	t.Parallel()
	limitedFiles(t)
}

func limitedFiles(t *testing.T) {
	t.Helper()
	names := make([]string, 60)
	for i := range names {
		names[i] = fmt.Sprintf("agent%d", i)
	}
	w := newWorld(t, t.TempDir(), places{}, names...)
	notes(t, w)
	plain := w.command("reset", "--all")
	cmd := w.command()
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -n 64 && exec "$@"`, "sh"}, plain.Args...)
	r := finish(cmd, plain.Args[1:])
	if !r.done() && r.code != 5 {
		t.Error(r)
	}
	if n := strings.Count(r.out, " failed "); n > 0 {
		t.Errorf("%d of %d agents failed for want of descriptors: %.400s", n, len(names), r)
	}
	if lost := w.lost(t); len(lost) > 0 {
		t.Errorf("lost: %q", lost)
	}
	w.mustRun(t, "reset", "--all")
	w.check(t)
	for i := range w.agents {
		if !w.clean(t, i) {
			t.Errorf("%s is not the baseline", w.memory(i))
		}
	}
}

// TestForeignFolder has an agent whose folder tend may read but not write. If run as root it starts tend as nobody, as
// folder permissions do not apply to root.
func TestForeignFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for up := dir; up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
		must(t, os.Chmod(up, 0o755))
	}
	w := newWorld(t, dir, places{}, "closed", "open")
	notes(t, w)
	before, err := os.ReadFile(w.memory(0))
	must(t, err)
	must(t, os.Chmod(w.agents[0], 0o500))
	t.Cleanup(func() { must(t, os.Chmod(w.agents[0], 0o755)) })
	cmd := w.command("reset", "--all")
	if os.Geteuid() == 0 {
		const nobody = 65534
		must(t, filepath.Walk(dir, func(name string, _ os.FileInfo, err error) error {
			return errors.Join(err, os.Chown(name, nobody, nobody))
		}))
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	r := finish(cmd, []string{"reset", "--all"})
	if r.code != 5 || !strings.Contains(r.out, "permission denied") {
		t.Errorf("closed: %s", r)
	}
	if after, err := os.ReadFile(w.memory(0)); err != nil || string(after) != string(before) {
		t.Errorf("closed was changed: %v", err)
	}
	if !w.clean(t, 1) {
		t.Error("open was not reset")
	}
	if lost := w.lost(t); len(lost) > 0 {
		t.Errorf("lost: %q", lost)
	}
	must(t, os.Chmod(w.agents[0], 0o755))
	for _, name := range []string{dir, filepath.Join(dir, "tend.yaml")} {
		must(t, os.Chown(name, os.Geteuid(), os.Getegid())) // another user's configuration would be refused
	}
	w.mustRun(t, "reset", "--all")
	w.check(t)
}

// edit replaces a text in a file.
func edit(t *testing.T, name, old, new string) {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s does not contain %q", name, old)
	}
	must(t, os.WriteFile(name, []byte(strings.Replace(string(text), old, new, 1)), 0o644))
}
