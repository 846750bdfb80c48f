package memfs_test

import (
	"fmt"
	"testing"

	"tend/internal/disk/fsys/memfs"
)

func TestCrashedDiskIsFresh(t *testing.T) {
	d, fsy := recorded(t, "a=A")
	l, err := fsy.Lock("lock", "me")
	must(t, err)
	fd, err := d.OpenAppend("a")
	must(t, err)
	must(t, fsy.SyncAll())

	s := d.CrashAt(d.Len(), memfs.Lost)
	k := d.KillAt(d.Len())
	_, err = fd.Write([]byte("+"))
	must(t, err)
	must(t, l.Close())
	for _, s := range []*memfs.Disk{s, k} {
		if got, want := portrait(s), "a=A lock=me"; got != want {
			t.Errorf("found %q, want %q", got, want)
		}
		again, err := treeOf(t, s, ".").Lock("lock", "you")
		must(t, err)
		must(t, again.Close())
		if got, want := s.Files(".")["lock"], "you"; got != want {
			t.Errorf("lock holds %q, want %q", got, want)
		}
	}
	if got, want := portrait(d), "a=A+ lock=me"; got != want {
		t.Errorf("the disk itself is %q, want %q", got, want)
	}
}

// A state can crash as its parent did, and its parent is not touched.
func TestCrashAgain(t *testing.T) {
	d, fsy := recorded(t, "a=A")
	put(t, fsy, "tmp", "B", true)
	must(t, fsy.Rename("tmp", "a"))
	n := d.Len()

	for s := range d.Crashes(n, memfs.Limits{}) {
		before := portrait(s)
		s.Record()
		if got := portrait(s.CrashAt(0, memfs.Lost)); got != before {
			t.Errorf("lost of %q all but %q", before, got)
		}
		r := treeOf(t, s, ".")
		put(t, r, "x", "X", false)
		must(t, r.Rename("x", "a"))
		if got := portrait(s.CrashAt(s.Len(), memfs.Lost)); got != before {
			t.Errorf("lost of %q all but %q", before, got)
		}
		if got := s.CrashAt(s.Len(), memfs.LoseNothing).Files(".")["a"]; got != "X" {
			t.Errorf("a holds %q, want X", got)
		}
	}
	finds(t, d, "a=A", "a=A tmp=B", "a=B")
}

// After a kill the next process sees text that was not synced. If it relies on that
// text, the next power cut may take it away.
func TestKilledThenPowerCut(t *testing.T) {
	d, fsy := recorded(t, "a=A")
	put(t, fsy, "tmp", "B", true)
	must(t, fsy.Rename("tmp", "a"))

	k := d.KillAt(d.Len())
	if got, want := portrait(k), "a=B"; got != want {
		t.Fatalf("the next process finds %q, want %q", got, want)
	}
	next := treeOf(t, k, ".")
	touch(t, next, "done")
	finds(t, k, "a=A", "a=A tmp=B", "a=B", "a=A done=", "a=A done= tmp=B", "a=B done=")
	must(t, next.SyncDir("."))
	finds(t, k, "a=B done=")
	finds(t, d, "a=A", "a=A tmp=B", "a=B")

	k.Record()
	finds(t, k, "a=B done=")
}

func TestManyStatesAreSampled(t *testing.T) {
	d, fsy := recorded(t)
	for i := range 20 {
		touch(t, fsy, fmt.Sprintf("f%02d", i))
	}
	lim := memfs.Limits{Exhaust: 100, Samples: 10}
	seen := map[string]bool{}
	sizes := map[int]int{}
	for s := range d.Crashes(d.Len(), lim) {
		p := portrait(s)
		if seen[p] {
			t.Errorf("%q comes twice", p)
		}
		seen[p] = true
		sizes[len(s.Files("."))]++
	}
	if sizes[0] != 1 || sizes[20] != 1 || sizes[1] != 20 || sizes[19] != 20 {
		t.Errorf("states by number of files kept: %v", sizes)
	}
	if got, want := len(seen), 2+40+10; got != want {
		t.Errorf("%d states, want %d", got, want)
	}

	a := portrait(d.CrashAt(d.Len(), memfs.Random(5)))
	if b := portrait(d.CrashAt(d.Len(), memfs.Random(5))); a != b {
		t.Errorf("one seed, two states: %q and %q", a, b)
	}
	all := 0 // of the first ten, each created and synced
	for range d.Crashes(20, memfs.Limits{Exhaust: 1 << 10}) {
		all++
	}
	if want := 1 << 10; all != want {
		t.Errorf("%d states of 10 names, want %d", all, want)
	}
}

func TestEveryCrashMatchesCrashes(t *testing.T) {
	d, fsy := recorded(t, "a=A")
	put(t, fsy, "tmp", "B", true)
	must(t, fsy.Exchange("tmp", "a"))
	must(t, fsy.SyncDir("."))
	must(t, fsy.Remove("tmp"))

	var every, each []string
	for n, s := range d.EveryCrash(memfs.Limits{}) {
		every = append(every, fmt.Sprint(n, portrait(s)))
	}
	for n := range d.Len() + 1 {
		for s := range d.Crashes(n, memfs.Limits{}) {
			each = append(each, fmt.Sprint(n, portrait(s)))
		}
	}
	if fmt.Sprint(every) != fmt.Sprint(each) {
		t.Errorf("every: %q\neach: %q", every, each)
	}
	n := 0
	for range d.EveryCrash(memfs.Limits{}) {
		if n++; n == 3 {
			break
		}
	}
}

// States share the bytes of files with each other and with the disk they come
// from; writes to one must not show in another.
func TestStatesDoNotShareWrites(t *testing.T) {
	d, fsy := recorded(t, "a=0123456789")
	must(t, d.AppendFile("a", "+"))
	must(t, d.AppendFile("a", "+"))
	must(t, fsy.SyncAll())
	touch(t, fsy, "b")

	all := []*memfs.Disk{d, d.KillAt(d.Len())}
	for s := range d.Crashes(d.Len(), memfs.Limits{}) {
		all = append(all, s)
	}
	for i, s := range all {
		must(t, s.AppendFile("a", fmt.Sprint(i)))
	}
	for i, s := range all {
		if got, want := s.Files(".")["a"], fmt.Sprint("0123456789++", i); got != want {
			t.Errorf("disk %d holds %q, want %q", i, got, want)
		}
	}
	if got, want := d.CrashAt(d.Len()-3, memfs.LoseNothing).Files(".")["a"], "0123456789++"; got != want {
		t.Errorf("the record holds %q, want %q", got, want)
	}
}
