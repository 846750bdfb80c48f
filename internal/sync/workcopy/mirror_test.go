package workcopy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
	"tend/internal/sync/journal"
	"tend/internal/sync/store"
	"tend/internal/sync/store/storetest/memstore"
)

// seeing is a machine whose copy is a mirror, like a replica's.
type seeing struct {
	*machine
	mirror *Mirror
	extra  Extra
}

func newSeeing(t testing.TB, name string, s store.Store) *seeing {
	t.Helper()
	return newMachine(t, name, s).seeing()
}

// seeing gives a machine a mirror that has seen nothing yet.
func (x *machine) seeing() *seeing {
	m := &seeing{machine: x, mirror: NewMirror(x.store, "store-1", "ada")}
	m.Ledger = ledger.New("ada", ledger.Options{
		State: m.State, Vault: m.Vault, Durable: vault.SyncEach{}, Clock: m.Clock,
		Accepts: func(p vault.Path) bool { return !p.Hidden() },
		Commit: func(ctx context.Context, c ledger.Commitment) (func(error), error) {
			return m.mirror.Commit(ctx, m.Paths, c, m.extra)
		},
	})
	m.Copy.Ledger = m.Ledger
	return m
}

// within runs do under the agent's lock.
func (m *seeing) within(do func(*ledger.Session) error) error {
	m.t.Helper()
	m.pass(3 * time.Second)
	s, err := m.Ledger.Begin(m.t.Context(), m.name)
	must(m.t, err)
	defer s.Close()
	return do(s)
}

func (m *seeing) catchUp() {
	m.t.Helper()
	must(m.t, m.within(func(s *ledger.Session) error {
		_, err := m.mirror.CatchUp(m.t.Context(), m.Paths, s)
		return err
	}))
}

// try changes a file by one action, planned on the local text.
func (m *seeing) try(op plan.Op, name, text string) error {
	m.t.Helper()
	return m.within(func(s *ledger.Session) error {
		doc, _ := m.Vault.Read(m.t.Context(), vault.Path(name))
		p := plan.Plan{Job: "edit",
			Changes: []plan.Change{{Path: vault.Path(name), Op: op, Before: doc.Version, Old: doc.Data, New: []byte(text)}}}
		if op == plan.Write && len(doc.Data) > 0 {
			p.Archives = []plan.Archive{{File: vault.Path(name), Kind: "notes", Text: doc.Data}}
		}
		_, err := s.Apply(m.t.Context(), p)
		return err
	})
}

// clean fails if anything here is not in the journal: an action must leave exactly what it
// committed.
func (m *seeing) clean() {
	m.t.Helper()
	before := m.mirror.saved.Position
	must(m.t, m.within(func(s *ledger.Session) error { return m.mirror.CommitRest(m.t.Context(), m.Paths, s) }))
	if after := m.mirror.saved.Position; after != before {
		m.t.Errorf("%s had something that was not committed: entry %d", m.name, after.N)
	}
}

// TestMirrorsAgree runs random actions on three mirrors; what each leaves must be what the
// journal says, and all must be equal in the end, as must one that starts empty.
func TestMirrorsAgree(t *testing.T) {
	for seed := range uint64(8) {
		s := memstore.New()
		all := []*seeing{newSeeing(t, "one", s), newSeeing(t, "two", s), newSeeing(t, "three", s)}
		rng := rand.New(rand.NewPCG(seed, 3))
		for _, m := range all {
			m.catchUp()
		}
		files, conflicts := []string{"MEMORY.md", "memory/2026-11-15.md", "deep/er/x.md"}, 0
		for i := range 60 {
			m, name := all[rng.IntN(3)], files[rng.IntN(3)]
			ops := []plan.Op{plan.Append, plan.Append, plan.Write, plan.Remove}
			op := ops[rng.IntN(len(ops))]
			if m.get(name) == "" {
				op = plan.Write
			}
			text := strings.Repeat(fmt.Sprintf("- line %d\n", i), 1+rng.IntN(40))
			err := m.try(op, name, text)
			if errors.Is(err, vault.ErrChanged) {
				conflicts++ // it caught up, so that the next try counts
				if m.get(name) == "" {
					op = plan.Write
				}
				err = m.try(op, name, text)
			}
			if err != nil {
				t.Fatalf("seed %d, %s %s %s: %v", seed, m.name, op, name, err)
			}
			if rng.IntN(6) == 0 {
				m.clean()
			}
		}
		fresh := newSeeing(t, "fresh", s)
		for _, m := range append(all, fresh) {
			m.catchUp()
			m.clean()
			same(t, all[0].machine, m.machine)
		}
		if conflicts == 0 || t.Failed() {
			t.Fatalf("seed %d: %d conflicts", seed, conflicts)
		}
	}
}

// losing is a store whose next creates end in a given way.
type losing struct {
	store.Store
	fail error
	do   bool // it is carried out nevertheless
}

func (l *losing) Create(ctx context.Context, key string, data []byte) error {
	if l.fail == nil {
		return l.Store.Create(ctx, key, data)
	}
	if l.do {
		if err := l.Store.Create(ctx, key, data); err != nil {
			return err
		}
	}
	return l.fail
}

func (l *losing) Get(ctx context.Context, key string) ([]byte, error) {
	if l.fail != nil {
		return nil, l.fail
	}
	return l.Store.Get(ctx, key)
}

// TestMirrorChangesNothingUncommitted: an action that did not reach the store, or may not have,
// changes no file. If it did, the next sync brings it.
func TestMirrorChangesNothingUncommitted(t *testing.T) {
	for _, c := range []struct {
		fail error
		do   bool
		want string
	}{
		{store.ErrUnreachable, false, "- one\n"},
		{store.ErrUnclear, false, "- one\n"},
		{store.ErrUnclear, true, "- one\n- two\n"},
	} {
		s := &losing{Store: memstore.New()}
		m := newSeeing(t, "one", s)
		m.catchUp()
		must(t, m.try(plan.Write, "MEMORY.md", "- one\n"))
		s.fail, s.do = c.fail, c.do
		before := m.all()
		if err := m.try(plan.Append, "MEMORY.md", "- two\n"); !errors.Is(err, c.fail) {
			t.Fatalf("%v: the action gave %v", c.fail, err)
		}
		if got := m.get("MEMORY.md"); got != "- one\n" || len(m.all()) != len(before) {
			t.Errorf("%v: something changed without the store: %q", c.fail, got)
		}
		s.fail = nil
		m.catchUp()
		if got := m.get("MEMORY.md"); got != c.want {
			t.Errorf("%v, carried out %v: the file is %q, want %q", c.fail, c.do, got, c.want)
		}
		must(t, m.try(plan.Append, "MEMORY.md", "- three\n"))
		m.clean()
	}
}

// TestMirrorKeepsForeignText: text that somebody wrote to a mirror's files is merged into the
// journal, and if the mirror has to be built again it is in the trash.
func TestMirrorKeepsForeignText(t *testing.T) {
	s := memstore.New()
	one, two := newSeeing(t, "one", s), newSeeing(t, "two", s)
	one.catchUp()
	must(t, one.try(plan.Write, "MEMORY.md", "- one\n"))
	two.catchUp()
	one.write("MEMORY.md", "- one\n- by hand\n")
	must(t, two.try(plan.Append, "memory/2026-11-15.md", "- two\n"))
	must(t, one.within(func(l *ledger.Session) error { return one.mirror.CommitRest(t.Context(), one.Paths, l) }))
	two.catchUp()
	if got := two.get("MEMORY.md"); got != "- one\n- by hand\n" {
		t.Errorf("the other mirror has %q", got)
	}
	one.write("MEMORY.md", "- never seen by anybody\n")
	one.mirror.made = false
	one.catchUp()
	if got := one.get("MEMORY.md"); got != "- one\n- by hand\n" || !one.holds("never seen by anybody") {
		t.Errorf("built again: %q, and the foreign text is lost", got)
	}
}

// TestMirrorEvicts: a mirror removes its files only when the journal has all of them.
func TestMirrorEvicts(t *testing.T) {
	s := memstore.New()
	m := newSeeing(t, "one", s)
	m.catchUp()
	must(t, m.try(plan.Write, "MEMORY.md", "- one\n"))
	m.write("MEMORY.md", "- one\n- by hand\n")
	evict := func() error {
		return m.within(func(l *ledger.Session) error { return m.mirror.Evict(t.Context(), m.Paths, l) })
	}
	must(t, evict())
	if m.get("MEMORY.md") != "" || m.mirror.Size() != 0 {
		t.Error("the files were not removed")
	}
	x, _, err := journal.New(s, "ada").Rebuild(t.Context(), 0)
	must(t, err)
	if got := string(x[journal.Workspace+"/MEMORY.md"]); got != "- one\n- by hand\n" {
		t.Errorf("the journal has %q: the edit was evicted", got)
	}
	m.catchUp()
	if got := m.get("MEMORY.md"); got != "- one\n- by hand\n" {
		t.Errorf("brought back: %q", got)
	}
}

// TestMirrorServesSlot: a record that goes with an action appears with it everywhere.
func TestMirrorServesSlot(t *testing.T) {
	s := memstore.New()
	one, two := newSeeing(t, "one", s), newSeeing(t, "two", s)
	one.catchUp()
	one.extra = Extra{Slot: "reset 1", Records: map[string][]byte{journal.SlotsFile: []byte("{\"reset\":\"1\"}\n")}}
	must(t, one.try(plan.Write, "MEMORY.md", "- one\n"))
	one.extra = Extra{}
	two.catchUp()
	same(t, one.machine, two.machine)
	if got, _ := two.disk.ReadFile("state/agents/ada/" + journal.SlotsFile); got != "{\"reset\":\"1\"}\n" {
		t.Errorf("the slot is %q", got)
	}
}

// TestCloneReadsSnapshot: a new copy reads the newest snapshot and the entries after it,
// and ends up equal.
func TestCloneReadsSnapshot(t *testing.T) {
	var asked atomic.Int64
	s := memstore.New()
	one := newMachine(t, "one", s)
	one.write("memory/2026-11-15.md", "- first\n")
	_, err := one.Push(t.Context())
	must(t, err)
	for i := range journal.Every + 10 {
		one.add("memory/2026-11-15.md", fmt.Sprintf("- line %d\n", i))
		one.sync()
	}
	two := newMachine(t, "two", store.Counted(s, func(string) { asked.Add(1) }))
	_, err = two.Join(t.Context())
	must(t, err)
	same(t, one, two)
	if n := asked.Load(); n > 30 {
		t.Errorf("the clone took %d requests", n)
	}
}
