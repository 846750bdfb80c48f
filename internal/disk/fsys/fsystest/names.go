package fsystest

import (
	"io"
	"io/fs"
	"testing"

	"tend/internal/disk/fsys"
)

func testReadDir(t *testing.T, h Host) {
	lists(t, h.FS, ".")
	for _, name := range []string{"b", "a", "B", "ä", "10", "9"} {
		put(t, h.FS, name, name)
	}
	must(t, h.FS.Mkdir("d", 0o700))
	must(t, h.Symlink("nowhere", "c"))
	lists(t, h.FS, ".", "10", "9", "B", "a", "b", "c", "d", "ä")
	lists(t, h.FS, "d")

	infos, err := h.FS.ReadDir(".")
	must(t, err)
	for _, i := range infos {
		if got := stat(t, h.FS, i.Name); got != i {
			t.Errorf("listed as %+v, but is %+v", i, got)
		}
	}
	_, err = h.FS.ReadDir("no")
	is(t, "list a missing folder", err, fs.ErrNotExist)
	_, err = h.FS.ReadDir("a")
	refused(t, "list a file", err)
}

func testMkdir(t *testing.T, h Host) {
	must(t, h.FS.Mkdir("d", 0o700))
	must(t, h.FS.Mkdir("d/e", 0o700))
	is(t, "make what is there", h.FS.Mkdir("d", 0o700), fs.ErrExist)
	is(t, "make below a missing folder", h.FS.Mkdir("no/d", 0o700), fs.ErrNotExist)
	put(t, h.FS, "a", "")
	is(t, "make over a file", h.FS.Mkdir("a", 0o700), fs.ErrExist)
	must(t, h.Symlink("free", "link"))
	is(t, "make over a symlink", h.FS.Mkdir("link", 0o700), fs.ErrExist)
	lists(t, h.FS, ".", "a", "d", "link")
	lists(t, h.FS, "d", "e")
}

func testRemove(t *testing.T, h Host) {
	is(t, "remove what is not there", h.FS.Remove("a"), fs.ErrNotExist)
	must(t, h.FS.Mkdir("d", 0o700))
	put(t, h.FS, "d/a", "text")
	refused(t, "remove a full folder", h.FS.Remove("d"))
	must(t, h.Symlink("d/a", "link"))
	must(t, h.FS.Remove("link"))
	holds(t, h.FS, "d/a", "text")
	must(t, h.FS.Remove("d/a"))
	must(t, h.FS.Remove("d"))
	refused(t, "remove the tree itself", h.FS.Remove("."))
	lists(t, h.FS, ".")
}

func testRename(t *testing.T, h Host) {
	put(t, h.FS, "a", "A")
	put(t, h.FS, "b", "B")
	a := stat(t, h.FS, "a")
	must(t, h.FS.Rename("a", "b"))
	absent(t, h.FS, "a")
	holds(t, h.FS, "b", "A")
	if !h.Bare && !stat(t, h.FS, "b").Same(a) {
		t.Error("the file is another after a rename")
	}
	is(t, "rename what is not there", h.FS.Rename("a", "b"), fs.ErrNotExist)
	is(t, "rename into a missing folder", h.FS.Rename("b", "no/b"), fs.ErrNotExist)
	holds(t, h.FS, "b", "A")
	must(t, h.FS.Rename("b", "b"))

	must(t, h.FS.Link("b", "b2"))
	must(t, h.FS.Rename("b", "b2")) // POSIX: nothing happens
	lists(t, h.FS, ".", "b", "b2")
	must(t, h.FS.Remove("b2"))

	must(t, h.FS.Mkdir("d", 0o700))
	must(t, h.FS.Mkdir("e", 0o700))
	refused(t, "rename a file over a folder", h.FS.Rename("b", "d"))
	refused(t, "rename a folder over a file", h.FS.Rename("d", "b"))
	if !h.Bare { // a bare host may replace an empty one
		refused(t, "rename a folder over a folder", h.FS.Rename("d", "e"))
	}
	refused(t, "rename a folder into itself", h.FS.Rename("d", "d/d"))
	refused(t, "rename the tree", h.FS.Rename(".", "x"))
	must(t, h.FS.Rename("b", "d/b"))
	must(t, h.FS.Rename("d", "e/d"))
	lists(t, h.FS, ".", "e")
	holds(t, h.FS, "e/d/b", "A")

	must(t, h.Symlink("e/d/b", "link"))
	must(t, h.FS.Rename("link", "link2"))
	lists(t, h.FS, ".", "e", "link2")
	put(t, h.FS, "c", "C")
	must(t, h.FS.Rename("c", "link2")) // the symlink is replaced, not its target
	holds(t, h.FS, "e/d/b", "A")
	holds(t, h.FS, "link2", "C")
}

func testExchange(t *testing.T, h Host) {
	put(t, h.FS, "a", "A")
	must(t, h.FS.Mkdir("d", 0o700))
	put(t, h.FS, "d/b", "B")
	a, b := stat(t, h.FS, "a"), stat(t, h.FS, "d/b")
	must(t, h.FS.Exchange("a", "d/b"))
	holds(t, h.FS, "a", "B")
	holds(t, h.FS, "d/b", "A")
	if !stat(t, h.FS, "a").Same(b) || !stat(t, h.FS, "d/b").Same(a) {
		t.Error("the files are others after an exchange")
	}
	must(t, h.FS.Exchange("a", "a"))
	must(t, h.FS.Exchange("a", "d")) // a file and a folder
	lists(t, h.FS, "a", "b")
	holds(t, h.FS, "d", "B")

	is(t, "exchange with nothing", h.FS.Exchange("d", "no"), fs.ErrNotExist)
	is(t, "exchange nothing", h.FS.Exchange("no", "d"), fs.ErrNotExist)
	is(t, "exchange with a missing folder", h.FS.Exchange("d", "no/b"), fs.ErrNotExist)
	refused(t, "exchange a folder with what is in it", h.FS.Exchange("a", "a/b"))
	refused(t, "exchange the tree", h.FS.Exchange(".", "d"))
	must(t, h.Symlink("a/b", "link"))
	must(t, h.FS.Exchange("link", "d"))
	holds(t, h.FS, "link", "B")
	if i := stat(t, h.FS, "d"); i.Mode.Type() != fs.ModeSymlink {
		t.Errorf("the symlink was not exchanged: %+v", i)
	}
}

func testRenameNew(t *testing.T, h Host) {
	put(t, h.FS, "a", "A")
	put(t, h.FS, "taken", "T")
	must(t, h.FS.Mkdir("d", 0o700))
	is(t, "rename to a taken name", fsys.RenameNew(h.FS, "a", "taken"), fs.ErrExist)
	is(t, "rename to a folder's name", fsys.RenameNew(h.FS, "a", "d"), fs.ErrExist)
	is(t, "rename what is missing", fsys.RenameNew(h.FS, "no", "x"), fs.ErrNotExist)
	holds(t, h.FS, "a", "A")
	holds(t, h.FS, "taken", "T")
	must(t, fsys.RenameNew(h.FS, "a", "d/b"))
	holds(t, h.FS, "d/b", "A")
	_, err := h.FS.Lstat("a")
	is(t, "the old name", err, fs.ErrNotExist)
}

func testLink(t *testing.T, h Host) {
	put(t, h.FS, "a", "one")
	must(t, h.FS.Mkdir("d", 0o700))
	must(t, h.FS.Link("a", "d/b"))
	a, b := stat(t, h.FS, "a"), stat(t, h.FS, "d/b")
	if !h.Bare && (!a.Same(b) || a.Links != 2 || b.Links != 2) {
		t.Errorf("two names of one file: %+v and %+v", a, b)
	}
	f, _, err := h.FS.Append("a", 0o600)
	must(t, err)
	_, err = io.WriteString(f, ", two")
	must(t, err)
	must(t, f.Close())
	holds(t, h.FS, "d/b", "one, two")

	put(t, h.FS, "c", "C")
	is(t, "link to a taken name", h.FS.Link("a", "c"), fs.ErrExist)
	is(t, "link to its own name", h.FS.Link("a", "a"), fs.ErrExist)
	is(t, "link what is not there", h.FS.Link("no", "x"), fs.ErrNotExist)
	is(t, "link into a missing folder", h.FS.Link("a", "no/x"), fs.ErrNotExist)
	refused(t, "link a folder", h.FS.Link("d", "x"))
	holds(t, h.FS, "c", "C")

	must(t, h.FS.Rename("c", "a"))
	if got := stat(t, h.FS, "d/b").Links; got != 1 {
		t.Errorf("%d links after one of two names was replaced, want 1", got)
	}
	must(t, h.Symlink("a", "sym"))
	must(t, h.FS.Link("sym", "sym2"))
	if got := stat(t, h.FS, "sym2").Mode.Type(); got != fs.ModeSymlink {
		t.Errorf("linked a symlink, got a %v", got)
	}
}

func testMove(t *testing.T, h Host) {
	put(t, h.FS, "a", "A")
	a := stat(t, h.FS, "a")
	must(t, h.FS.Move("a", h.Near, "b"))
	absent(t, h.FS, "a")
	holds(t, h.Near, "b", "A")
	if !stat(t, h.Near, "b").Same(a) {
		t.Error("the file is another after a move")
	}
	put(t, h.FS, "a", "newer")
	must(t, h.FS.Move("a", h.Near, "b"))
	holds(t, h.Near, "b", "newer")
	must(t, h.Near.Mkdir("d", 0o700))
	must(t, h.Near.Move("b", h.Near, "d/b")) // within one tree, too
	holds(t, h.Near, "d/b", "newer")
	sub, err := h.Near.Sub("d")
	must(t, err)
	defer sub.Close()
	must(t, sub.Move("b", h.FS, "a"))
	holds(t, h.FS, "a", "newer")

	is(t, "move what is not there", h.FS.Move("no", h.Near, "x"), fs.ErrNotExist)
	is(t, "move into a missing folder", h.FS.Move("a", h.Near, "no/x"), fs.ErrNotExist)
	refused(t, "move a file over a folder", h.FS.Move("a", h.Near, "d"))
	is(t, "move to another device", h.FS.Move("a", h.Far, "a"), fsys.ErrCrossDevice)
	is(t, "move to another kind of tree", h.FS.Move("a", other{h.Near}, "a"), fsys.ErrCrossDevice)
	holds(t, h.FS, "a", "newer")
	lists(t, h.Far, ".")
	lists(t, h.Near, ".", "d")
	lists(t, h.Near, "d")
}

// other is a tree of an unknown implementation.
type other struct{ fsys.FS }
