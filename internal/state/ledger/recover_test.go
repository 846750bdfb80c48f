package ledger_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/memfs"
	"tend/internal/model/finding"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

var errKilled = errors.New("killed")

// killAt runs a plan in a process that is killed before the first call that matches.
func (d *desk) killAt(p plan.Plan, match func(memfs.Op) bool) {
	d.Helper()
	s, err := d.Begin(context.Background(), "killed")
	d.must(err)
	dead := false
	d.disk.FailOn(func(op memfs.Op) bool { dead = dead || match(op); return dead }, errKilled, memfs.Always)
	if _, err := s.Apply(context.Background(), p); !errors.Is(err, errKilled) {
		d.Fatalf("apply: %v, want %v", err, errKilled)
	}
	d.disk.FailOn(nil, nil, 0)
	_ = s.Close()
}

func nth(kind memfs.Kind, n int) func(memfs.Op) bool {
	return func(op memfs.Op) bool {
		if op.Kind == kind {
			n--
		}
		return op.Kind == kind && n == 0
	}
}

// The next session reports what it recovered and how.
func TestRecoveryIsReported(t *testing.T) {
	for _, tt := range []struct {
		name string
		kill func(memfs.Op) bool
		then func(d *desk) // what the agent does before the recovery
		end  ledger.State
		says string
		a, b string
	}{
		{"before the first change", nth(memfs.Exchange, 1), nil, ledger.RolledBack, "rolled back", "a\n", "b\n"},
		{"before the first displaced file is in the trash", nth(memfs.Move, 1), nil, ledger.Finished, "finished", "A\n", "B\n"},
		{"before the second change", nth(memfs.Exchange, 2), nil, ledger.Finished, "finished", "A\n", "B\n"},
		{"before the end is recorded", nth(memfs.Append, 2), nil, ledger.Finished, "finished", "A\n", "B\n"},
		{"and the agent changed the second file", nth(memfs.Exchange, 2), func(d *desk) { d.has("b.md", "mine\n") }, ledger.Finished,
			"finished", "A\n", "mine\n"},
		{"and the agent changed the first file", nth(memfs.Move, 1), func(d *desk) { d.has("a.md", "mine\n") }, ledger.Finished,
			"finished", "mine\n", "B\n"},
		{"and the agent changed an untouched file", nth(memfs.Exchange, 1), func(d *desk) { d.has("a.md", "mine\n") }, ledger.RolledBack,
			"rolled back", "mine\n", "b\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.has("a.md", "a\n")
			d.has("b.md", "b\n")
			d.killAt(plan.Plan{Job: "job", Changes: []plan.Change{d.change(plan.Write, "a.md", "A\n"), d.change(plan.Write, "b.md", "B\n")}},
				tt.kill)
			if tt.then != nil {
				tt.then(d)
			}
			d.session(func(s *ledger.Session) {
				if codes(s.Recovered) != finding.Recovered.Code || !strings.Contains(s.Recovered[0].Text, tt.says) {
					t.Errorf("reported %v, want that it was %s", s.Recovered, tt.says)
				}
			})
			d.session(func(s *ledger.Session) {
				if len(s.Recovered) > 0 {
					t.Errorf("reported it again: %v", s.Recovered)
				}
			})
			if a := d.last(); a.Outcome != tt.end {
				t.Errorf("outcome %s, want %s", a.Outcome, tt.end)
			}
			d.holds("a.md", tt.a)
			d.holds("b.md", tt.b)
		})
	}
}

// No session begins or recovers while another process has the lock.
func TestOneAtATime(t *testing.T) {
	d := newDesk(t)
	d.session(func(*ledger.Session) {
		_, err := d.Begin(context.Background(), "second")
		var locked *fsys.LockedError
		if !errors.Is(err, fsys.ErrLocked) || !errors.As(err, &locked) || !strings.HasPrefix(locked.Holder, "pid ") {
			t.Errorf("begin: %v, want it to say who has the lock", err)
		}
	})
	d.session(func(*ledger.Session) {})
}
