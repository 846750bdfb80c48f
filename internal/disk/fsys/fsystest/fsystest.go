// Package fsystest is the conformance suite of fsys.FS. It runs on the real
// implementation and on every substitute, so that what is proven on a substitute
// is true on a disk.
package fsystest

import (
	"errors"
	"io"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/fsys"
)

// Host is a tree to test, and its machine as other programs there see it.
type Host struct {
	FS   fsys.FS // the tree: empty
	Near fsys.FS // another empty tree of the same file system
	Far  fsys.FS // an empty tree of another file system

	// Outside is a folder beside the tree, as seen from it ("../outside") and
	// from anywhere ("/tmp/.../outside"). In it is the file "secret", and
	// nothing else.
	Outside, OutsideAbs string
	// Secrets reads all files in Outside.
	Secrets func() map[string]string

	// These work on names in the tree without going through it.
	Symlink func(target, name string) error
	Mkfifo  func(name string) error
	Rename  func(from, to string) error

	// GivesAway: this host can give files to another user.
	GivesAway bool
	// Bare: the host knows files by their names only: no inodes, no link count, no
	// exchange, move or lock, no sync of everything. Calls for one of these must fail.
	Bare bool
}

// Run tests an implementation. open creates a new Host for each part.
func Run(t *testing.T, open func(t *testing.T) Host) {
	parts := []struct {
		name string
		test func(*testing.T, Host)
		bare func(*testing.T, Host) // tested instead on a bare host
	}{
		{"Open", testOpen, nil},
		{"Create", testCreate, nil},
		{"Append", testAppend, nil},
		{"Stat", testStat, nil},
		{"Own", testOwn, nil},
		{"Sync", testSync, nil},
		{"Descriptors", testDescriptors, testBareDescriptors},
		{"ReadDir", testReadDir, nil},
		{"Mkdir", testMkdir, nil},
		{"Remove", testRemove, nil},
		{"Rename", testRename, nil},
		{"Exchange", testExchange, testNoExchange},
		{"Link", testLink, nil},
		{"RenameNew", testRenameNew, nil},
		{"Move", testMove, testNoMove},
		{"Sub", testSub, nil},
		{"Close", testClose, nil},
		{"Lock", testLock, testNoLock},
		{"Symlinks", testSymlinks, nil},
		{"Confinement", testConfinement, nil},
		{"OddNames", testOddNames, nil},
		{"FIFO", testFIFO, nil},
		{"FIFOFolder", testFIFOFolder, nil},
		{"AppendersTakeTurns", testAppenders, nil},
		{"ExchangeIsAtomic", testExchangeAtomic, testNoExchange},
		{"RenameIsAtomic", testRenameAtomic, nil},
		{"SymlinkSwap", testSymlinkSwap, testConfinement},
	}
	for _, p := range parts {
		t.Run(p.name, func(t *testing.T) {
			h := open(t)
			if h.Bare && p.bare != nil {
				p.test = p.bare
			}
			p.test(t, h)
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// is checks that an error is want.
func is(t testing.TB, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

// refused checks for an error other than a missing file.
func refused(t testing.TB, what string, err error) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("%s: no error", what)
	case errors.Is(err, fs.ErrNotExist):
		t.Errorf("%s: error %v, which looks as if the name were free", what, err)
	}
}

func put(t testing.TB, f fsys.FS, name, text string) {
	t.Helper()
	h, err := f.Create(name, 0o600)
	must(t, err)
	n, err := io.WriteString(h, text)
	must(t, err)
	if n != len(text) {
		t.Fatalf("write %s: %d bytes of %d", name, n, len(text))
	}
	must(t, h.Close())
}

func get(t testing.TB, f fsys.FS, name string) string {
	t.Helper()
	h, err := f.Open(name)
	must(t, err)
	defer h.Close()
	text, err := io.ReadAll(h)
	must(t, err)
	return string(text)
}

func holds(t testing.TB, f fsys.FS, name, want string) {
	t.Helper()
	if got := get(t, f, name); got != want {
		t.Errorf("%s holds %q, want %q", name, got, want)
	}
}

func absent(t testing.TB, f fsys.FS, name string) {
	t.Helper()
	_, err := f.Lstat(name)
	is(t, "lstat "+name, err, fs.ErrNotExist)
}

func stat(t testing.TB, f fsys.FS, name string) fsys.Info {
	t.Helper()
	i, err := f.Lstat(name)
	must(t, err)
	return i
}

func names(t testing.TB, f fsys.FS, dir string) []string {
	t.Helper()
	infos, err := f.ReadDir(dir)
	must(t, err)
	out := []string{}
	for _, i := range infos {
		out = append(out, i.Name)
	}
	return out
}

func lists(t testing.TB, f fsys.FS, dir string, want ...string) {
	t.Helper()
	if got := names(t, f, dir); !cmp.Equal(got, append([]string{}, want...)) {
		t.Errorf("%s lists %q, want %q", dir, got, want)
	}
}
