package fsystest

import (
	"errors"
	"io"
	"io/fs"
	"testing"

	"tend/internal/disk/fsys"
)

func testOpen(t *testing.T, h Host) {
	_, err := h.FS.Open("a")
	is(t, "open a missing file", err, fs.ErrNotExist)
	_, err = h.FS.Open("no/a")
	is(t, "open in a missing folder", err, fs.ErrNotExist)
	must(t, h.FS.Mkdir("d", 0o700))
	_, err = h.FS.Open("d")
	is(t, "open a folder", err, fsys.ErrNotRegular)

	put(t, h.FS, "d/a", "0123456789")
	_, err = h.FS.Open("d/a/b")
	if err == nil {
		t.Error("opened a file below a file")
	}
	f, err := h.FS.Open("d/a")
	must(t, err)
	defer f.Close()
	buf := make([]byte, 4)
	for _, want := range []string{"0123", "4567", "89"} {
		n, err := f.Read(buf)
		must(t, err)
		if got := string(buf[:n]); got != want {
			t.Errorf("read %q, want %q", got, want)
		}
	}
	if n, err := f.Read(buf); n != 0 || err != io.EOF {
		t.Errorf("read at the end: %d, %v", n, err)
	}
	n, err := f.ReadAt(buf, 3)
	must(t, err)
	if got, want := string(buf[:n]), "3456"; got != want {
		t.Errorf("read at 3: %q, want %q", got, want)
	}
	if n, err := f.ReadAt(buf, 8); n != 2 || err != io.EOF {
		t.Errorf("read at 8: %d, %v; want 2, EOF", n, err)
	}
	if _, err := f.Write([]byte("x")); err == nil {
		t.Error("wrote to a file opened for reading")
	}
}

func testCreate(t *testing.T, h Host) {
	f, err := h.FS.Create("a", 0o600)
	must(t, err)
	if _, err := f.Read(make([]byte, 1)); err == nil || err == io.EOF {
		t.Errorf("read from a file made for writing: %v", err)
	}
	for _, s := range []string{"one ", "two"} {
		_, err := io.WriteString(f, s)
		must(t, err)
	}
	must(t, f.Close())
	holds(t, h.FS, "a", "one two")
	if got, want := stat(t, h.FS, "a").Mode, fs.FileMode(0o600); got != want {
		t.Errorf("mode %v, want %v", got, want)
	}

	_, err = h.FS.Create("a", 0o600)
	is(t, "create what is there", err, fs.ErrExist)
	holds(t, h.FS, "a", "one two")
	must(t, h.FS.Mkdir("d", 0o700))
	_, err = h.FS.Create("d", 0o600)
	is(t, "create over a folder", err, fs.ErrExist)
	_, err = h.FS.Create("no/a", 0o600)
	is(t, "create in a missing folder", err, fs.ErrNotExist)
	must(t, h.Symlink("free", "link"))
	_, err = h.FS.Create("link", 0o600)
	is(t, "create over a symlink", err, fs.ErrExist)
	absent(t, h.FS, "free")
}

func testAppend(t *testing.T, h Host) {
	f, created, err := h.FS.Append("log", 0o600)
	must(t, err)
	if !created {
		t.Error("a new file was not said to be created")
	}
	_, err = io.WriteString(f, "one\n")
	must(t, err)

	g, created, err := h.FS.Append("log", 0o600)
	must(t, err)
	if created {
		t.Error("an old file was said to be created")
	}
	_, err = io.WriteString(g, "two\n")
	must(t, err)
	_, err = io.WriteString(f, "three\n")
	must(t, err)
	holds(t, h.FS, "log", "one\ntwo\nthree\n")

	buf := make([]byte, 3)
	_, err = f.ReadAt(buf, 4)
	must(t, err)
	if got, want := string(buf), "two"; got != want {
		t.Errorf("read back %q, want %q", got, want)
	}
	must(t, f.Close())
	must(t, g.Close())

	_, _, err = h.FS.Append("no/log", 0o600)
	is(t, "append in a missing folder", err, fs.ErrNotExist)
	must(t, h.FS.Mkdir("d", 0o700))
	_, _, err = h.FS.Append("d", 0o600)
	refused(t, "append to a folder", err)
}

func testStat(t *testing.T, h Host) {
	put(t, h.FS, "a", "12345")
	must(t, h.FS.Mkdir("d", 0o700))
	dev, err := h.FS.Device()
	must(t, err)

	a := stat(t, h.FS, "a")
	inode := a.Links == 1 && a.Dev == dev && a.Ino != 0 && !a.ModTime.IsZero()
	if a.Name != "a" || a.Size != 5 || !a.Mode.IsRegular() || a.IsDir() || !inode {
		t.Errorf("info of a file: %+v", a)
	}
	f, err := h.FS.Open("a")
	must(t, err)
	defer f.Close()
	i, err := f.Stat()
	must(t, err)
	owner := i.UID == a.UID && i.GID == a.GID
	if !i.Same(a) || i.Size != a.Size || i.Mode != a.Mode || !owner || i.Name != "a" {
		t.Errorf("info of the open file %+v differs from that of its name %+v", i, a)
	}
	if d := stat(t, h.FS, "d"); !d.IsDir() || d.Name != "d" || d.Mode.Perm() != 0o700 || d.Same(a) || d.Dev != dev {
		t.Errorf("info of a folder: %+v", d)
	}
	put(t, h.FS, "d/b", "")
	if b := stat(t, h.FS, "d/b"); b.Name != "b" {
		t.Errorf("name is %q, want the last element", b.Name)
	}
	if top := stat(t, h.FS, "."); !top.IsDir() {
		t.Errorf("info of the tree: %+v", top)
	}
	absent(t, h.FS, "no")
	absent(t, h.FS, "no/a")

	near, err := h.Near.Device()
	must(t, err)
	far, err := h.Far.Device()
	must(t, err)
	if near != dev || far == dev {
		t.Errorf("devices: %d, near %d, far %d", dev, near, far)
	}
}

func testOwn(t *testing.T, h Host) {
	f, err := h.FS.Create("a", 0o600)
	must(t, err)
	defer f.Close()
	want, err := f.Stat()
	must(t, err)
	want.Mode = 0o4751 | fs.ModeSetuid // only the bits of fs.FileMode count
	must(t, f.Own(want))
	got := stat(t, h.FS, "a")
	if got.Mode != 0o751|fs.ModeSetuid || got.UID != want.UID || got.GID != want.GID {
		t.Errorf("got %v %d:%d, want %v %d:%d", got.Mode, got.UID, got.GID, 0o751|fs.ModeSetuid, want.UID, want.GID)
	}
	if h.GivesAway {
		want.UID, want.GID = 1234, 4321
		must(t, f.Own(want))
		if got := stat(t, h.FS, "a"); got.Mode != 0o751|fs.ModeSetuid || got.UID != 1234 || got.GID != 4321 {
			t.Errorf("given away: %v %d:%d", got.Mode, got.UID, got.GID)
		}
	}
}

func testSync(t *testing.T, h Host) {
	must(t, h.FS.Mkdir("d", 0o700))
	f, err := h.FS.Create("d/a", 0o600)
	must(t, err)
	_, err = io.WriteString(f, "text")
	must(t, err)
	must(t, f.Sync())
	must(t, f.Close())
	must(t, h.FS.SyncDir("d"))
	must(t, h.FS.SyncDir("."))
	if !h.Bare {
		must(t, h.FS.SyncAll())
	}
	is(t, "sync a missing folder", h.FS.SyncDir("no"), fs.ErrNotExist)
	holds(t, h.FS, "d/a", "text")

	is(t, "sync a closed file", f.Sync(), fs.ErrClosed)
	is(t, "close twice", f.Close(), fs.ErrClosed)
	_, err = f.Write([]byte("x"))
	is(t, "write to a closed file", err, fs.ErrClosed)
	_, err = f.Stat()
	is(t, "stat of a closed file", err, fs.ErrClosed)
	is(t, "own a closed file", f.Own(fsys.Info{}), fs.ErrClosed)
}

// An open file stays the same, whatever happens to its name.
func testDescriptors(t *testing.T, h Host) {
	put(t, h.FS, "a", "old")
	reader, err := h.FS.Open("a")
	must(t, err)
	defer reader.Close()
	writer, _, err := h.FS.Append("a", 0o600)
	must(t, err)
	defer writer.Close()
	all := func() string {
		t.Helper()
		buf := make([]byte, 64)
		n, err := reader.ReadAt(buf, 0)
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		return string(buf[:n])
	}
	say := func(s string) {
		t.Helper()
		_, err := io.WriteString(writer, s)
		must(t, err)
	}

	put(t, h.FS, "b", "new")
	must(t, h.FS.Exchange("a", "b"))
	say(", exchanged")
	holds(t, h.FS, "a", "new")
	holds(t, h.FS, "b", "old, exchanged")

	must(t, h.FS.Rename("b", "c"))
	say(", renamed")
	holds(t, h.FS, "c", "old, exchanged, renamed")

	must(t, h.FS.Rename("a", "c"))
	say(", replaced")
	holds(t, h.FS, "c", "new")
	if got, want := all(), "old, exchanged, renamed, replaced"; got != want {
		t.Errorf("the open file holds %q, want %q", got, want)
	}
	i, err := reader.Stat()
	must(t, err)
	if i.Links != 0 || i.Size != int64(len(all())) || i.Same(stat(t, h.FS, "c")) {
		t.Errorf("info of a file that has lost its name: %+v", i)
	}
	must(t, writer.Sync())
}
