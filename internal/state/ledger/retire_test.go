package ledger_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tend/internal/state/ledger"
	"tend/internal/state/ledger/archive"
	"tend/internal/state/plan"
)

const archives = "state/archive/ada/"

// archive creates n archives, a day apart; the last is from now.
func (d *desk) archive(n int) []string {
	d.Helper()
	end := d.now
	d.now = end.AddDate(0, 0, -n+1)
	var names []string
	for i := range n {
		act := d.apply(plan.Plan{Job: "archive", Archives: []plan.Archive{{File: "a.md", Kind: "notes", Text: fmt.Append(nil, "text ", i)}}})
		names = append(names, act.Archives...)
		d.now = d.now.AddDate(0, 0, 1)
	}
	d.now = end
	return names
}

func TestExpired(t *testing.T) {
	day := 24 * time.Hour
	for _, tt := range []struct {
		name string
		have int
		keep archive.Retention
		want int // the oldest so many
	}{
		{"old ones go", 10, archive.Retention{Age: 5 * day}, 4},
		{"none is old", 10, archive.Retention{Age: 30 * day}, 0},
		{"all are old, some must stay", 10, archive.Retention{Age: time.Second, KeepMin: 3}, 7},
		{"fewer than must stay", 3, archive.Retention{Age: time.Second, KeepMin: 10}, 0},
		{"so many and no more", 10, archive.Retention{Age: time.Second, KeepMin: 2, MaxRun: 3}, 3},
		{"no retention", 10, archive.Retention{}, 0},
		{"nothing there", 0, archive.Retention{Age: time.Second}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			names := d.archive(tt.have)
			got, err := d.Archive.Expired(tt.keep, d.now)
			d.must(err)
			if !slices.Equal(got, names[:tt.want]) && len(got)+tt.want > 0 {
				t.Errorf("expired %v, want %v", got, names[:tt.want])
			}
		})
	}
}

// With a clock that is far in the future, one run retires no more than its limit.
func TestExpiredWithAWrongClock(t *testing.T) {
	d := newDesk(t)
	d.archive(30)
	d.now = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	got, err := d.Archive.Expired(archive.Retention{Age: 30 * 24 * time.Hour, KeepMin: 10, MaxRun: 5}, d.now)
	if err != nil || len(got) != 5 {
		t.Errorf("expired %d, %v, want 5", len(got), err)
	}
}

func TestRetireKeepsForeignFiles(t *testing.T) {
	d := newDesk(t)
	names := d.archive(3)
	foreign := map[string]string{
		"notes.md": "mine", "2020-01-01_000000.md": "mine", "2020-01-01_000000-15fk3g0000.md": "# a heading, and no archive\n",
		"2020-01-01_000000-15fk3g0000.txt": "mine", "sub": "",
	}
	for name, text := range foreign {
		if text == "" {
			d.must(d.disk.MkdirAll(archives + name))
			continue
		}
		d.must(d.disk.WriteFile(archives+name, text))
	}
	expired, err := d.Archive.Expired(archive.Retention{Age: time.Second, KeepMin: 1}, d.now)
	d.must(err)
	if !slices.Equal(expired, names[:2]) {
		t.Errorf("expired %v, want %v", expired, names[:2])
	}
	d.session(func(s *ledger.Session) {
		act, err := s.Retire(context.Background(), expired, "too old")
		d.must(err)
		if act.Outcome != ledger.Done || !slices.Equal(act.Retired, expired) {
			t.Errorf("retired %+v", act)
		}
	})
	for name, text := range foreign {
		if got, err := d.disk.ReadFile(archives + name); text != "" && (err != nil || got != text) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for i, name := range expired {
		if _, err := d.Archive.Open(name); err == nil {
			t.Errorf("%s is still an archive", name)
		}
		found := false
		for kept, text := range d.disk.Files("state/trash") {
			found = found || strings.HasSuffix(kept, name) && strings.Contains(text, fmt.Sprint("text ", i))
		}
		if !found {
			t.Errorf("%s is not in the trash", name)
		}
	}
	if list, err := d.Archive.List(); err != nil || list[0].Name != names[2] {
		t.Errorf("archives %v, %v", list, err)
	}
}

func TestOpenArchive(t *testing.T) {
	d := newDesk(t)
	act := d.apply(plan.Plan{Job: "reset", Archives: []plan.Archive{
		{File: "MEMORY.md", Kind: "notes", Text: []byte("first")}, {File: "AGENTS.md", Kind: "drift", Text: []byte("second")},
	}})
	for name, want := range map[string]string{act.ID: "first", act.Archives[0]: "first", act.Archives[1]: "second"} {
		if a, err := d.Archive.Open(name); err != nil || string(a.Text) != want || !a.Whole || !a.At.Equal(noon) {
			t.Errorf("open %s: %+v, %v", name, a, err)
		}
	}
	for _, name := range []string{"zzzzzzzzzz", "../../agents/ada/ledger/2026-03.jsonl", "x.md", ""} {
		if a, err := d.Archive.Open(name); err == nil {
			t.Errorf("open %q: %+v", name, a)
		}
	}
}
