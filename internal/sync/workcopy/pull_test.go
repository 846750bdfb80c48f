package workcopy

import (
	"strings"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/sync/store/storetest/memstore"
)

// newest returns the last action of a machine.
func (m *machine) newest() ledger.Action {
	m.t.Helper()
	for act, err := range m.Ledger.Actions() {
		must(m.t, err)
		return act
	}
	m.t.Fatal("no action")
	return ledger.Action{}
}

// TestPullIsAnAction: what a sync writes is recorded and can be undone, and recording it is no reason to answer: the other
// machine hears of it with the next change.
func TestPullIsAnAction(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	b := clone(t, "desktop", s)
	before := b.get("MEMORY.md")
	a.add("MEMORY.md", "- from the laptop\n")
	a.write("new.md", "new\n")
	at := a.sync().Entry
	if r := b.sync(); r.Pushed != 0 || r.Entry != at {
		t.Errorf("a pull was answered: %+v", r)
	}
	pull := b.newest()
	if !pull.Pulled() || pull.Who != "desktop" || len(pull.Files) != 2 || pull.Files[0].Before != vault.VersionOf([]byte(before)) {
		t.Fatalf("the newest action is %+v", pull.Record)
	}
	if r := b.sync(); r.Pulled+r.Pushed != 0 {
		t.Errorf("there is something left to do: %+v", r)
	}
	b.undo(pull.ID)
	if b.get("MEMORY.md") != before || b.get("new.md") != "" {
		t.Errorf("after the undo: %q, %q", b.get("MEMORY.md"), b.get("new.md"))
	}
	b.sync()
	a.sync()
	if a.get("MEMORY.md") != before || a.get("new.md") != "" {
		t.Errorf("the undo did not reach the other machine: %q", a.get("MEMORY.md"))
	}
	if _, err := a.Ledger.Find(pull.ID); err != nil {
		t.Errorf("the pull did not follow with the next change: %v", err)
	}
	same(t, a, b)
}

// TestPullKeepsSectionsHere: the record of a pull may quote a section that stays on the machine, so it stays too.
func TestPullKeepsSectionsHere(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	b := clone(t, "desktop", s).local()
	b.write("MEMORY.md", "# Memory\n\n- one\n\n## This machine\n\n- a loud fan\n\n## Shared\n\n- two\n")
	b.sync()
	a.sync()
	a.write("MEMORY.md", "# Memory\n\n- one of laptop\n\n## Shared\n\n- two of laptop\n")
	a.sync()
	b.sync()
	if !strings.Contains(b.get("MEMORY.md"), "a loud fan") || !strings.Contains(b.get("MEMORY.md"), "two of laptop") || !b.newest().Pulled() {
		t.Fatalf("not pulled around the section: %q", b.get("MEMORY.md"))
	}
	b.write("other.md", "more\n")
	b.sync()
	a.sync()
	if a.get("other.md") == "" {
		t.Fatal("the next change did not arrive")
	}
	for _, dir := range []string{"ws", "state"} {
		for name, text := range a.disk.Files(dir) {
			if strings.Contains(text, "loud fan") {
				t.Errorf("%s on the other machine has it: %q", name, text)
			}
		}
	}
}

// TestDeletedLineStaysDeleted: the owner deletes lines on one machine while another still has them and changes a line
// beside or between them. The merge does not bring them back, whichever machine syncs first.
func TestDeletedLineStaysDeleted(t *testing.T) {
	for _, first := range []string{"laptop", "desktop"} {
		t.Run(first+" syncs first", func(t *testing.T) {
			s := memstore.New()
			a := pushed(t, s)
			a.write("MEMORY.md", "# Memory\n\n- one\n- two\n- three\n- four\n- five\n")
			a.sync()
			b := clone(t, "desktop", s)
			a.write("MEMORY.md", "# Memory\n\n- one\n- five\n")
			b.write("MEMORY.md", "# Memory\n\n- one by desktop\n- two\n- three by desktop\n- four\n- five\n- six\n")
			x, y := a, b
			if first == "desktop" {
				x, y = b, a
			}
			for range 2 {
				x.sync()
				y.sync()
			}
			want := "# Memory\n\n- one by desktop\n- three by desktop\n- five\n- six\n"
			if a.get("MEMORY.md") != want || b.get("MEMORY.md") != want {
				t.Errorf("laptop %q\ndesktop %q", a.get("MEMORY.md"), b.get("MEMORY.md"))
			}
		})
	}
}
