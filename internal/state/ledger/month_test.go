package ledger_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// threeMonths is a ledger with actions in three months, all but the last gzipped.
func threeMonths(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	for range 3 {
		for range 20 {
			d.edit(plan.Append, "a.md", "a line\n")
		}
		d.now = d.now.AddDate(0, 0, 30)
	}
	before, months := d.actions(), d.disk.Files("state/agents/ada/ledger")
	d.session(func(s *ledger.Session) { d.must(s.Zip()) })
	if diff := cmp.Diff(before, d.actions(), cmpopts.IgnoreUnexported(ledger.Action{})); diff != "" {
		t.Fatalf("the actions are others:\n%s", diff)
	}
	names := slices.Sorted(maps.Keys(months))
	for i, name := range names {
		text, err := d.disk.ReadFile(name)
		d.must(err)
		if last := i == len(names)-1; last != (text == months[name]) || !last && len(text) > len(months[name])/3 {
			t.Errorf("%s: %d bytes, before %d", name, len(text), len(months[name]))
		}
	}
	return d
}

func (d *desk) sound() {
	d.Helper()
	if broken, err := d.Verify(); err != nil || len(broken) > 0 {
		d.Errorf("verify: %v, %v", broken, err)
	}
}

// TestZip: months that are over are gzipped. What the ledger says stays, and each action can be undone.
func TestZip(t *testing.T) {
	d := threeMonths(t)
	d.sound()
	acts := d.actions()
	if len(acts) != 60 {
		t.Fatalf("%d actions, want 60", len(acts))
	}
	for _, a := range acts {
		p, err := d.PlanUndo(t.Context(), a, false)
		d.must(err)
		d.now = d.now.Add(time.Second)
		d.apply(p)
	}
	if _, err := d.disk.ReadFile("ws/a.md"); err == nil {
		t.Error("a.md is still there after everything was undone")
	}
	d.sound()
	// A second time there is nothing to do.
	d.session(func(s *ledger.Session) { d.must(s.Zip()) })
	was := d.disk.Files("state/agents/ada/ledger")
	d.session(func(s *ledger.Session) { d.must(s.Zip()) })
	if now := d.disk.Files("state/agents/ada/ledger"); !maps.Equal(was, now) {
		t.Error("gzipping again changed something")
	}
}

// TestGzippedTail: when the newest months are gone and the clock went back, the ledger continues in a month that was gzipped.
func TestGzippedTail(t *testing.T) {
	d := threeMonths(t)
	d.must(d.disk.Remove("state/agents/ada/ledger/2026-05.jsonl"))
	d.must(d.disk.Remove("state/agents/ada/ledger/2026-04.jsonl"))
	if last, err := d.Last(); err != nil || last == nil || last.State != ledger.Done {
		t.Fatalf("last: %+v, %v", last, err)
	}
	d.now = noon.Add(time.Hour)
	d.edit(plan.Append, "a.md", "later\n")
	if n := len(d.actions()); n != 21 {
		t.Errorf("%d actions, want 21", n)
	}
	d.sound()
}

// TestGzippedDamage: a gzipped month that cannot be read is an error, never an empty month.
func TestGzippedDamage(t *testing.T) {
	for name, damage := range map[string]func(string) string{
		"cut off":      func(s string) string { return s[:len(s)/2] },
		"a bit":        func(s string) string { return s[:40] + string(s[40]^1) + s[41:] },
		"only a mark":  func(string) string { return "\x1f\x8b" },
		"lines behind": func(s string) string { return s + "{}\n" },
	} {
		t.Run(name, func(t *testing.T) {
			d := threeMonths(t)
			text, err := d.disk.ReadFile(month)
			d.must(err)
			d.must(d.disk.WriteFile(month, damage(text)))
			if _, err := d.Verify(); !errors.Is(err, ledger.ErrDamaged) {
				t.Errorf("verify: %v", err)
			}
			err = nil
			for _, e := range d.Actions() {
				err = errors.Join(err, e)
			}
			if !errors.Is(err, ledger.ErrDamaged) {
				t.Errorf("actions: %v", err)
			}
		})
	}
}

// TestForeignMonth: other machines and packages send records as they are.
func TestForeignMonth(t *testing.T) {
	d := threeMonths(t)
	text, err := d.disk.ReadFile(month)
	d.must(err)
	if err := ledger.CheckFile([]byte(text), d.now); !errors.Is(err, ledger.ErrDamaged) {
		t.Errorf("a gzipped month of another machine: %v", err)
	}
	records, err := ledger.Unzipped([]byte(text))
	d.must(err)
	if err := ledger.CheckFile(records, d.now); err != nil || strings.Count(string(records), "\n") != 40 {
		t.Errorf("its records: %v", err)
	}
}

// FuzzMonth: no file stops the reading of a ledger, and what another machine sends is refused or has sound records.
func FuzzMonth(f *testing.F) {
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Add([]byte(`{"v":1,"id":"15fk3g0000","state":"intent","at":"2026-03-31T12:00:00Z","files":[{"path":"a.md","size":1}],"prev":""}` + "\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		d := newDesk(t)
		d.must(d.disk.MkdirAll("state/agents/ada/ledger"))
		d.must(d.disk.WriteFile(month, string(file)))
		for _, err := range d.Actions() {
			if err != nil {
				break
			}
		}
		_, _ = d.Verify()
		_, _ = d.Last()
		_ = ledger.CheckFile(file, noon)
	})
}
