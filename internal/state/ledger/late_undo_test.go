package ledger_test

import (
	"context"
	"strings"
	"testing"

	"tend/internal/model/finding"
	"tend/internal/state/plan"
)

// TestUndoComparesDigests: a process wrote to a displaced file through a descriptor. An
// undo restores all of it and reports how it differs from what the action displaced.
func TestUndoComparesDigests(t *testing.T) {
	for name, tt := range map[string]struct {
		late       string
		over       bool
		want, says string
		from       string
	}{
		"nothing was written": {want: "old\ntext\n"},
		"added to":            {late: "evil\n", want: "old\ntext\nevil\n", says: "written to after"},
		"added to a reset":    {late: "evil\n", want: "old\ntext\nevil\n", says: "written to after", from: "baseline:"},
		"changed":             {late: "EVIL", over: true, want: "EVIL", says: "written to after"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.has("a.md", "old\ntext\n")
			open, err := d.disk.OpenAppend("ws/a.md")
			d.must(err)
			act := d.edit(plan.Write, "a.md", "new\n")
			if tt.over {
				d.must(d.disk.WriteFile("state/trash/ada/"+act.Files[0].Trash, tt.late))
			} else {
				_, err = open.Write([]byte(tt.late))
				d.must(err)
			}
			if tt.from != "" {
				act.Files[0].Edit = nil // as in the record of a reset
			}
			p, err := d.PlanUndo(context.Background(), act, false)
			d.must(err)
			if got := string(p.Changes[0].New); got != tt.want {
				t.Errorf("it restores %q, want %q", got, tt.want)
			}
			said := len(p.Findings) == 1 && p.Findings[0].Code == finding.LateWrite.Code && strings.Contains(p.Summary, tt.says)
			if said != (tt.says != "") {
				t.Fatalf("it says %q and %v", p.Summary, p.Findings)
			}
			if said && !tt.over && !strings.Contains(p.Findings[0].Diff, "+"+tt.late) {
				t.Errorf("the diff is %q", p.Findings[0].Diff)
			}
			if before, err := d.Before(act, 0); err != nil || !tt.over && string(before) != "old\ntext\n" {
				t.Errorf("before it was %q, %v", before, err)
			}
		})
	}
}
