package memfs_test

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/memfs"
)

// everything makes every kind of call and returns the first error.
func everything(d *memfs.Disk, ws fsys.FS) (err error) {
	try := func(e error) {
		if err == nil {
			err = e
		}
	}
	f, _, e := ws.Append("a", 0o600)
	try(e)
	if e == nil {
		_, e = io.WriteString(f, "text")
		try(e)
		_, e = f.ReadAt(make([]byte, 2), 0)
		try(e)
		_, e = f.Stat()
		try(e)
		try(f.Own(fsys.Info{Mode: 0o640}))
		try(f.Sync())
		try(f.Close())
	}
	f, e = ws.Create("b", 0o600)
	try(e)
	if e == nil {
		try(f.Close())
	}
	f, e = ws.Open("a")
	try(e)
	if e == nil {
		_, e = f.Read(make([]byte, 2))
		try(e)
		try(f.Close())
	}
	try(ws.Mkdir("d", 0o700))
	try(ws.Rename("b", "c"))
	try(ws.Exchange("a", "c"))
	try(ws.Link("a", "e"))
	try(ws.Move("e", ws, "g"))
	try(ws.Remove("g"))
	_, e = ws.Lstat("a")
	try(e)
	_, e = ws.ReadDir(".")
	try(e)
	_, e = ws.Readlink("link")
	try(e)
	_, e = ws.Device()
	try(e)
	sub, e := ws.Sub("d")
	try(e)
	if e == nil {
		sub.Close()
	}
	l, e := ws.Lock("lock", "me")
	try(e)
	if e == nil {
		try(l.Close())
	}
	try(ws.SyncDir("."))
	try(ws.SyncAll())
	return err
}

func newDisk(t *testing.T) (*memfs.Disk, fsys.FS) {
	t.Helper()
	d := memfs.New()
	ws := treeOf(t, d, "ws")
	must(t, d.Symlink("a", "ws/link"))
	return d, ws
}

func TestEveryCallFails(t *testing.T) {
	d, ws := newDisk(t)
	kinds := map[memfs.Kind]int{}
	d.OnOp(func(op memfs.Op) { kinds[op.Kind]++ })
	must(t, everything(d, ws))
	if got, want := len(kinds), 25; got != want {
		t.Errorf("%d kinds of calls, want %d: %v", got, want, kinds)
	}
	calls := d.Calls()

	for _, mode := range []memfs.Mode{memfs.Once, memfs.Always, memfs.Late, memfs.Short, memfs.Late | memfs.Always} {
		for n := 1; n <= calls; n++ {
			d, ws := newDisk(t)
			var at memfs.Op
			d.OnOp(func(op memfs.Op) {
				if op.N == n {
					at = op
				}
			})
			d.FailAt(n, syscall.EIO, mode)
			if err := everything(d, ws); !errors.Is(err, syscall.EIO) {
				t.Errorf("mode %d, call %d, %s: error %v, want EIO", mode, n, at.Kind, err)
			}
			if got := d.Descriptors(); got != 0 {
				t.Errorf("mode %d, call %d, %s: %d descriptors left", mode, n, at.Kind, got)
			}
		}
		d, ws := newDisk(t)
		d.FailAt(calls+1, syscall.EIO, mode)
		must(t, everything(d, ws))
	}
}

func TestFaultModes(t *testing.T) {
	d, ws := newDisk(t)
	write := func(name string) (int, error) {
		f, _, err := ws.Append(name, 0o600)
		must(t, err)
		defer f.Close()
		return io.WriteString(f, "12345678")
	}
	is := func(op memfs.Kind) func(memfs.Op) bool {
		return func(o memfs.Op) bool { return o.Kind == op }
	}

	d.FailOn(is(memfs.Write), syscall.ENOSPC, memfs.Short)
	if n, err := write("short"); n != 4 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("short write: %d, %v", n, err)
	}
	if n, err := write("short"); n != 8 || err != nil {
		t.Errorf("after it: %d, %v", n, err)
	}
	d.FailOn(is(memfs.Mkdir), syscall.EROFS, memfs.Always)
	for range 2 {
		if err := ws.Mkdir("d", 0o700); !errors.Is(err, syscall.EROFS) {
			t.Errorf("mkdir: %v", err)
		}
	}
	d.FailOn(is(memfs.Create), syscall.EIO, memfs.Late)
	if _, err := ws.Create("late", 0o600); !errors.Is(err, syscall.EIO) {
		t.Errorf("create: %v", err)
	}
	d.FailAt(0, syscall.EIO, memfs.Always)
	if _, err := ws.Create("late", 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("create again: %v, want it to be there", err)
	}
	want := map[string]string{"ws/short": "123412345678", "ws/late": ""}
	if got := d.Files("ws"); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

// After a failed Sync the next one succeeds, but does not make the data durable.
func TestFailedSyncStaysFailed(t *testing.T) {
	for _, all := range []bool{false, true} {
		d, ws := newDisk(t)
		d.Record()
		f, err := ws.Create("a", 0o600)
		must(t, err)
		must(t, ws.SyncDir("."))
		_, err = io.WriteString(f, "first,")
		must(t, err)
		d.FailAt(1, syscall.EIO, memfs.Once)
		if all {
			err = ws.SyncAll()
		} else {
			err = f.Sync()
		}
		if !errors.Is(err, syscall.EIO) {
			t.Fatal(err)
		}
		_, err = io.WriteString(f, "second")
		must(t, err)
		must(t, f.Sync())
		must(t, ws.SyncAll())

		got := map[string]bool{}
		for s := range d.Crashes(d.Len(), memfs.Limits{}) {
			text, err := s.ReadFile("ws/a")
			must(t, err)
			got[text] = true
		}
		want := map[string]bool{"first,second": true, "\x00\x00\x00\x00\x00\x00second": true}
		if !cmp.Equal(got, want) {
			t.Error(cmp.Diff(want, got))
		}
		if text, err := d.KillAt(d.Len()).ReadFile("ws/a"); text != "first,second" || err != nil {
			t.Errorf("the next process reads %q, %v", text, err)
		}
	}
}

// An agent can write right before any call.
func TestOnOp(t *testing.T) {
	d, ws := newDisk(t)
	must(t, d.WriteFile("ws/a", "old"))
	put(t, ws, "tmp", "new", false)
	fd, err := d.OpenAppend("ws/a")
	must(t, err)
	d.OnOp(func(op memfs.Op) {
		if op.Kind == memfs.Exchange {
			_, err := io.WriteString(fd, ", before")
			must(t, err)
		}
		if op.Kind == memfs.SyncDir {
			_, err := io.WriteString(fd, ", after")
			must(t, err)
		}
		if want := (memfs.Op{N: op.N, Kind: memfs.Exchange, Name: "ws/tmp", To: "ws/a"}); op.Kind == memfs.Exchange && op != want {
			t.Errorf("op is %+v, want %+v", op, want)
		}
	})
	must(t, ws.Exchange("tmp", "a"))
	must(t, ws.SyncDir("."))
	want := map[string]string{"ws/a": "new", "ws/tmp": "old, before, after"}
	if got := d.Files("ws"); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}
