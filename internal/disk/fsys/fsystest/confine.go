package fsystest

import (
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/fsys"
)

func testSymlinks(t *testing.T, h Host) {
	must(t, h.FS.Mkdir("d", 0o700))
	must(t, h.FS.Mkdir("d/e", 0o700))
	put(t, h.FS, "d/e/a", "A")
	for name, target := range map[string]string{
		"file": "d/e/a", "dir": "d/e", "chain": "dir/a", "d/up": "../d/e/../e/a", "slash": "d/e/",
		"loop": "loop2", "loop2": "loop", "dangling": "d/no",
	} {
		must(t, h.Symlink(target, name))
	}
	for _, name := range []string{"dir/a", "slash/a", "d/../dir/a", "./dir/./a"} {
		holds(t, h.FS, name, "A")
	}
	for _, name := range []string{"file", "chain", "d/up", "d/../file", "dir", "loop", "dangling"} {
		_, err := h.FS.Open(name)
		is(t, "open the link "+name, err, fsys.ErrNotRegular)
		_, _, err = h.FS.Append(name, 0o600)
		is(t, "append to the link "+name, err, fsys.ErrNotRegular)
	}
	target, err := h.FS.Readlink("d/up")
	must(t, err)
	if want := "../d/e/../e/a"; target != want {
		t.Errorf("readlink: %q, want %q", target, want)
	}
	if i := stat(t, h.FS, "file"); i.Mode.Type() != fs.ModeSymlink {
		t.Errorf("lstat followed a symlink: %+v", i)
	}
	lists(t, h.FS, "dir", "a")
	must(t, h.FS.SyncDir("dir"))
	sub, err := h.FS.Sub("dir")
	must(t, err)
	defer sub.Close()
	holds(t, sub, "a", "A")

	holds(t, h.FS, "d/e/a", "A")

	_, err = h.FS.Readlink("d/e/a")
	refused(t, "readlink of a file", err)
	_, err = h.FS.Readlink("no")
	is(t, "readlink of nothing", err, fs.ErrNotExist)
	_, err = h.FS.Open("loop/a")
	refused(t, "open behind a loop of symlinks", err)
	absent(t, h.FS, "d/no")
}

// calls returns all methods that take a name, applied to it.
func calls(h Host, name string) map[string]func() error {
	first := func(_ any, err error) error { return err }
	closed := func(c io.Closer, err error) error {
		if err == nil {
			c.Close()
		}
		return err
	}
	return map[string]func() error{
		"open":          func() error { return closed(h.FS.Open(name)) },
		"create":        func() error { return closed(h.FS.Create(name, 0o600)) },
		"append":        func() error { f, _, err := h.FS.Append(name, 0o600); return closed(f, err) },
		"lstat":         func() error { return first(h.FS.Lstat(name)) },
		"readlink":      func() error { return first(h.FS.Readlink(name)) },
		"readdir":       func() error { return first(h.FS.ReadDir(name)) },
		"mkdir":         func() error { return h.FS.Mkdir(name, 0o700) },
		"remove":        func() error { return h.FS.Remove(name) },
		"rename from":   func() error { return h.FS.Rename(name, "x") },
		"rename to":     func() error { return h.FS.Rename("a", name) },
		"exchange":      func() error { return h.FS.Exchange(name, "a") },
		"exchange with": func() error { return h.FS.Exchange("a", name) },
		"link from":     func() error { return h.FS.Link(name, "x") },
		"link to":       func() error { return h.FS.Link("a", name) },
		"move from":     func() error { return h.FS.Move(name, h.Near, "x") },
		"move to":       func() error { return h.Near.Move("a", h.FS, name) },
		"syncdir":       func() error { return h.FS.SyncDir(name) },
		"lock":          func() error { return closed(h.FS.Lock(name, "x")) },
		"sub":           func() error { return closed(h.FS.Sub(name)) },
	}
}

func testConfinement(t *testing.T, h Host) {
	put(t, h.FS, "a", "A")
	put(t, h.Near, "a", "A")
	must(t, h.FS.Mkdir("d", 0o700))
	must(t, h.Symlink(h.Outside, "out"))
	must(t, h.Symlink(h.OutsideAbs, "abs"))
	must(t, h.Symlink("../"+h.Outside, "d/out"))
	must(t, h.Symlink("d/out", "twice"))
	secrets := h.Secrets()
	before := names(t, h.FS, ".")

	for _, name := range []string{
		h.Outside + "/secret", h.OutsideAbs + "/secret", h.Outside + "/new", h.OutsideAbs + "/new",
		"out/secret", "out/new", "abs/secret", "abs/new", "d/out/secret", "d/out/new", "twice/secret", "twice/new",
		"d/../../secret", "d/../" + h.Outside + "/new", "..", "../", "/", "d/../..", "out/..",
	} {
		for what, call := range calls(h, name) {
			refused(t, what+" "+name, call())
		}
	}
	if got := h.Secrets(); !cmp.Equal(got, secrets) {
		t.Errorf("outside is not what it was: %s", cmp.Diff(secrets, got))
	}
	lists(t, h.FS, ".", before...)
	lists(t, h.Near, ".", "a")

	// The symlinks themselves are in the tree and can be renamed and removed there.
	if got, err := h.FS.Readlink("abs"); err != nil || got != h.OutsideAbs {
		t.Errorf("readlink abs: %q, %v", got, err)
	}
	must(t, h.FS.Rename("abs", "abs2"))
	must(t, h.FS.Remove("abs2"))
	for _, name := range []string{"out", "twice"} {
		for _, what := range []string{"open", "append", "readdir", "syncdir", "lock", "sub"} {
			refused(t, what+" "+name, calls(h, name)[what]())
		}
	}
	if got := h.Secrets(); !cmp.Equal(got, secrets) {
		t.Errorf("outside is not what it was: %s", cmp.Diff(secrets, got))
	}
}

func testOddNames(t *testing.T, h Host) {
	put(t, h.FS, "a", "A")
	put(t, h.Near, "a", "A")
	for _, name := range []string{"", "a\x00b", strings.Repeat("n", 256)} {
		for what, call := range calls(h, name) {
			if err := call(); err == nil {
				t.Errorf("%s of a name of %d bytes succeeded", what, len(name))
			}
		}
	}
	lists(t, h.FS, ".", "a")
	odd := []string{"-rf", " ", "a\nb", "ü\xff", "..a", strings.Repeat("n", 255)}
	for _, name := range odd {
		put(t, h.FS, name, name)
		holds(t, h.FS, name, name)
		must(t, h.FS.Remove(name))
	}
}

// unhung checks that a call returns.
func unhung(t *testing.T, what string, call func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: hangs", what)
		return nil
	}
}

// An agent may put a FIFO where a file is expected.
func testFIFO(t *testing.T, h Host) {
	must(t, h.Mkfifo("fifo"))
	put(t, h.FS, "a", "A")
	for _, what := range []string{"open", "append"} {
		is(t, what+" a FIFO", unhung(t, what, calls(h, "fifo")[what]), fsys.ErrNotRegular)
	}
	if got := stat(t, h.FS, "fifo").Mode.Type(); got != fs.ModeNamedPipe {
		t.Errorf("a FIFO is listed as %v", got)
	}
	must(t, h.FS.Rename("fifo", "pipe"))
	must(t, h.FS.Remove("a"))
	must(t, h.FS.Rename("pipe", "a"))
	must(t, h.FS.Remove("a"))
	lists(t, h.FS, ".")
}

// Or where a folder is.
func testFIFOFolder(t *testing.T, h Host) {
	must(t, h.Mkfifo("fifo"))
	put(t, h.FS, "a", "A")
	put(t, h.Near, "a", "A")
	for _, what := range []string{"readdir", "syncdir", "sub"} {
		refused(t, what+" a FIFO", unhung(t, what, calls(h, "fifo")[what]))
	}
	for what, call := range calls(h, "fifo/x") {
		refused(t, what+" below a FIFO", unhung(t, what, call))
	}
}
