package cache

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/fsys"
)

// TestParts: parts share a file, a change leaves the others alone, and a damaged file loses only what it no longer
// has.
func TestParts(t *testing.T) {
	state, err := fsys.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { state.Close() })
	s := New(state, "a")
	want := func(when string, want Parts) {
		t.Helper()
		got, err := s.Parts()
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", when, err, diff)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	want("nothing saved", Parts{})
	must(s.Change(Parts{seenPart: []byte("01 2\n"), LedgerSum: []byte("upto x\n")}))
	must(s.Change(Parts{LedgerSum: []byte("upto y\nend\n"), cleanPart: nil}))
	whole := Parts{LedgerSum: []byte("upto y\nend\n"), cleanPart: {}, seenPart: []byte("01 2\n")}
	want("changed", whole)
	must(s.Change(nil))
	want("no change", whole)
	data, err := s.Read(partsFile)
	must(err)
	must(s.Write(partsFile, data[:len(data)-4]))
	want("cut short", Parts{LedgerSum: []byte("upto y\nend\n"), cleanPart: {}})
}
