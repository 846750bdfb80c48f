package runner

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/job/table"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

// TestAfter: the input of a chain's next job is the same as if everything had been read again.
func TestAfter(t *testing.T) {
	h := busy(t, map[string]any{"automation": "curate"})
	ctx := context.Background()
	row, _ := table.Named("curate")
	for _, news := range []string{ // the first night creates files, the second changes them
		"", "- 12:00 [decision] releases go out on Tuesday\n- 13:00 [lesson] the cache must be cleared by hand\n",
	} {
		h.add("memory/episodic/2026-11-15.md", news)
		h.set(h.now.Add(3 * time.Hour))
		a := h.agent()
		snap, err := a.Snapshot(ctx)
		must(t, err)
		r, err := runJob(ctx, a, row, Options{Who: "test", Force: true}, &snap)
		must(t, err)
		if r.Action == "" {
			t.Fatalf("nothing was done: %s", r.Summary)
		}
		got, err := a.After(ctx, snap, r.Did)
		must(t, err)
		want, err := a.Snapshot(ctx)
		must(t, err)
		for _, x := range [][2]any{{want.Files, got.Files}, {want.Facts, got.Facts}, {want.Baselines, got.Baselines}} {
			if diff := cmp.Diff(x[0], x[1], cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("after %q:\n%s", news, diff)
			}
		}
	}
}

// TestResetFindsPromoted: a reset keeps promoted entries, whether or not the tally includes them.
func TestResetFindsPromoted(t *testing.T) {
	y := newYard(t, "ada")
	f := y.open(fleet.Options{Write: true})
	a, err := f.Agent(context.Background(), "ada")
	must(t, err)
	defer a.Close()
	reset := func(want string) {
		t.Helper()
		_, err := Job(context.Background(), a, "reset", Options{Who: "test", ByHand: true})
		must(t, err)
		if got := y.read("ada/MEMORY.md"); got != want {
			t.Errorf("reset left %q, want %q", got, want)
		}
	}
	y.write("ada/MEMORY.md", operators+"- jotted\n")
	reset(operators)
	entry := "- [decision] 2026-11-14: the port is 8081"
	_, err = Run(context.Background(), a,
		Request{Options: Options{Who: "test", Force: true}, Job: "curate", Read: Some(a, "MEMORY.md"),
			Plan: func(in job.Input) (plan.Plan, error) {
				doc := in.File("MEMORY.md")
				return plan.Plan{
					Changes: []plan.Change{{Path: doc.Path, Op: plan.Write, Before: doc.Version, Old: doc.Data, New: []byte(operators + entry + "\n"),
						Why: "promote"}},
					Sources: []plan.Source{{Entry: note.Normal(entry[2:]), Target: doc.Path, Path: "memory/log.md", Hash: vault.VersionOf([]byte(entry))}},
				}, nil
			}})
	must(t, err)
	y.write("ada/MEMORY.md", operators+entry+"\n- jotted again\n")
	reset(operators + entry + "\n")
	snap, err := a.Snapshot(context.Background()) // the tally is saved from here on
	must(t, err)
	var memo fleet.Memo
	must(t, a.Note(&memo, snap, false))
	must(t, a.Save(&memo))
	y.write("ada/MEMORY.md", operators+entry+"\n- and again\n")
	reset(operators + entry + "\n")
}

// TestTallyOfAppliedActions: the tally that a night adds its own actions to is the one that the ledger gives when it is read again.
func TestTallyOfAppliedActions(t *testing.T) {
	h := newHome(t, "openclaw@2026.8", "UTC", map[string]any{"automation": "curate", "hot.max_lines": 20})
	h.write("MEMORY.md", "# Memory\n")
	for day := range 12 {
		h.at(fmt.Sprintf("2026-11-%02d 23:00", 10+day))
		h.write(fmt.Sprintf("memory/2026-11-%02d.md", 10+day),
			fmt.Sprintf("- [decision] Queue q%d keeps %d messages from today.\n- [lesson] Never trust gauge g%d before noon.\n"+
				"- [human] Olga wants list l%d on paper.\n", day, 10+day, day, day))
		h.run("nightly")
		saved, err := h.agent().Snapshot(context.Background())
		must(t, err)
		state, err := h.disk.Tree("state")
		must(t, err)
		must(t, state.Remove("agents/ada/cache.json"))
		read, err := h.agent().Snapshot(context.Background())
		must(t, err)
		for name, pair := range map[string][2]any{
			"receipts": {saved.Facts.Receipts, read.Facts.Receipts}, "promoted": {saved.Facts.Remembered.Promoted, read.Facts.Remembered.Promoted},
			"today": {saved.Facts.Remembered.Today, read.Facts.Remembered.Today},
			"left":  {saved.Facts.Audit.Left, read.Facts.Audit.Left}, "removed": {saved.Facts.Removed, read.Facts.Removed},
		} {
			if diff := cmp.Diff(pair[1], pair[0]); diff != "" {
				t.Fatalf("day %d, %s (- from the ledger, + as saved):\n%s", day, name, diff)
			}
		}
		var memo fleet.Memo
		must(t, h.agent().Note(&memo, read, true))
		must(t, h.agent().Save(&memo))
	}
}
