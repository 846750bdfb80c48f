package jobruns

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/fsys"
)

// TestEnded: runs that did something are kept separately, others of a day are counted together, and the list is limited.
func TestEnded(t *testing.T) {
	at := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	var list []Ended
	for i := range 30 {
		list = ended(list, Ended{At: at.Add(time.Duration(i) * time.Hour), Outcome: "unchanged"})
	}
	if len(list) != 2 || list[0].Times != 16 || list[1].Times != 14 || !list[1].At.Equal(at.Add(29*time.Hour)) {
		t.Errorf("30 hours without a change: %+v", list)
	}
	list = ended(list, Ended{At: at, Outcome: "changed", Action: "a1"})
	list = ended(list, Ended{At: at, Outcome: "changed", Action: "a2"})
	list = ended(list, Ended{At: at, Outcome: "failed", Error: "no disk"})
	list = ended(list, Ended{At: at, Outcome: "failed", Error: "no host"})
	if len(list) != 6 {
		t.Errorf("changes and different failures: %+v", list)
	}
	for i := range 100 {
		list = ended(list, Ended{At: at, Outcome: "changed", Action: fmt.Sprint(i)})
	}
	if len(list) != historyMost || list[historyMost-1].Action != "99" {
		t.Errorf("%d runs are kept, the last one is %+v", len(list), list[len(list)-1])
	}
}

// TestHistory: each run adds a line, and the counts read back are right. A truncated line is
// skipped, and the file stays small.
func TestHistory(t *testing.T) {
	state, err := fsys.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()
	s := New(state, "ada")
	at := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	ran := func(after time.Duration, action string) {
		t.Helper()
		if err := s.Record([]string{"audit", "nightly"}, at.Add(after), Run{Outcome: "unchanged", Action: action}); err != nil {
			t.Fatal(err)
		}
	}
	ran(0, "")
	ran(time.Hour, "")
	f, _, err := state.Append(s.files.Path(endedFile), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("{\"jobs\":[\"aud\n")); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	ran(2*time.Hour, "a1")
	got, err := s.History()
	want := map[string][]Ended{
		"audit": {
			{At: at.Add(time.Hour), Outcome: "unchanged", Times: 2}, {At: at.Add(2 * time.Hour), Outcome: "unchanged", Action: "a1"},
		},
		"nightly": {{At: at.Add(time.Hour), Outcome: "unchanged", Times: 2}, {At: at.Add(2 * time.Hour), Outcome: "unchanged", Action: "a1"}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	most := 0
	for i := range 1000 {
		ran(time.Duration(i)*time.Hour, fmt.Sprint("b", i))
		text, err := s.files.Read(endedFile)
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, len(text))
	}
	got, err = s.History()
	if err != nil || len(got["nightly"]) != historyMost || got["nightly"][historyMost-1].Action != "b999" || got["audit"][0].Action != "b960" {
		t.Errorf("after many runs: %v, %v", got["nightly"], err)
	}
	if most > 2*endedMost {
		t.Errorf("the file grew to %d bytes", most)
	}
}

// TestWritersDoNotUndoEachOther: several processes record runs at the same time, and no run is lost.
func TestWritersDoNotUndoEachOther(t *testing.T) {
	state, err := fsys.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()
	at := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			s := New(state, "ada")
			for i := range 25 {
				if err := s.Record([]string{"reset"}, at.Add(time.Duration(i)*time.Minute), Run{Outcome: "unchanged"}); err != nil {
					t.Error(err)
				}
				if err := s.Change(fmt.Sprint("job", w), func(r *Run) { r.Took += "x" }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	runs, err := New(state, "ada").Last()
	if err != nil || len(runs["reset"].Recent) != 100 {
		t.Errorf("%d of 100 runs are recorded: %v", len(runs["reset"].Recent), err)
	}
	for w := range 4 {
		if n := len(runs[fmt.Sprint("job", w)].Took); n != 25 {
			t.Errorf("%d of 25 changes of job %d are there", n, w)
		}
	}
}
