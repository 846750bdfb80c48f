package ledger_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// BenchmarkApply writes one file as one durable action: intent, swap of names, record.
func BenchmarkApply(b *testing.B) {
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	ws, err := fsys.Dir(b.TempDir())
	must(err)
	defer ws.Close()
	state, err := fsys.Dir(b.TempDir())
	must(err)
	defer state.Close()
	v := vault.New(ws, state, ledger.LockPath("ada"), ledger.TrashPath("ada"), vault.SyncEach{})
	l := ledger.New("ada", ledger.Options{State: state, Vault: v, Durable: vault.SyncEach{}, Clock: time.Now})
	ctx := context.Background()
	s, err := l.Begin(ctx, "bench")
	must(err)
	defer s.Close()
	before := vault.Absent
	for n := 0; b.Loop(); n++ {
		text := fmt.Appendf(nil, "# Memory\n\n- note %d\n", n)
		p := plan.Plan{Job: "note", Changes: []plan.Change{{Path: "MEMORY.md", Op: plan.Write, Before: before, New: text}}}
		_, err := s.Apply(ctx, p)
		must(err)
		before = vault.VersionOf(text)
	}
}
