package fsystest

import (
	"errors"
	"io"
	"io/fs"
	"testing"

	"tend/internal/disk/fsys"
)

func testNoExchange(t *testing.T, h Host) {
	put(t, h.FS, "a", "A")
	put(t, h.FS, "b", "B")
	is(t, "exchange", h.FS.Exchange("a", "b"), fsys.ErrNoExchange)
	holds(t, h.FS, "a", "A")
	holds(t, h.FS, "b", "B")
}

func testNoMove(t *testing.T, h Host) {
	put(t, h.FS, "a", "A")
	for _, into := range []fsys.FS{h.Near, h.Far, other{h.Near}} {
		is(t, "move", h.FS.Move("a", into, "a"), fsys.ErrCrossDevice)
		lists(t, into, ".")
	}
	holds(t, h.FS, "a", "A")
}

func testNoLock(t *testing.T, h Host) {
	_, err := h.FS.Lock("lock", "pid 1")
	is(t, "lock", err, errors.ErrUnsupported)
	is(t, "sync everything", h.FS.SyncAll(), errors.ErrUnsupported)
	lists(t, h.FS, ".")
}

// testBareDescriptors is testDescriptors without exchanges; a writer that appends
// must learn whether the text went to the file that has the name.
func testBareDescriptors(t *testing.T, h Host) {
	put(t, h.FS, "a", "old")
	writer, _, err := h.FS.Append("a", 0o600)
	must(t, err)
	defer writer.Close()
	say := func(s string) fsys.Info {
		t.Helper()
		_, err := io.WriteString(writer, s)
		must(t, err)
		i, err := writer.Stat()
		must(t, err)
		return i
	}
	if got := say(", added"); !got.Same(stat(t, h.FS, "a")) {
		t.Errorf("added to a file that lost its name: %+v", got)
	}
	put(t, h.FS, "b", "new, added")
	must(t, h.FS.Link("a", "c"))
	must(t, h.FS.Rename("b", "a"))
	if got := say(", replaced"); got.Same(stat(t, h.FS, "a")) {
		t.Errorf("added to the file of that name: %+v", got)
	}
	holds(t, h.FS, "a", "new, added")
	holds(t, h.FS, "c", "old, added, replaced")
	must(t, h.FS.Remove("a"))
	if got := say(", removed"); got.Links != 0 {
		t.Errorf("a removed file has %d names", got.Links)
	}
	_, err = h.FS.Lstat("a")
	is(t, "lstat", err, fs.ErrNotExist)
	must(t, writer.Sync())
}
