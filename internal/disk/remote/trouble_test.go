package remote_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/remote"
	"tend/internal/disk/remote/sshdtest"
	"tend/internal/disk/vault"
	"tend/internal/disk/vault/vaulttest"
	"tend/test/require"
)

// Something else at the file's path, such as a link or a folder, is set aside unchanged. A missing file is created from
// the baseline.
func TestNotAFile(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	reset := []string{"reset", "--all"}
	for _, tt := range []struct {
		name string
		make func(t *testing.T, w *world)
		code int
		says string
	}{
		{"no workspace", func(t *testing.T, w *world) { must(t, os.RemoveAll(w.ws("far"))) }, 5, "make the folder"},
		{"workspace is a file", func(t *testing.T, w *world) {
			must(t, os.RemoveAll(w.ws("far")))
			must(t, os.WriteFile(w.ws("far"), nil, 0o600))
		}, 5, "not a directory"},
		{"a link out", func(t *testing.T, w *world) {
			must(t, os.Rename(w.memory("far"), filepath.Join(w.dir, "outside.md")))
			must(t, os.Symlink("../../outside.md", w.memory("far")))
		}, 1, "[set-aside]"},
		{"an absolute link", func(t *testing.T, w *world) {
			must(t, os.Remove(w.memory("far")))
			must(t, os.Symlink("/etc/hostname", w.memory("far")))
		}, 1, "[set-aside]"},
		{"links in a circle", func(t *testing.T, w *world) {
			must(t, os.Remove(w.memory("far")))
			must(t, os.Symlink("MEMORY.md", w.memory("far")))
		}, 1, "[set-aside]"},
		{"a FIFO", func(t *testing.T, w *world) {
			must(t, os.Remove(w.memory("far")))
			must(t, vaulttest.Mkfifo(w.memory("far")))
		}, 1, "[set-aside]"},
		{"a folder", func(t *testing.T, w *world) {
			must(t, os.Remove(w.memory("far")))
			must(t, os.Mkdir(w.memory("far"), 0o700))
		}, 1, "[set-aside]"},
		{"a file of 8 TB", func(t *testing.T, w *world) { must(t, os.Truncate(w.memory("far"), 8<<40)) }, 1, "[set-aside]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := approved(t, s)
			tt.make(t, w)
			before, _ := os.Lstat(w.memory("far"))
			w.fails(tt.code, reset, tt.says)
			w.wasReset("near")
			after, _ := os.Lstat(w.memory("far"))
			if tt.code == 1 {
				after = setAside(t, w.ws("far"), before)
			}
			if (before == nil) != (after == nil) || before != nil && (!os.SameFile(before, after) || before.Size() != after.Size()) {
				t.Errorf("%v became %v", before, after)
			}
			if left, _ := os.ReadDir(filepath.Join(w.dir, "state/archive/far")); len(left) > 0 {
				t.Error("something was archived")
			}
		})
	}
	t.Run("no file", func(t *testing.T) {
		w := approved(t, s)
		must(t, os.Remove(w.memory("far")))
		if out := w.ok(reset...); !strings.Contains(out, "created") {
			t.Errorf("reset: %s", out)
		}
		if read(t, w.memory("far")) != baseline("far") {
			t.Error("it is not the baseline")
		}
	})
}

// No part of a path is interpreted by a shell.
func TestOddPaths(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	p := pool(t, s)
	for _, odd := range []string{"with space", `"quoted"`, "it's", "$(touch ran)", "`touch ran`", "a;touch ran", "-rf",
		"*", "~", "ü\u2028", "a\nb"} {
		dir := filepath.Join(t.TempDir(), odd)
		must(t, os.Mkdir(dir, 0o700))
		must(t, vault.WriteNew(open(t, p, target(s, dir)), vault.SyncEach{}, odd+".md", []byte("text"), 0o600))
		if got := read(t, filepath.Join(dir, odd+".md")); got != "text" {
			t.Errorf("%q is %q", odd, got)
		}
	}
	w := newWorld(t, "shepherd", map[string]place{"far": func(dir string) string { return s.URL(dir + "/with space/$(touch ran)") }})
	t.Setenv("HOME", s.Home)
	w.put("ws/far/with space/$(touch ran)/MEMORY.md", baseline("far")+"- a note of far\n")
	w.ok("baseline", "approve", "--all")
	w.ok("reset", "--all")
	w.kept("a note of far")
	if got := read(t, filepath.Join(w.ws("far"), "with space/$(touch ran)/MEMORY.md")); got != baseline("far") {
		t.Errorf("it is %q", got)
	}
}

// mounted mounts a small file system.
func mounted(t *testing.T, options string) string {
	t.Helper()
	require.Root(t, "it mounts a file system")
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Fatalf("mount: %v: %s", err, out)
	}
	t.Cleanup(func() {
		out, err := exec.Command("umount", dir).CombinedOutput()
		for until := time.Now().Add(2 * time.Minute); err != nil && time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
			out, err = exec.Command("umount", dir).CombinedOutput() // a server that is stopping may still have a file open
		}
		if err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	return dir
}

// A full disk on the host is reported as such, whatever was being written, and nothing is lost; the command works once
// there is space.
func TestFull(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	for name, options := range map[string]string{"no blocks": "size=64k", "no inodes": "size=1m,nr_inodes=4"} {
		t.Run(name, func(t *testing.T) {
			w := approved(t, s)
			disk := mounted(t, options)
			text := read(t, w.memory("far"))
			must(t, os.RemoveAll(w.ws("far")))
			must(t, os.Symlink(disk, w.ws("far")))
			must(t, os.WriteFile(w.memory("far"), []byte(text), 0o600))
			fill := filepath.Join(disk, "fill")
			must(t, os.Mkdir(fill, 0o700))
			for i := range 100 {
				if os.WriteFile(filepath.Join(fill, string(rune('a'+i))), make([]byte, 4096), 0o600) != nil {
					break
				}
			}
			w.fails(5, []string{"reset", "--all"}, "far    failed", "no space left")
			w.wasReset("near")
			if got := read(t, w.memory("far")); got != text {
				t.Errorf("far holds %q", got)
			}
			must(t, os.RemoveAll(fill))
			w.ok("reset", "far")
			w.wasReset("far")
		})
	}
}

func TestReadOnly(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	w := approved(t, s)
	disk := mounted(t, "size=1m")
	text := read(t, w.memory("far"))
	must(t, os.RemoveAll(w.ws("far")))
	must(t, os.Symlink(disk, w.ws("far")))
	must(t, os.WriteFile(w.memory("far"), []byte(text), 0o600))
	remount := func(how string) {
		if out, err := exec.Command("mount", "-o", "remount,"+how, disk).CombinedOutput(); err != nil {
			t.Fatalf("remount: %v: %s", err, out)
		}
	}
	remount("ro")
	w.fails(5, []string{"reset", "--all"}, "read-only file system")
	w.wasReset("near")
	if got := read(t, w.memory("far")); got != text {
		t.Errorf("far holds %q", got)
	}
	w.fails(1, []string{"status"}, "job-errors")
	remount("rw")
	w.ok("reset", "far")
	w.wasReset("far")
}

// Files of other users on the host are left unchanged.
func TestNotOurs(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{Config: []string{"ForceCommand internal-sftp"}})
	nobody := func(dir string) string { return strings.Replace(s.URL(dir), s.User+"@", "nobody@", 1) }
	w := newWorld(t, "shepherd", map[string]place{"far": nobody, "near": direct})
	t.Setenv("HOME", s.Home)
	w.ok("baseline", "approve", "--all")
	w.append("far", "- a note of far\n")
	w.append("near", "- a note of near\n")
	for _, dir := range []string{w.ws("far"), s.Home} { // sshd looks for the key as that user
		for ; dir != filepath.Clean(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) {
			must(t, os.Chmod(dir, 0o755))
		}
	}
	w.fails(5, []string{"reset", "--all"}, "permission denied")
	w.untouched("far", "- a note of far\n")
	w.wasReset("near")

	must(t, os.Chmod(w.memory("far"), 0o600))
	w.fails(5, []string{"reset", "--all"}, "permission denied")
	w.untouched("far", "- a note of far\n")
}

// A server that hangs in a file that became a FIFO affects no other agent.
func TestHangingServer(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	p := poolOf(t, remote.Options{Home: s.Home, Timeout: time.Second})
	dir := t.TempDir()
	tree := open(t, p, target(s, dir))
	must(t, os.WriteFile(filepath.Join(dir, "a"), []byte("text"), 0o600))
	must(t, vaulttest.Mkfifo(filepath.Join(dir, "fifo")))
	// Checking and opening are two calls: swap the file in between, until the race is won.
	stop := make(chan struct{})
	swapped := make(chan struct{})
	go func() {
		defer close(swapped)
		a, fifo, aside := filepath.Join(dir, "a"), filepath.Join(dir, "fifo"), filepath.Join(dir, "aside")
		for {
			select {
			case <-stop:
				return
			default:
				os.Rename(a, aside)
				os.Rename(fifo, a)
				os.Rename(a, fifo)
				os.Rename(aside, a)
			}
		}
	}()
	hung := false
	for began := time.Now(); !hung && time.Since(began) < 10*time.Minute; {
		f, err := tree.Open("a")
		if err == nil {
			f.Close()
		}
		hung = errors.Is(err, fsys.ErrUnreachable)
	}
	if !hung {
		t.Error("the server was not made to hang")
	}
	close(stop)
	<-swapped
	// Write to the FIFO, or the server hangs beyond the test.
	pipe, err := os.OpenFile(filepath.Join(dir, "fifo"), os.O_RDWR, 0)
	must(t, err)
	defer pipe.Close()
	f, err := tree.Open("a")
	for until := time.Now().Add(10 * time.Minute); errors.Is(err, fsys.ErrUnreachable) && time.Now().Before(until); {
		f, err = tree.Open("a") // a busy machine may take longer than the timeout to reconnect
	}
	must(t, err)
	if text, err := io.ReadAll(f); err != nil || string(text) != "text" {
		t.Errorf("read %q, %v", text, err)
	}
}

// An unreadable folder in a workspace is not treated as empty: its files stay, the rest is handled, and it is reported.
func TestDeniedHalfWay(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{Config: []string{"ForceCommand internal-sftp"}})
	nobody := func(dir string) string { return strings.Replace(s.URL(dir), s.User+"@", "nobody@", 1) }
	w := newWorld(t, "openclaw@2026.8", map[string]place{"ada": nobody}, "hot.max_lines: 20")
	t.Setenv("HOME", s.Home)
	for name, text := range night() {
		w.put("ws/ada/"+name, text)
	}
	for _, dir := range []string{w.ws("ada"), s.Home} { // sshd looks for the key as that user
		for ; dir != filepath.Clean(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) {
			must(t, os.Chmod(dir, 0o755))
		}
	}
	if out, err := exec.Command("chown", "-R", "nobody", w.ws("ada")).CombinedOutput(); err != nil {
		t.Fatalf("chown: %s", out)
	}
	must(t, os.Chmod(filepath.Join(w.ws("ada"), "memory"), 0))
	old := memory(t, w) // as root
	code, out := w.tend("check", "ada")
	if code == 0 || !strings.Contains(out, "permission denied") {
		t.Errorf("check: exit code %d: %s", code, out)
	}
	w.tend("nightly", "ada")
	for name, text := range old {
		if strings.HasPrefix(name, "memory/") && read(t, filepath.Join(w.ws("ada"), name)) != text {
			t.Errorf("%s was changed", name)
		}
		for line := range strings.Lines(text) {
			w.kept(strings.TrimSpace(line))
		}
	}
}

// setAside returns what a reset moved out of the way in a workspace, nil if it is missing.
func setAside(t *testing.T, dir string, thing os.FileInfo) os.FileInfo {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "MEMORY.md.aside-*"))
	must(t, err)
	for _, name := range list {
		if info, err := os.Lstat(name); err == nil && os.SameFile(info, thing) {
			return info
		}
	}
	t.Logf("set aside: %v", list)
	return nil
}
