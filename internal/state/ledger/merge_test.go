package ledger_test

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"testing"
	"time"

	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// months returns the files of a desk's ledger.
func (d *desk) months() map[string][]byte {
	out := map[string][]byte{}
	for name, text := range d.disk.Files("state/agents/ada/ledger") {
		out[path.Base(name)] = []byte(text)
	}
	return out
}

// TestMerge: two machines continue one ledger, over the end of a month, and merge again.
func TestMerge(t *testing.T) {
	one, two := newDesk(t), newDesk(t)
	one.edit(plan.Append, "log.md", "both\n")
	two.must(two.disk.MkdirAll("state/agents/ada/ledger"))
	for name, text := range one.months() {
		two.must(two.disk.WriteFile("state/agents/ada/ledger/"+name, string(text)))
	}
	var ids []string
	for _, a := range one.actions() {
		ids = append(ids, a.ID)
	}
	two.now = noon.Add(500 * time.Millisecond)
	for range 6 {
		for _, d := range []*desk{one, two} {
			d.now = d.now.Add(3 * time.Hour)
			ids = append(ids, d.edit(plan.Append, "log.md", "line\n").ID)
		}
	}
	slices.Sort(ids)
	a, err := ledger.Merge(one.months(), two.months())
	one.must(err)
	b, err := ledger.Merge(two.months(), one.months())
	one.must(err)
	if !maps.EqualFunc(a, b, bytes.Equal) {
		t.Errorf("the two machines merge to different ledgers:\n%s\n%s", a, b)
	}
	if again, err := ledger.Merge(a, one.months()); err != nil || !maps.EqualFunc(a, again, bytes.Equal) {
		t.Errorf("merging again changes the ledger: %v", err)
	}
	if len(a) != 2 {
		t.Errorf("the ledger has %d months, want 2", len(a))
	}
	for name, text := range a {
		one.must(one.disk.WriteFile("state/agents/ada/ledger/"+name, string(text)))
	}
	if broken, err := one.Verify(); err != nil || len(broken) > 0 {
		t.Errorf("the merged chain is broken at %v, %v", broken, err)
	}
	var got []string
	for _, act := range one.actions() {
		got = append(got, act.ID)
		if act.Outcome != ledger.Done {
			t.Errorf("%s is %s", act.ID, act.Outcome)
		}
		if _, err := one.Find(act.ID); err != nil {
			t.Error(err)
		}
	}
	slices.Reverse(got)
	if !slices.Equal(got, ids) {
		t.Errorf("the merged ledger has %v, want %v", got, ids)
	}
	one.edit(plan.Append, "log.md", "goes on\n")
	if broken, err := one.Verify(); err != nil || len(broken) > 0 {
		t.Errorf("the chain is broken at %v after the next action, %v", broken, err)
	}
}

// TestMergeOneID: two actions with the same id are both kept, once each. It does not matter which machine merges, or how
// often.
func TestMergeOneID(t *testing.T) {
	d := newDesk(t)
	id := d.edit(plan.Append, "log.md", "text\n").ID
	ours := d.months()
	theirs := map[string][]byte{}
	for name, text := range ours {
		theirs[name] = bytes.ReplaceAll(text, []byte("text"), []byte("other"))
	}
	a, err := ledger.Merge(ours, theirs)
	d.must(err)
	b, err := ledger.Merge(theirs, ours)
	d.must(err)
	again, err := ledger.Merge(a, ours)
	d.must(err)
	for _, x := range []map[string][]byte{b, again} {
		if !maps.EqualFunc(a, x, bytes.Equal) {
			t.Errorf("merged to %s and to %s", a, x)
		}
	}
	for _, text := range a {
		if n := bytes.Count(text, []byte(id)); n != 4 {
			t.Errorf("the id is in %d records, want 4: %s", n, text)
		}
	}
}

// TestMergeOutcome: an action that one machine rolled back and the journal has is done.
func TestMergeOutcome(t *testing.T) {
	d := newDesk(t)
	d.edit(plan.Append, "log.md", "text\n")
	done := d.months()
	taken := map[string][]byte{}
	for name, text := range done {
		taken[name] = bytes.Replace(text, []byte(`"state":"done"`), []byte(`"state":"rolled-back"`), 1)
	}
	for _, order := range [][2]map[string][]byte{{done, taken}, {taken, done}} {
		got, err := ledger.Merge(order[0], order[1])
		d.must(err)
		if !maps.EqualFunc(got, done, bytes.Equal) {
			t.Errorf("merged to %s, want %s", got, done)
		}
	}
}
