package act

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tend/internal/job/table"
)

// TestAfter: what a job of a chain is given once the one before has acted is what reading everything again would give it.
func TestAfter(t *testing.T) {
	for _, name := range []string{"curate", "prune"} {
		h := busy(t, map[string]any{"automation": "curate"})
		a, ctx := h.agent(), context.Background()
		snap, err := a.Snapshot(ctx)
		must(t, err)
		row, _ := table.Named(name)
		r, err := one(ctx, a, row, Options{Who: "test", Force: true}, &snap)
		must(t, err)
		if r.Action == "" {
			t.Fatalf("%s did nothing: %s", name, r.Summary)
		}
		got, err := a.After(ctx, snap, r.Did)
		must(t, err)
		want, err := a.Snapshot(ctx)
		must(t, err)
		for _, x := range [][2]any{{want.Files, got.Files}, {want.Facts, got.Facts}, {want.Baselines, got.Baselines}} {
			if diff := cmp.Diff(x[0], x[1], cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("after %s:\n%s", name, diff)
			}
		}
	}
}
