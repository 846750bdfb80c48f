package memfs_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/memfs"
)

// portrait describes a disk in one line: folders with a slash, files with their text.
func portrait(d *memfs.Disk) string {
	var out []string
	files := d.Files(".")
	for name, i := range d.Walk(".") {
		switch {
		case i.IsDir():
			name += "/"
		case i.Mode.IsRegular():
			name += "=" + files[name]
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

// finds checks that a power cut now leaves exactly one of these.
func finds(t *testing.T, d *memfs.Disk, want ...string) {
	t.Helper()
	var got []string
	for s := range d.Crashes(d.Len(), memfs.Limits{}) {
		got = append(got, portrait(s))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !cmp.Equal(got, want) {
		t.Errorf("found (+) but wanted (-):\n%s", cmp.Diff(want, got))
	}
}

// recorded creates a disk with these files, all durable, and empty unless they have
// a text after "="; a name that ends with a slash is a folder.
func recorded(t *testing.T, names ...string) (*memfs.Disk, fsys.FS) {
	t.Helper()
	d := memfs.New()
	for _, name := range names {
		name, text, _ := strings.Cut(name, "=")
		if dir, ok := strings.CutSuffix(name, "/"); ok {
			must(t, d.MkdirAll(dir))
		} else {
			must(t, d.WriteFile(name, text))
		}
	}
	fsy := treeOf(t, d, ".")
	d.Record()
	return d, fsy
}

func touch(t *testing.T, f fsys.FS, name string) {
	t.Helper()
	put(t, f, name, "", true)
}

func TestNamesAreLostOneByOne(t *testing.T) {
	d, fsy := recorded(t)
	touch(t, fsy, "a")
	touch(t, fsy, "b")
	finds(t, d, "", "a=", "b=", "a= b=")
	must(t, fsy.SyncDir("."))
	finds(t, d, "a= b=")
	must(t, fsy.Remove("a"))
	touch(t, fsy, "a")
	finds(t, d, "a= b=", "a= b=", "b=") // the old a, the new a, none
	must(t, fsy.SyncAll())
	finds(t, d, "a= b=")
}

func TestRenameIsAtomicAndDependsOnItsFile(t *testing.T) {
	d, fsy := recorded(t, "a=old")
	put(t, fsy, "tmp", "new", true)
	must(t, fsy.Rename("tmp", "a"))
	finds(t, d, "a=old", "a=old tmp=new", "a=new")
	must(t, fsy.SyncDir("."))
	finds(t, d, "a=new")

	put(t, fsy, "tmp", "newer", true)
	must(t, fsy.SyncDir("."))
	must(t, fsy.Exchange("tmp", "a"))
	finds(t, d, "a=new tmp=newer", "a=newer tmp=new")
	must(t, fsy.Remove("tmp"))
	finds(t, d, "a=new tmp=newer", "a=newer tmp=new", "a=newer")
}

func TestMoveIsAtomicAndDurableFromEitherEnd(t *testing.T) {
	for _, end := range []string{"x", "y"} {
		d, fsy := recorded(t, "x/", "x/a=A", "y/")
		must(t, fsy.Move("x/a", fsy, "y/b"))
		finds(t, d, "x/ x/a=A y/", "x/ y/ y/b=A")
		must(t, fsy.SyncDir(end))
		finds(t, d, "x/ y/ y/b=A")
	}
}

func TestMoveIntoNewFolder(t *testing.T) {
	d, fsy := recorded(t, "x/", "x/a=A")
	must(t, fsy.Mkdir("y", 0o700))
	must(t, fsy.Move("x/a", fsy, "y/a"))
	finds(t, d, "x/ x/a=A", "x/ x/a=A y/", "x/ y/ y/a=A")
	must(t, fsy.SyncDir("y")) // which itself may be lost
	finds(t, d, "x/ x/a=A", "x/ x/a=A y/", "x/ y/ y/a=A")
	must(t, fsy.SyncDir("x"))
	finds(t, d, "x/ y/ y/a=A")
}

func TestMoveIntoFolderBelowNewFolder(t *testing.T) {
	d, fsy := recorded(t, "z/", "z/a=A")
	must(t, fsy.Mkdir("x", 0o700))
	must(t, fsy.Mkdir("x/y", 0o700))
	must(t, fsy.SyncDir("x"))
	must(t, fsy.Move("z/a", fsy, "x/y/a"))
	must(t, fsy.SyncDir("x/y"))
	finds(t, d, "z/ z/a=A", "x/ x/y/ z/ z/a=A", "x/ x/y/ x/y/a=A z/")
	must(t, fsy.SyncDir("."))
	must(t, fsy.SyncDir("x/y"))
	finds(t, d, "x/ x/y/ x/y/a=A z/")
}

func TestNewFolderIsLostWithItsContent(t *testing.T) {
	d, fsy := recorded(t)
	must(t, fsy.Mkdir("x", 0o700))
	must(t, fsy.Mkdir("x/y", 0o700))
	put(t, fsy, "x/y/a", "A", true)
	must(t, fsy.SyncDir("x/y"))
	finds(t, d, "", "x/", "x/ x/y/ x/y/a=A")
	must(t, fsy.SyncDir("."))
	finds(t, d, "x/", "x/ x/y/ x/y/a=A")
	must(t, fsy.SyncDir("x"))
	finds(t, d, "x/ x/y/ x/y/a=A")
}

func TestFolderIsNotRemovedBeforeItWasEmptied(t *testing.T) {
	d, fsy := recorded(t, "x/", "x/a=A", "y/")
	must(t, fsy.Move("x/a", fsy, "y/a"))
	must(t, fsy.Remove("x"))
	finds(t, d, "x/ x/a=A y/", "x/ y/ y/a=A", "y/ y/a=A")
	must(t, fsy.SyncDir("."))
	finds(t, d, "y/ y/a=A")
}

func TestFoldersNeverFormACycle(t *testing.T) {
	d, fsy := recorded(t, "x/", "x/y/", "x/y/a=A")
	must(t, fsy.Rename("x/y", "y"))
	must(t, fsy.Rename("x", "y/x"))
	finds(t, d, "x/ x/y/ x/y/a=A", "x/ y/ y/a=A", "y/ y/a=A y/x/")
}

func TestLinkAndUnlinkAreTwoChanges(t *testing.T) {
	d, fsy := recorded(t, "a=A", "x/")
	must(t, fsy.Link("a", "x/a"))
	must(t, fsy.Remove("a"))
	finds(t, d, "a=A x/", "a=A x/ x/a=A", "x/ x/a=A", "x/")
	for s := range d.Crashes(d.Len(), memfs.Limits{}) {
		for name, i := range s.Walk(".") {
			if i.IsDir() {
				continue
			}
			if got, want := i.Links, uint64(len(s.Files("."))); got != want {
				t.Errorf("%s has %d links, want %d", name, got, want)
			}
		}
	}
}

func TestData(t *testing.T) {
	d, fsy := recorded(t, "a=0")
	f, _, err := fsy.Append("a", 0o600)
	must(t, err)
	for _, s := range []string{"1", "23"} {
		_, err := io.WriteString(f, s)
		must(t, err)
	}
	finds(t, d, "a=0", "a=01", "a=012", "a=0123", "a=0\x00\x00\x00")
	must(t, f.Sync())
	finds(t, d, "a=0123")
	must(t, fsy.Remove("a")) // what is unlinked may still be there
	_, err = io.WriteString(f, "4")
	must(t, err)
	finds(t, d, "", "a=0123", "a=01234", "a=0123\x00")
	must(t, fsy.SyncDir("."))
	finds(t, d, "")
}

func TestBlocks(t *testing.T) {
	d, fsy := recorded(t)
	put(t, fsy, "a", strings.Repeat("x", 512*4), false)
	must(t, fsy.SyncDir("."))
	holes := map[string]bool{}
	for s := range d.Crashes(d.Len(), memfs.Limits{}) {
		text := s.Files(".")["a"]
		if len(text) != 512*4 {
			continue
		}
		var shape strings.Builder
		for b := range slices.Chunk([]byte(text), 512) {
			shape.WriteString(string(strings.Trim(string(b), "\x00") + "0")[:1])
		}
		holes[shape.String()] = true
	}
	want := map[string]bool{"xxxx": true, "0000": true, "0xxx": true, "xxx0": true, "0x0x": true, "x0x0": true}
	if !cmp.Equal(holes, want) {
		t.Error(cmp.Diff(want, holes))
	}
}

func TestModeAndOwner(t *testing.T) {
	d, fsy := recorded(t, "a=")
	f, _, err := fsy.Append("a", 0o600)
	must(t, err)
	must(t, f.Own(fsys.Info{Mode: 0o600, UID: 7, GID: 8}))
	seen := func() map[string]bool {
		out := map[string]bool{}
		for s := range d.Crashes(d.Len(), memfs.Limits{}) {
			i, err := s.Stat("a")
			must(t, err)
			out[fmt.Sprint(i.Mode, i.UID, i.GID)] = true
		}
		return out
	}
	if got, want := seen(), (map[string]bool{"-rw-r--r-- 1000 1000": true, "-rw------- 7 8": true}); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	must(t, f.Sync())
	if got, want := seen(), (map[string]bool{"-rw------- 7 8": true}); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}
