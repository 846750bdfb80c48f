package memfs_test

import (
	"errors"
	"io"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/memfs"
	"tend/test/require"
)

var must = require.NoError

func treeOf(t *testing.T, d *memfs.Disk, dir string) fsys.FS {
	t.Helper()
	fsy, err := d.Tree(dir)
	must(t, err)
	return fsy
}

func TestDescriptorStaysWithItsFile(t *testing.T) {
	d := memfs.New()
	ws := treeOf(t, d, "ws")
	must(t, d.WriteFile("ws/a.md", "one\n"))
	fd, err := d.OpenAppend("ws/a.md")
	must(t, err)

	must(t, d.RenameOver("ws/a.md", "new\n"))
	_, err = io.WriteString(fd, "late\n")
	must(t, err)

	kept := make([]byte, 64)
	n, err := fd.ReadAt(kept, 0)
	if err != io.EOF {
		t.Fatal(err)
	}
	if got, want := string(kept[:n]), "one\nlate\n"; got != want {
		t.Errorf("old file holds %q, want %q", got, want)
	}
	if got, want := d.Files("ws"), map[string]string{"ws/a.md": "new\n"}; !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	if _, err := ws.Lstat("a.md~"); err == nil {
		t.Error("the editor's temporary file is still there")
	}
}

func TestInodeNumbersAreReused(t *testing.T) {
	d := memfs.New()
	must(t, d.WriteFile("a", "x"))
	a, err := d.Stat("a")
	must(t, err)
	must(t, d.Remove("a"))
	must(t, d.WriteFile("b", "y"))
	b, err := d.Stat("b")
	must(t, err)
	if !a.Same(b) {
		t.Errorf("b has inode %d, want that of the removed a, %d", b.Ino, a.Ino)
	}
}

func TestFullDisk(t *testing.T) {
	d := memfs.New()
	fsy := treeOf(t, d, ".")
	d.Limit(10, 3)

	f, err := fsy.Create("a", 0o600)
	must(t, err)
	n, err := io.WriteString(f, "0123456789ab")
	if n != 10 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("write: %d, %v; want 10 bytes and ENOSPC", n, err)
	}
	must(t, f.Close())
	must(t, fsy.Mkdir("d", 0o700))
	if _, err := fsy.Create("b", 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("create without an inode left: %v, want ENOSPC", err)
	}
	must(t, fsy.Remove("a"))
	must(t, d.WriteFile("b", "0123456789"))
}
