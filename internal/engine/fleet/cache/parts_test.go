package cache

import (
	"maps"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
)

func TestParts(t *testing.T) {
	state, err := fsys.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { state.Close() })
	s := New(state, "a")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	first, second := Parts{}, Parts{}
	at := time.Date(2026, 11, 15, 2, 0, 0, 0, time.UTC)
	seals := map[vault.Path]job.Seal{"memory/a b\n.md": {Version: "x", At: at}}
	seen := map[job.Mark]time.Time{1<<64 - 1: at}
	first.Set("logs", seals)
	second.Set("seen", seen)
	must(s.Change(first))
	must(s.Change(second))
	must(s.Change(nil))
	got, err := s.Parts()
	if must(err); !maps.Equal(got.Seals(), seals) || !maps.Equal(got.Seen(), seen) || len(got.Clean()) > 0 || got.Found() != nil {
		t.Errorf("got %s", got)
	}
	data, err := s.Read(partsFile)
	must(err)
	must(s.Write(partsFile, data[:len(data)-4]))
	if got, err := s.Parts(); err != nil || len(got) > 0 {
		t.Errorf("a damaged file has %s: %v", got, err)
	}
}

func TestFoundIsWhatWasSet(t *testing.T) {
	secrets := finding.SecretAtRest.In("memory/a b.md", "three")
	secrets.Lines = []int{3, 4, 9}
	p := Parts{}
	p.SetFound([]finding.Finding{secrets, finding.Overdue.In("", "nightly")}, nil)
	want := map[string]int{"secret-at-rest memory/a b.md": 3, "job-overdue ": 1}
	if got := p.Found(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	same := Parts{}
	if same.SetFound([]finding.Finding{secrets, finding.Overdue.In("", "nightly")}, want); len(same) > 0 {
		t.Errorf("written again: %v", same)
	}
	if p.SetFound(nil, want); len(p.Found()) > 0 {
		t.Errorf("got %v, want nothing", p.Found())
	}
}
