package workcopy

import (
	"cmp"
	"context"
	"errors"
	"testing"

	"tend/internal/model/finding"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
	"tend/internal/sync/store/storetest/memstore"
)

// TestRefusedPull: a file that must not be changed from outside stops the sync before anything is written; later it goes on.
func TestRefusedPull(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	b := clone(t, "desktop", s)
	a.write("MEMORY.md", "# Memory\n\n- one\n- from the laptop\n")
	a.write("SOUL.md", "also new\n")
	a.sync()
	before := b.get("MEMORY.md")
	refusal := errors.New("only its agent may write it")
	run := b.Run
	b.Run = func(ctx context.Context, read func(context.Context) (plan.Plan, error),
		commit func(context.Context, *ledger.Session, plan.Plan) (ledger.Action, error)) ([]finding.Finding, error) {
		return run(ctx, func(ctx context.Context) (plan.Plan, error) {
			pl, err := read(ctx)
			if len(pl.Changes) != 2 || pl.Changes[0].Path != "MEMORY.md" {
				t.Errorf("the plan changes %+v", pl.Changes)
			}
			return pl, cmp.Or(err, refusal)
		}, commit)
	}
	if _, err := b.Sync(t.Context()); !errors.Is(err, refusal) {
		t.Errorf("the sync: %v", err)
	}
	if b.get("MEMORY.md") != before || b.get("SOUL.md") == "also new\n" {
		t.Error("something was written")
	}
	b.Run = run
	b.sync()
	same(t, a, b)
}
