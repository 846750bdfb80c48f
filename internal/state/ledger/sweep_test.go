package ledger_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

const grace = 24 * time.Hour

func (d *desk) sweep() []finding.Finding {
	d.Helper()
	var found []finding.Finding
	d.session(func(s *ledger.Session) {
		var err error
		found, err = s.Sweep(context.Background(), grace)
		d.must(err)
	})
	return found
}

func codes(list []finding.Finding) string {
	var all []string
	for _, f := range list {
		all = append(all, f.Code)
	}
	return strings.Join(all, " ")
}

// A writer that had the file open writes to it long after it was replaced.
func TestSweepFindsLateWrites(t *testing.T) {
	d := newDesk(t)
	d.has("a.md", "old\n")
	open, err := d.disk.OpenAppend("ws/a.md")
	d.must(err)
	d.edit(plan.Write, "a.md", "new\n")
	_, err = io.WriteString(open, "late\n")
	d.must(err)

	if found := d.sweep(); len(found) > 0 {
		t.Errorf("before the grace period is over: %v", found)
	}
	d.now = d.now.Add(grace + time.Second)
	if found := d.sweep(); codes(found) != finding.LateWrite.Code || found[0].File != "a.md" {
		t.Errorf("found %v", found)
	}
	list, err := d.Archive.List()
	d.must(err)
	if len(list) != 1 {
		t.Fatalf("%d archives, want 1", len(list))
	}
	if a, err := d.Archive.Open(list[0].Name); err != nil || string(a.Text) != "old\nlate\n" || a.Kind != "late" || a.File != "a.md" {
		t.Errorf("archive %+v, %v", a, err)
	}
	d.now = d.now.Add(grace)
	if found := d.sweep(); len(found) > 0 {
		t.Errorf("found again: %v", found)
	}
	d.holds("a.md", "new\n")
}

func TestSweepDue(t *testing.T) {
	d := newDesk(t)
	due := func() (is bool) {
		var err error
		is, err = d.SweepDue()
		d.must(err)
		return is
	}
	if !due() {
		t.Error("the first sweep is not due")
	}
	d.sweep()
	if due() {
		t.Error("a sweep is due again at once")
	}
	d.now = d.now.Add(grace)
	if !due() {
		t.Error("no sweep is due after a day")
	}
	now := d.now
	d.now = now.AddDate(40, 0, 0)
	d.sweep()
	d.now = now
	if !due() {
		t.Error("a clock that was wrong once prevents sweeps for years")
	}
	d.sweep()
	for _, broken := range []string{"", "{", `{"upto":"../x"}`} {
		d.must(d.disk.WriteFile("state/agents/ada/swept.json", broken))
		if !due() {
			t.Errorf("with a mark that reads %q no sweep is due", broken)
		}
	}
}

// Temporary files of actions that are in no ledger go to the trash, others stay.
func TestSweepClearsUp(t *testing.T) {
	d := newDesk(t)
	d.has("memory.md", "x\n")
	d.must(d.disk.MkdirAll("ws/dir"))
	d.edit(plan.Append, "dir/a.md", "a\n")
	d.disk.SetTime(d.now)
	d.must(d.disk.WriteFile("state/agents/ada/"+vault.TempPrefix+"old.json.7.1", "half"))
	d.now = d.now.Add(2 * grace)
	d.disk.SetTime(d.now)
	d.must(d.disk.WriteFile("state/agents/ada/"+vault.TempPrefix+"new.json.7.1", "half"))
	young := d.edit(plan.Append, "dir/a.md", "b\n").ID
	for _, name := range []string{
		vault.TempPrefix + "15fk3g0000.0-memory.md",
		"dir/" + vault.TempPrefix + "15fk3g0000.3-a.md",
		vault.TempPrefix + young + ".0-memory.md", // no older than the grace period
		vault.TempPrefix + "theirs",
	} {
		d.has(name, "left over")
	}
	d.must(d.disk.WriteFile("state/archive/ada/"+vault.TempPrefix+"x.md", "half"))
	d.must(d.disk.WriteFile("state/trash/ada/"+vault.TempPrefix+"x.md", "half"))
	if found := d.sweep(); codes(found) != "recovered recovered" {
		t.Errorf("found %v", found)
	}
	got := d.disk.Files(".")
	for name, want := range map[string]string{
		"ws/" + vault.TempPrefix + "theirs":                     "left over",
		"ws/" + vault.TempPrefix + young + ".0-memory.md":       "left over",
		"state/trash/ada/15fk3g0000.0-memory.md":                "left over",
		"state/trash/ada/15fk3g0000.3-a.md":                     "left over",
		"ws/" + vault.TempPrefix + "15fk3g0000.0-memory.md":     "",
		"ws/dir/" + vault.TempPrefix + "15fk3g0000.3-a.md":      "",
		"state/archive/ada/" + vault.TempPrefix + "x.md":        "",
		"state/trash/ada/" + vault.TempPrefix + "x.md":          "",
		"state/agents/ada/" + vault.TempPrefix + "swept.json":   "",
		"state/agents/ada/" + vault.TempPrefix + "old.json.7.1": "",
		"state/agents/ada/" + vault.TempPrefix + "new.json.7.1": "half", // it may be in use
		"state/agents/ada/ledger/" + vault.TempPrefix + "x.tmp": "",
	} {
		if got[name] != want {
			t.Errorf("%s holds %q, want %q", name, got[name], want)
		}
	}
}

// Agents may share one folder of archives: files of the others are left alone.
func TestSharedArchives(t *testing.T) {
	d := newDesk(t)
	state, err := d.disk.Tree("state")
	d.must(err)
	d.Ledger = ledger.New("ada", ledger.Options{
		State: state, Vault: d.vault, Durable: vault.SyncEach{}, Clock: func() time.Time { return d.now },
		Archives: state, Archive: "archive/team", Shared: true,
	})
	d.apply(plan.Plan{Job: "reset", Archives: []plan.Archive{{File: "a.md", Kind: "notes", Text: []byte("mine\n")}}})
	mine, err := d.Archive.List()
	d.must(err)
	d.now = d.now.Add(2 * grace)
	young := d.edit(plan.Write, "b.md", "b\n").ID
	theirs := map[string]string{
		"state/archive/team/2020-01-01_120000-15fk3g0000.md":                            "# ben: notes\n\ntheirs\n",
		"state/archive/team/" + vault.TempPrefix + "2026-04-02_120001-" + young + ".md": "half", // being written
		"state/archive/team/" + vault.TempPrefix + "anything":                           "half",
	}
	left := "state/archive/team/" + vault.TempPrefix + "2020-01-01_120000-15fk3g0000.md" // from a killed process
	d.must(d.disk.WriteFile(left, "half"))
	for name, text := range theirs {
		d.must(d.disk.WriteFile(name, text))
	}
	d.sweep()
	got := d.disk.Files(".")
	for name, want := range theirs {
		if got[name] != want {
			t.Errorf("%s holds %q, want %q", name, got[name], want)
		}
	}
	if _, there := got[left]; there {
		t.Errorf("%s is still there", left)
	}
	if list, err := d.Archive.List(); err != nil || len(list) != 1 || list[0].Name != mine[0].Name {
		t.Errorf("ada's archives: %+v, %v", list, err)
	}
}

// Text written at the moment of a reset is archived and reported.
func TestLateWrite(t *testing.T) {
	for _, tt := range []struct {
		name, add, archived string
	}{
		{name: "added to", add: "old\nmore\n", archived: "more\n"},
		{name: "rewritten", add: "other\n", archived: "other\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.has("a.md", "old\n")
			c := d.change(plan.Write, "a.md", "new\n")
			c.Force = true
			d.disk.OnOp(func(op memfs.Op) {
				if op.Kind == memfs.Exchange {
					d.must(d.disk.WriteFile("ws/a.md", tt.add))
				}
			})
			var act ledger.Action
			d.session(func(s *ledger.Session) {
				var err error
				act, err = s.Apply(context.Background(), plan.Plan{Job: "reset", Changes: []plan.Change{c}})
				d.must(err)
				if codes(s.Recovered) != finding.LateWrite.Code {
					t.Errorf("found %v", s.Recovered)
				}
			})
			d.disk.OnOp(nil)
			d.holds("a.md", "new\n")
			if len(act.Archives) != 1 || act.Files[0].Was != vault.VersionOf([]byte(tt.add)) {
				t.Fatalf("action %+v", act)
			}
			if a, err := d.Archive.Open(act.Archives[0]); err != nil || string(a.Text) != tt.archived {
				t.Errorf("archive %+v, %v, want %q", a, err, tt.archived)
			}
			if before, err := d.Before(d.last(), 0); err != nil || string(before) != tt.add {
				t.Errorf("before: %q, %v", before, err)
			}
		})
	}
}

// A file that changed while earlier ones were changed is skipped and reported.
func TestSkippedFile(t *testing.T) {
	d := newDesk(t)
	d.has("a.md", "a\n")
	d.has("b.md", "b\n")
	p := plan.Plan{Job: "curate", Changes: []plan.Change{d.change(plan.Write, "a.md", "A\n"), d.change(plan.Remove, "b.md", "")}}
	n := 0
	d.disk.OnOp(func(op memfs.Op) {
		if op.Kind == memfs.Move {
			if n++; n == 1 {
				d.must(d.disk.AppendFile("ws/b.md", "more\n"))
			}
		}
	})
	act := d.apply(p)
	d.disk.OnOp(nil)
	if !act.Files[1].Skipped || act.Files[0].Skipped {
		t.Errorf("action %+v", act.Files)
	}
	d.holds("a.md", "A\n")
	d.holds("b.md", "b\nmore\n")
	_, err := d.undo(d.last(), false)
	d.must(err)
	d.holds("a.md", "a\n")
	d.holds("b.md", "b\nmore\n")
}

// After a clock was far ahead, later actions are still checked.
func TestSweepAfterAWrongClock(t *testing.T) {
	d := newDesk(t)
	d.has("a.md", "old\n")
	d.now = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	d.edit(plan.Write, "a.md", "from the future\n")
	d.now = noon
	open, err := d.disk.OpenAppend("ws/a.md")
	d.must(err)
	d.edit(plan.Write, "a.md", "new\n")
	_, err = io.WriteString(open, "late\n")
	d.must(err)
	d.now = d.now.Add(grace + time.Second)
	if found := d.sweep(); codes(found) != finding.LateWrite.Code {
		t.Errorf("found %v, want the late write", found)
	}
	if found := d.sweep(); len(found) > 0 {
		t.Errorf("found once more: %v", found)
	}
}
