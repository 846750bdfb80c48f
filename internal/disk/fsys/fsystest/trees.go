package fsystest

import (
	"errors"
	"io/fs"
	"testing"

	"tend/internal/disk/fsys"
)

func testSub(t *testing.T, h Host) {
	must(t, h.FS.Mkdir("d", 0o700))
	put(t, h.FS, "d/a", "A")
	put(t, h.FS, "above", "above")
	sub, err := h.FS.Sub("d")
	must(t, err)
	holds(t, sub, "a", "A")
	put(t, sub, "b", "B")
	holds(t, h.FS, "d/b", "B")
	if !stat(t, sub, ".").Same(stat(t, h.FS, "d")) {
		t.Error("the tree is not the folder it was made of")
	}
	must(t, sub.SyncDir("."))

	_, err = sub.Open("../above")
	refused(t, "open above a subtree", err)
	must(t, h.Symlink("../above", "d/up"))
	_, err = h.FS.Open("d/up")
	is(t, "open a symlink", err, fsys.ErrNotRegular)
	_, err = sub.Open("up")
	refused(t, "open above a subtree by a symlink", err)
	refused(t, "move out of a subtree by name", sub.Rename("a", "../a"))

	must(t, h.FS.Rename("d", "e"))
	if !h.Bare { // the tree is the folder, not its name
		holds(t, sub, "a", "A")
		put(t, sub, "c", "C")
		holds(t, h.FS, "e/c", "C")
	}

	must(t, sub.Close())
	holds(t, h.FS, "e/a", "A")
	_, err = h.FS.Sub("no")
	is(t, "subtree of a missing folder", err, fs.ErrNotExist)
	_, err = h.FS.Sub("above")
	refused(t, "subtree of a file", err)
}

func testClose(t *testing.T, h Host) {
	put(t, h.FS, "a", "A")
	must(t, h.FS.Mkdir("d", 0o700))
	sub, err := h.FS.Sub("d")
	must(t, err)
	f, err := h.FS.Open("a")
	must(t, err)
	must(t, sub.Close())

	_, err = sub.Open("a")
	is(t, "open in a closed tree", err, fs.ErrClosed)
	_, err = sub.Create("x", 0o600)
	is(t, "create in a closed tree", err, fs.ErrClosed)
	_, err = sub.Lstat(".")
	is(t, "lstat in a closed tree", err, fs.ErrClosed)
	is(t, "exchange in a closed tree", sub.Exchange("a", "b"), fs.ErrClosed)
	if !h.Bare {
		is(t, "move into a closed tree", h.FS.Move("a", sub, "a"), fs.ErrClosed)
	}
	if err := sub.SyncAll(); err == nil {
		t.Error("synced a closed tree")
	}
	must(t, f.Close())
	holds(t, h.FS, "a", "A")
}

func testLock(t *testing.T, h Host) {
	put(t, h.FS, "lock", "left by an earlier holder, which died, and longer")
	l, err := h.FS.Lock("lock", "pid 1")
	must(t, err)
	holds(t, h.FS, "lock", "pid 1")
	must(t, h.FS.Mkdir("d", 0o700))
	sub, err := h.FS.Sub(".")
	must(t, err)
	defer sub.Close()

	for _, f := range []fsys.FS{h.FS, sub} {
		_, err = f.Lock("lock", "pid 2")
		is(t, "take a lock that is held", err, fsys.ErrLocked)
		var locked *fsys.LockedError
		if !errors.As(err, &locked) || locked.Holder != "pid 1" {
			t.Errorf("error %v does not name the holder", err)
		}
	}
	holds(t, h.FS, "lock", "pid 1")

	m, err := h.FS.Lock("d/lock", "pid 3") // created
	must(t, err)
	must(t, l.Close())
	must(t, m.Close())
	holds(t, h.FS, "lock", "pid 1")
	l, err = sub.Lock("lock", "pid 4")
	must(t, err)
	holds(t, h.FS, "lock", "pid 4")

	// The lock is on the file: removing or renaming it lets others in.
	must(t, h.FS.Rename("lock", "moved"))
	m, err = h.FS.Lock("lock", "pid 5")
	must(t, err)
	_, err = h.FS.Lock("moved", "pid 6")
	is(t, "take a lock that was renamed", err, fsys.ErrLocked)
	must(t, m.Close())
	must(t, l.Close())
	if err := l.Close(); err == nil {
		t.Error("freed a lock twice")
	}

	_, err = h.FS.Lock("no/lock", "pid 7")
	is(t, "lock in a missing folder", err, fs.ErrNotExist)
	_, err = h.FS.Lock("d", "pid 8")
	refused(t, "lock a folder", err)
}
