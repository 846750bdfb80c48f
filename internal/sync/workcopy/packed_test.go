package workcopy

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tend/internal/state/plan"
	"tend/internal/sync/journal"
	"tend/internal/sync/store/storetest/memstore"
)

// TestJournalPackedMeanwhile: a laptop and a replica are offline for months. Meanwhile another machine writes
// hundreds of entries and the old ones are packed: the numbers that the two would write next are
// free again. Both must see that they are behind, catch up, and lose nothing of their own.
func TestJournalPackedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memstore.New()
		a := pushed(t, s)
		b := clone(t, "desktop", s)
		b.add("memory/2026-11-15.md", "- written on the train\n")
		r := newSeeing(t, "replica", s)
		r.catchUp()
		months := lives(t, s, 2*journal.Every+20)
		time.Sleep(60 * 24 * time.Hour)
		months.write()
		did, err := journal.New(s, "ada").Compact(t.Context(), b.now.Add(60*24*time.Hour), 30*24*time.Hour)
		must(t, err)
		if did.Packs != 1 || did.Entries != journal.Every {
			t.Fatalf("packed %+v", did)
		}
		if behind, err := r.mirror.Behind(t.Context()); err != nil || !behind {
			t.Errorf("the replica treats its old copy as the newest: %v", err)
		}
		if err := r.try(plan.Append, "memory/2026-11-15.md", "- by the replica\n"); err == nil {
			t.Error("the replica wrote on a copy that is months old")
		}
		must(t, r.try(plan.Append, "memory/2026-11-15.md", "- by the replica\n"))
		b.pass(60 * 24 * time.Hour)
		if got := b.sync(); got.Pulled < 2*journal.Every || len(got.Conflicts) > 0 {
			t.Errorf("the laptop's sync: %+v", got)
		}
		a.sync()
		b.sync()
		r.catchUp()
		same(t, a, b)
		for _, m := range []*machine{a, b, r.machine} {
			for _, line := range []string{"- written on the train\n", "- by the replica\n", "- note 1\n", "- note 500\n"} {
				if !strings.Contains(m.get("memory/2026-11-15.md"), line) {
					t.Errorf("%s has no %q", m.name, line)
				}
			}
		}
		if _, err := journal.New(s, "ada").Verify(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestStateRestoredBehindAPack: the state of a machine is restored from a backup of months ago, while a
// process continues that has just seen the end of the journal.
func TestStateRestoredBehindAPack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memstore.New()
		a := pushed(t, s)
		old, err := a.disk.ReadFile("state/agents/ada/store/position.json")
		must(t, err)
		months := lives(t, s, 2*journal.Every+20)
		time.Sleep(60 * 24 * time.Hour)
		months.write()
		_, err = journal.New(s, "ada").Compact(t.Context(), a.now.Add(60*24*time.Hour), 30*24*time.Hour)
		must(t, err)
		a.pass(60 * 24 * time.Hour)
		end := a.sync().Entry
		must(t, a.disk.WriteFile("state/agents/ada/store/position.json", old))
		a.open()
		a.Trust, a.Trusted = true, end
		a.add("facts.md", "- after the backup\n")
		if r := a.sync(); r.Entry <= end {
			t.Errorf("the sync came to entry %d, the journal was at %d", r.Entry, end)
		}
		if _, err := journal.New(s, "ada").Verify(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// life is a machine that writes a line an entry.
type life struct {
	t  *testing.T
	s  *memstore.Store
	at journal.Position
	x  journal.Texts
	n  int
}

// lives writes entries to a journal, as another machine would.
func lives(t *testing.T, s *memstore.Store, entries int) *life {
	t.Helper()
	l := &life{t: t, s: s}
	var err error
	l.x, l.at, err = journal.New(s, "ada").Rebuild(t.Context(), 0)
	must(t, err)
	for range entries {
		l.write()
	}
	return l
}

func (l *life) write() {
	l.t.Helper()
	l.n++
	j := journal.New(l.s, "ada")
	j.Trust()
	const name = "workspace/memory/2026-11-15.md"
	next := fmt.Appendf(bytes.Clone(l.x[name]), "- note %d\n", l.n)
	e := journal.Entry{Writer: "other", Kind: journal.Observed, At: time.Now(),
		Changes: []journal.Change{journal.NewChange(name, l.x[name], next)}}
	l.x[name] = next
	e.Tree = l.x.Tree().Digest()
	var err error
	l.at, err = j.Commit(l.t.Context(), l.at, e)
	must(l.t, err)
	if l.at.N%journal.Every == 0 {
		must(l.t, j.Snapshot(l.t.Context(), l.at, l.x))
	}
}
