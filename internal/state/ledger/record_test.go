package ledger_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

func TestRecord(t *testing.T) {
	d := newDesk(t)
	d.has("a.md", "one\ntwo\n")
	act := d.apply(plan.Plan{
		Job: "curate", Reason: "asked", Summary: "did it",
		Changes:  []plan.Change{d.change(plan.Write, "a.md", "one\nTWO & <2>\n"), d.change(plan.Append, "b.md", "café\xff\n")},
		Archives: []plan.Archive{{File: "a.md", Kind: "pruned", Text: []byte("two\n")}},
		Receipts: []plan.Receipt{{Job: "curate", Path: "a.md", From: 4, To: 8, Hash: "h"}},
	})
	got := d.actions()
	if len(got) != 1 {
		t.Fatalf("%d actions, want 1", len(got))
	}
	a := got[0]
	if a.ID != act.ID || a.Outcome != ledger.Done || a.Who != "test" || a.Job != "curate" ||
		a.Reason != "asked" || a.Summary != "did it" || !a.At.Equal(noon) || !a.Ended.Equal(noon) ||
		len(a.Archives) != 1 || len(a.Receipts) != 1 ||
		a.Files[0].Trash == "" || a.Files[1].Trash != "" {
		t.Errorf("recorded %+v", a)
	}
	if found, err := d.Find(a.ID); err != nil || found.ID != a.ID {
		t.Errorf("found %v, %v", found.ID, err)
	}
	if _, err := d.Find("zzzzzzzzzz"); err == nil {
		t.Error("found an action that does not exist")
	}
	// It is readable by people.
	text, err := d.disk.ReadFile(month)
	d.must(err)
	if !strings.Contains(text, `TWO & <2>`) || strings.Count(text, "\n") != 2 {
		t.Errorf("the ledger reads\n%s", text)
	}
}

func TestMonths(t *testing.T) {
	d := newDesk(t)
	d.edit(plan.Append, "a.md", "1\n")
	d.now = time.Date(2026, 4, 1, 0, 0, 1, 0, time.UTC)
	d.edit(plan.Append, "a.md", "2\n")
	d.now = noon // the clock goes back to the previous month
	d.edit(plan.Append, "a.md", "3\n")
	d.now = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	d.edit(plan.Append, "a.md", "4\n")

	var names []string
	for name := range d.disk.Files("state/agents/ada/ledger") {
		names = append(names, strings.TrimPrefix(name, "state/agents/ada/ledger/"))
	}
	slices.Sort(names)
	if want := []string{"2026-03.jsonl", "2026-04.jsonl", "2027-01.jsonl"}; !slices.Equal(names, want) {
		t.Errorf("files %v, want %v", names, want)
	}
	acts := d.actions()
	if len(acts) != 4 || !slices.IsSortedFunc(acts, func(a, b ledger.Action) int { return strings.Compare(b.ID, a.ID) }) {
		t.Errorf("%d actions, not in order", len(acts))
	}
	if broken, err := d.Verify(); err != nil || len(broken) > 0 {
		t.Errorf("verify: %v, %v", broken, err)
	}
}

// A line that a crash interrupted anywhere is skipped, and the ledger continues after
// it.
func TestTornTail(t *testing.T) {
	for name, tail := range map[string]string{
		"half a line":            `{"v":1,"id":"15fk3g0000","sta`,
		"half a line, ended":     "{\"v\":1,\"id\":\"15fk\n",
		"zeros":                  "\x00\x00\x00\x00",
		"zeros, ended":           "\x00\x00\x00\n",
		"a hole in a line":       "{\"v\":1,\x00\x00\x00\x00}\n",
		"an empty line":          "\n",
		"several":                "{\"v\":\n\x00\x00\n{",
		"something else that is": "null\n",
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.edit(plan.Append, "a.md", "1\n")
			d.must(d.disk.AppendFile(month, tail))
			if last, err := d.Last(); err != nil || last == nil || last.State != ledger.Done {
				t.Fatalf("last: %+v, %v", last, err)
			}
			d.edit(plan.Append, "a.md", "2\n")
			if acts := d.actions(); len(acts) != 2 || acts[0].Outcome != ledger.Done {
				t.Errorf("actions: %+v", acts)
			}
			if broken, err := d.Verify(); err != nil || len(broken) > 0 {
				t.Errorf("verify: %v, %v", broken, err)
			}
			d.holds("a.md", "1\n2\n")
		})
	}
}

// If only the last newline is lost, the record counts.
func TestRecordWithoutNewline(t *testing.T) {
	d := newDesk(t)
	d.edit(plan.Append, "a.md", "1\n")
	text, err := d.disk.ReadFile(month)
	d.must(err)
	d.must(d.disk.WriteFile(month, strings.TrimSuffix(text, "\n")))
	d.edit(plan.Append, "a.md", "2\n")
	if acts := d.actions(); len(acts) != 2 {
		t.Errorf("%d actions, want 2", len(acts))
	}
	if broken, err := d.Verify(); err != nil || len(broken) > 0 {
		t.Errorf("verify: %v, %v", broken, err)
	}
}

func TestVerifyFindsTampering(t *testing.T) {
	for name, tamper := range map[string]func(lines []string) []string{
		"a word changed":    func(l []string) []string { l[1] = strings.Replace(l[1], "append", "nothin", 1); return l },
		"a blank more":      func(l []string) []string { l[0] = strings.Replace(l[0], ":", ": ", 1); return l },
		"a line taken out":  func(l []string) []string { return slices.Delete(l, 2, 3) },
		"two lines swapped": func(l []string) []string { l[1], l[3] = l[3], l[1]; return l },
		"a line twice":      func(l []string) []string { return slices.Insert(l, 2, l[1]) },
		"the first gone":    func(l []string) []string { return l[1:] },
		"a line no record":  func(l []string) []string { l[2] = "gone\n"; return l },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			for i := range 3 {
				d.edit(plan.Append, "a.md", fmt.Sprint(i, "\n"))
			}
			if broken, err := d.Verify(); err != nil || len(broken) > 0 {
				t.Fatalf("before: %v, %v", broken, err)
			}
			text, err := d.disk.ReadFile(month)
			d.must(err)
			lines := tamper(slices.Collect(strings.Lines(text)))
			d.must(d.disk.WriteFile(month, strings.Join(lines, "")))
			if broken, err := d.Verify(); err != nil || len(broken) == 0 {
				t.Errorf("verify: %v, %v", broken, err)
			}
		})
	}
}

// The end of the ledger is found without reading all of it, however long a line is.
func TestLastOnLargeLines(t *testing.T) {
	d := newDesk(t)
	if last, err := d.Last(); err != nil || last != nil {
		t.Fatalf("last of nothing: %v, %v", last, err)
	}
	for _, size := range []int{10, 16 << 10, 300 << 10, 2 << 20, 20} {
		text := strings.Repeat("long line ", size/10) + "\n"
		act := d.edit(plan.Write, "a.md", text)
		last, err := d.Last()
		d.must(err)
		if last == nil || last.ID != act.ID || last.State != ledger.Done {
			t.Errorf("after a line of %d bytes: %+v", size, last)
		}
		if after, err := d.After(d.actions()[0], 0); err != nil || string(after) != text {
			t.Errorf("text of %d bytes: %d bytes, %v", size, len(after), err)
		}
	}
	if broken, err := d.Verify(); err != nil || len(broken) > 0 {
		t.Errorf("verify: %v, %v", broken, err)
	}
}

// After an action failed half-way, the session recovers it before the next one.
func TestSessionRecoversAfterFailure(t *testing.T) {
	for name, match := range map[string]func(memfs.Op) bool{
		"the intent is not written":  func(op memfs.Op) bool { return op.Kind == memfs.Write && op.Name == month },
		"the intent is not synced":   func(op memfs.Op) bool { return op.Kind == memfs.Sync && op.Name == month },
		"the swap fails":             func(op memfs.Op) bool { return op.Kind == memfs.Exchange },
		"the displaced is not kept":  func(op memfs.Op) bool { return op.Kind == memfs.Move },
		"the folder is not synced":   func(op memfs.Op) bool { return op.Kind == memfs.SyncDir && op.Name == "ws" },
		"the text cannot be written": func(op memfs.Op) bool { return op.Kind == memfs.Create },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.edit(plan.Append, "b.md", "b\n")
			d.has("a.md", "old\n")
			d.session(func(s *ledger.Session) {
				d.disk.FailOn(match, syscall.EIO, memfs.Short)
				_, err := s.Apply(context.Background(), plan.Plan{Job: "first", Changes: []plan.Change{d.change(plan.Write, "a.md", "new\n")}})
				if err == nil {
					t.Fatal("nothing failed")
				}
				d.disk.FailOn(nil, nil, 0)
				_, err = s.Apply(context.Background(), plan.Plan{Job: "second", Changes: []plan.Change{d.change(plan.Append, "b.md", "c\n")}})
				d.must(err)
			})
			d.holds("b.md", "b\nc\n")
			if broken, err := d.Verify(); err != nil || len(broken) > 0 {
				t.Errorf("verify: %v, %v", broken, err)
			}
			for _, a := range d.actions() {
				if a.Outcome == ledger.Intent {
					t.Errorf("%s %s has no end", a.Job, a.ID)
				}
			}
		})
	}
}
