package ledger_test

import (
	"testing"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// Text appended to a hard-linked file must not show under its other name, perhaps outside
// the workspace: the file is replaced by a new one.
func TestAppendToAHardLink(t *testing.T) {
	for _, tt := range []struct {
		name string
		race func(d *desk) error // just before the swap
		want string
	}{
		{"alone", nil, "old\nnew\n"},
		{"while the agent adds", func(d *desk) error { return d.disk.AppendFile("ws/a.md", "theirs\n") }, "old\nnew\ntheirs\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.has("a.md", "old\n")
			ws, err := d.disk.Tree("ws")
			d.must(err)
			d.must(ws.Link("a.md", "other.md"))
			raced := false
			d.disk.OnOp(func(op memfs.Op) {
				if op.Kind == memfs.Exchange && tt.race != nil && !raced {
					raced = true
					d.must(tt.race(d))
				}
			})
			p := plan.Plan{Job: "note", Changes: []plan.Change{{
				Path: "a.md", Op: plan.Append, Before: vault.VersionOf([]byte("old\n")), Old: []byte("old\n"), New: []byte("new\n"),
			}}}
			act := d.apply(p)
			d.disk.OnOp(nil)
			d.holds("a.md", tt.want)
			if tt.race == nil {
				d.holds("other.md", "old\n")
			}
			if act.Outcome != ledger.Done || act.Files[0].Skipped {
				t.Errorf("the action: %+v", act)
			}
			_, err = d.undo(d.last(), false)
			d.must(err)
			d.holds("a.md", map[bool]string{true: "old\n", false: "old\ntheirs\n"}[tt.race == nil])
		})
	}
}
