package workcopy

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"tend/internal/state/ledger"
	"tend/internal/state/plan"
	"tend/internal/sync/journal"
	"tend/internal/sync/store"
	"tend/internal/sync/store/storetest/memstore"
	"tend/test/light"
)

// step is something that a replica, or a machine that clones, does at once.
type step struct {
	name    string
	fresh   bool // it begins with nothing
	history int  // entries before it
	do      func(m *seeing) error
	// once is a line that is in the log once if the step succeeds, and at most once otherwise.
	once string
	// kept is a line that was written here by hand: it must be in the journal or kept here.
	kept string
}

func steps() []step {
	return []step{
		{name: "commit", once: "- committed", do: func(m *seeing) error { return m.try(plan.Append, log, "- committed\n") }},
		{name: "replace", do: func(m *seeing) error { return m.try(plan.Write, "MEMORY.md", "# Memory\n\n- anew\n") }},
		{name: "snapshot", history: journal.Every - 1, once: "- committed",
			do: func(m *seeing) error { return m.try(plan.Append, log, "- committed\n") }},
		{name: "catch up", once: "- of two", do: func(m *seeing) error {
			return m.within(func(l *ledger.Session) error { _, err := m.mirror.CatchUp(m.t.Context(), m.Paths, l); return err })
		}},
		{name: "commit the rest", kept: "- by hand", do: func(m *seeing) error {
			m.add("MEMORY.md", "- by hand\n")
			return m.within(func(l *ledger.Session) error { return m.mirror.CommitRest(m.t.Context(), m.Paths, l) })
		}},
		{name: "evict", kept: "- by hand", do: func(m *seeing) error {
			m.add("MEMORY.md", "- by hand\n")
			return m.within(func(l *ledger.Session) error { return m.mirror.Evict(m.t.Context(), m.Paths, l) })
		}},
		{name: "build a mirror", fresh: true, do: func(m *seeing) error {
			return m.within(func(l *ledger.Session) error { _, err := m.mirror.CatchUp(m.t.Context(), m.Paths, l); return err })
		}},
	}
}

const log = "memory/2026-11-15.md"

// scene prepares a step: a mirror that is up to date, and, if the step is to fetch them,
// entries of another replica that it has not seen.
func (s step) scene(t *testing.T) (*memstore.Store, *seeing) {
	st := memstore.New()
	two := newSeeing(t, "two", st)
	two.catchUp()
	must(t, two.try(plan.Write, "MEMORY.md", "# Memory\n\n- one\n"))
	must(t, two.try(plan.Write, log, "# Log\n"))
	for two.mirror.saved.Position.N < uint64(s.history) {
		must(t, two.try(plan.Append, log, fmt.Sprintf("- past %d\n", two.mirror.saved.Position.N)))
	}
	m := newSeeing(t, "one", st)
	if !s.fresh {
		m.catchUp()
	}
	if s.name == "catch up" {
		must(t, two.try(plan.Append, log, "- of two\n"))
		must(t, two.try(plan.Write, "MEMORY.md", "# Memory\n\n- two\n"))
		must(t, two.try(plan.Write, "deep/er/x.md", "x\n"))
		must(t, two.try(plan.Remove, "deep/er/x.md", ""))
	}
	return st, m
}

// recovered checks what must be true after the next request to the store, whatever happened.
func (s step) recovered(t *testing.T, what string, st *memstore.Store, m *seeing, succeeded bool) {
	t.Helper()
	m.catchUp()
	once, at := m.all(), m.mirror.saved.Position
	m.catchUp()
	if !maps.Equal(once, m.all()) || m.mirror.saved.Position != at {
		t.Errorf("%s: a second recovery changed something", what)
	}
	m.clean()
	fresh := newSeeing(t, "fresh", st)
	fresh.catchUp()
	same(t, fresh.machine, m.machine)
	text := m.get(log)
	if n := strings.Count(text, s.once); s.once != "" && (n > 1 || succeeded && n != 1) {
		t.Errorf("%s: %q is in the log %d times", what, s.once, n)
	}
	if s.kept != "" && !m.holds(s.kept) {
		t.Errorf("%s: the text written by hand is lost", what)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// TestMirrorRequestsFail: each request to the store of each step fails, before or after it is
// carried out, and so do all that follow. The next sync must make the copy match the journal.
func TestMirrorRequestsFail(t *testing.T) {
	points := 0
	for _, s := range steps() {
		for _, when := range []memstore.When{memstore.Before, memstore.After} {
			for k, more := 1, true; more; k++ {
				st, m := s.scene(t)
				n := 0
				st.Break(memstore.Alone(func(w memstore.When, op, _ string) error {
					if w == memstore.Before {
						n++
					}
					switch {
					case n < k || n == k && w < when:
						return nil
					case op == "create" && w == memstore.After:
						return store.ErrUnclear
					}
					return store.ErrUnreachable
				}))
				err := s.do(m)
				st.Break(nil)
				what := fmt.Sprintf("%s, request %d, when %d", s.name, k, when)
				if more = n >= k; more {
					points++
				}
				if err != nil && !errors.Is(err, store.ErrUnclear) && !errors.Is(err, store.ErrUnreachable) {
					t.Fatalf("%s: %v", what, err)
				}
				s.recovered(t, what, st, m, err == nil)
			}
		}
	}
	t.Logf("%d failures of requests", points)
	if points < 25 {
		t.Error("this tests too little")
	}
}

// TestMirrorKilled: the replica is killed after every operation on its disk of each step, and
// another one starts with its folder.
func TestMirrorKilled(t *testing.T) {
	points := 0
	for _, s := range steps() {
		st, m := s.scene(t)
		type moment struct {
			ops   int
			store *memstore.Store
		}
		past := []moment{{0, st.Clone()}}
		m.disk.Flush()
		m.disk.Record()
		st.Break(memstore.Alone(func(w memstore.When, op, _ string) error {
			if w == memstore.After && op != "get" && op != "list" {
				past = append(past, moment{m.disk.Len(), st.Clone()})
			}
			return nil
		}))
		must(t, s.do(m))
		st.Break(nil)
		for i, p := range past {
			end := m.disk.Len()
			if i+1 < len(past) {
				end = past[i+1].ops
			}
			for n := p.ops; n <= end; n++ {
				if points++; points%light.Cases(1, 7, 21) != 0 {
					continue
				}
				left := p.store.Clone()
				x := &machine{t: t, name: "one", disk: m.disk.KillAt(n), now: m.now, store: left}
				x.disk.SetTime(m.now)
				x.open()
				y := x.seeing()
				s := s
				if y.get("MEMORY.md") == "" || !strings.Contains(y.get("MEMORY.md"), s.kept) && !y.holds(s.kept) {
					s.kept = "" // killed before it was written, or after the journal had all of it
				}
				s.recovered(t, fmt.Sprintf("%s, killed behind operation %d, %d requests", s.name, n, i), left, y, i > 0 && s.name != "catch up")
			}
		}
	}
	t.Logf("killed at %d points", points)
	if points < 120 {
		t.Error("this tests too little")
	}
}

// TestCloneKilled: a machine that clones an agent is killed after every operation on its
// disk, and its requests fail. Cloning again ends with the same files.
func TestCloneKilled(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	a.act(plan.Append, log, "- laptop\n")
	a.sync()
	b := newMachine(t, "desktop", s)
	b.disk.Flush()
	b.disk.Record()
	must(t, func() error { _, err := b.Join(t.Context()); return err }())
	again := func(what string, x *machine) {
		t.Helper()
		_, err := x.Join(t.Context())
		must(t, err)
		same(t, a, x)
		was := x.all()
		if r := x.sync(); r.Pulled+r.Pushed != 0 || !maps.Equal(was, x.all()) {
			t.Fatalf("%s: not quiet: %+v", what, r)
		}
		if t.Failed() {
			t.Fatal(what)
		}
	}
	points := 0
	for n := 0; n <= b.disk.Len(); n += light.Cases(1, 5, 15) {
		points++
		x := &machine{t: t, name: "desktop", disk: b.disk.KillAt(n), now: b.now, store: s.Clone()}
		x.disk.SetTime(b.now)
		x.open()
		again(fmt.Sprintf("killed behind operation %d", n), x)
	}
	for k, more := 1, true; more; k++ {
		st := s.Clone()
		x, n := newMachine(t, "desktop", st), 0
		st.Break(memstore.Alone(func(w memstore.When, _, _ string) error {
			if w == memstore.Before {
				n++
			}
			if n >= k {
				return store.ErrUnreachable
			}
			return nil
		}))
		_, err := x.Join(t.Context())
		st.Break(nil)
		if more = n >= k; more {
			points++
		}
		if err != nil && !errors.Is(err, store.ErrUnreachable) {
			t.Fatal(err)
		}
		again(fmt.Sprintf("request %d failed", k), x)
	}
	t.Logf("%d points", points)
}
