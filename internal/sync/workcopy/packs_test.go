package workcopy

import (
	"strings"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/pack"
	"tend/internal/state/plan"
	"tend/internal/sync/store/storetest/memstore"
)

// packs adds texts to one of a machine's packs.
func (m *machine) packs(kind string, entries ...pack.Entry) {
	m.t.Helper()
	m.pass(time.Second)
	for i := range entries {
		entries[i].At = m.now
	}
	must(m.t, pack.New(m.State, vault.SyncEach{}, ledger.PackPath("ada"), kind).Add(entries))
}

// discard moves a file from the trash to the pack.
func (m *machine) discard(name string) {
	m.t.Helper()
	text, err := m.disk.ReadFile("state/trash/ada/" + name)
	must(m.t, err)
	m.packs("trash", pack.Entry{Name: name, Text: []byte(text)})
	must(m.t, m.disk.Remove("state/trash/ada/"+name))
}

// TestPacks: texts that left the trash and observed texts reach every machine, no matter which
// one packed them, and packed texts leave the store's trash.
func TestPacks(t *testing.T) {
	t.Run("shared", func(t *testing.T) {
		s := memstore.New()
		ms := []*machine{pushed(t, s), clone(t, "desktop", s)}
		tryPacks(t, ms, func() {
			for range 2 {
				for _, m := range ms {
					m.sync()
				}
			}
		}, func() *machine { return clone(t, "third", s) })
	})
	t.Run("syncing", func(t *testing.T) {
		ms, c := inFolders(t, 1, "laptop", "desktop")
		founded(t, ms[0])
		c.carry(1)
		_, err := ms[1].Join(t.Context())
		must(t, err)
		tryPacks(t, ms, func() { syncAll(t, ms, c) }, nil)
	})
}

func tryPacks(t *testing.T, ms []*machine, meet func(), third func() *machine) {
	a, b := ms[0], ms[1]
	first := a.act(plan.Write, "MEMORY.md", "# Memory\n\n- first\n")
	meet()
	second := b.act(plan.Write, "MEMORY.md", "# Memory\n\n- second\n")
	meet()
	a.discard(first.ID + ".0-MEMORY.md")
	b.discard(second.ID + ".0-MEMORY.md")
	a.packs("seen", pack.Entry{Name: "MEMORY.md", Text: []byte("seen by a\n")})
	b.packs("seen", pack.Entry{Name: "MEMORY.md", Text: []byte("seen by b\n")})
	b.discard(first.ID + ".0-MEMORY.md") // both may do it
	meet()
	same(t, a, b)
	a.packs("seen", pack.Entry{Name: "MEMORY.md", Text: []byte("seen by a, later\n")})
	meet()
	same(t, a, b)
	for _, m := range ms {
		for _, name := range []string{first.ID + ".0-MEMORY.md", second.ID + ".0-MEMORY.md"} {
			if _, err := pack.New(m.State, vault.SyncEach{}, ledger.PackPath("ada"), "trash").Get(name); err != nil {
				t.Errorf("%s is not in the pack of %s: %v", name, m.name, err)
			}
			if _, err := m.disk.ReadFile("state/trash/ada/" + name); err == nil {
				t.Errorf("%s is still in the trash of %s", name, m.name)
			}
		}
		seen, err := m.disk.ReadFile("state/agents/ada/pack/seen-000001.jsonl")
		if err != nil || strings.Count(seen, "\n") != 3 {
			t.Errorf("%s has seen %q", m.name, seen)
		}
		if r := m.sync(); r.Pulled+r.Pushed != 0 {
			t.Errorf("%s is not quiet: %+v", m.name, r)
		}
	}
	if third != nil {
		same(t, a, third())
	}
	// A damaged pack is not sent.
	must(t, a.disk.WriteFile("state/agents/ada/pack/seen-000001.jsonl", "{}\n"))
	if r := a.sync(); r.Pushed != 0 {
		t.Errorf("a damaged pack was sent: %+v", r)
	}
}
