package crashtest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/internal/state/plan"
)

// operation is something Tend does that may be interrupted at any point.
type operation struct {
	name  string
	setup func(*world) error
	run   func(*world) error
	// inject is an agent that writes while the operation runs.
	inject func(*world) func(memfs.Op)
	// refused is the expected error, nil for success.
	refused error
	// adds is what that agent appends to the memory file; it may be torn, and must be
	// found once it is on the disk.
	adds string
	// also is what a file may contain besides, if the operation was not acknowledged.
	also texts
	// notes must be found afterwards, besides every line of the files before.
	notes []string
	// redo: not an action of the ledger; it is simply repeated after an interruption.
	redo bool
	// check tests what only this operation guarantees; acked: it had reported success.
	check func(w *world, acked bool) error
}

var memory = "ws/MEMORY.md"

func withNotes(name, notes string) string { return baselines[name] + notes }

// put creates these files in the workspace, private to the agent's user.
func put(w *world, t texts) error {
	for name, text := range t {
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			if err := w.disk.MkdirAll("ws/" + name[:i]); err != nil {
				return err
			}
		}
		if err := w.disk.WriteFile("ws/"+name, text); err != nil {
			return err
		}
		if err := w.disk.Chmod("ws/"+name, 0o600, 1000, 1000); err != nil {
			return err
		}
	}
	return nil
}

func setups(steps ...func(*world) error) func(*world) error {
	return func(w *world) error {
		for _, step := range steps {
			if err := step(w); err != nil {
				return err
			}
		}
		return nil
	}
}

func has(t texts) func(*world) error { return func(w *world) error { return put(w, t) } }
func wait(d time.Duration) func(*world) error {
	return func(w *world) error { w.now = w.now.Add(d); return nil }
}
func reset(names ...string) func(*world) error {
	return func(w *world) error { return w.reset(names...) }
}
func edit(op plan.Op, name, text string) func(*world) error {
	return func(w *world) error { return w.edit(op, name, text) }
}

// appendBefore plays an agent that appends a line just before the nth call of a kind.
func appendBefore(kind memfs.Kind, nth int, line string) func(*world) func(memfs.Op) {
	return func(w *world) func(memfs.Op) {
		return func(op memfs.Op) {
			if op.Kind != kind {
				return
			}
			if nth--; nth == 0 {
				if err := w.disk.AppendFile(memory, line); err != nil {
					panic(err)
				}
				w.disk.Flush()
			}
		}
	}
}

func operations() []operation {
	return []operation{
		{name: "reset", setup: has(texts{"MEMORY.md": withNotes("MEMORY.md", "- paid the pilot\n- tide at six\n")}), run: reset("MEMORY.md")},
		{name: "reset of a later action", setup: setups(
			has(texts{"MEMORY.md": withNotes("MEMORY.md", "- first\n")}), reset("MEMORY.md"),
			has(texts{"MEMORY.md": withNotes("MEMORY.md", "- second\n")})), run: reset("MEMORY.md")},
		{name: "reset of three", setup: has(texts{
			"MEMORY.md": withNotes("MEMORY.md", "- a\n---\n- b"),
			"AGENTS.md": "# Agents\n\nAda works alone.\n\n---\r\n- c\r\n",
			"TOOLS.md":  "# Tools\n\nEverything.\n",
		}), run: reset(files...)},
		{name: "reset of a drifted file", setup: has(texts{"MEMORY.md": "# Who I am\n\nI am the king.\n\n---\n- crown\n"}),
			run: reset("MEMORY.md")},
		{name: "reset creates the file", setup: has(texts{"AGENTS.md": withNotes("AGENTS.md", "- d\n")}), run: reset("MEMORY.md", "AGENTS.md")},
		{name: "reset in a new month", setup: setups(
			has(texts{"MEMORY.md": withNotes("MEMORY.md", "- march\n")}), reset("MEMORY.md"),
			has(texts{"MEMORY.md": withNotes("MEMORY.md", "- april\n")}), wait(2*time.Hour)), run: reset("MEMORY.md")},
		{name: "reset while the agent writes", setup: has(texts{"MEMORY.md": withNotes("MEMORY.md", "- before\n")}),
			inject: appendBefore(memfs.Exchange, 1, "- in between\n"), adds: "- in between\n", run: reset("MEMORY.md")},
		{name: "write", setup: has(texts{"notes.md": "one\ntwo\nthree\n"}), run: edit(plan.Write, "notes.md", "one\nTWO\nthree\n")},
		{name: "write of a new file", setup: has(nil), run: edit(plan.Write, "memory/new/today.md", "fresh\n")},
		{name: "write while the agent writes", setup: has(texts{"MEMORY.md": "one\n"}), inject: appendBefore(memfs.Exchange, 1, "late\n"),
			adds: "late\n",
			run:  edit(plan.Write, "MEMORY.md", "ONE\n"), refused: vault.ErrChanged, also: texts{"MEMORY.md": "ONE\n"}},
		{name: "append", setup: has(texts{"notes.md": "one\n"}), run: edit(plan.Append, "notes.md", "two\n")},
		{name: "append to a new file", setup: has(nil), run: edit(plan.Append, "memory/today.md", "one\n")},
		{name: "remove", setup: has(texts{"old.md": "one\ntwo\n"}), run: edit(plan.Remove, "old.md", "")},
		{name: "curation", setup: has(texts{"MEMORY.md": "hot\n", "log.md": "x\n", "buffer.md": "b1\nb2\n", "day.md": "d\n"}), run: curate},
		{name: "undo", setup: setups(has(texts{"MEMORY.md": withNotes("MEMORY.md", "- u\n"), "AGENTS.md": withNotes("AGENTS.md", "- v\n")}),
			reset("MEMORY.md", "AGENTS.md")), run: func(w *world) error { return w.undo(1, false) }},
		{name: "undo with a merge", setup: setups(has(texts{"MEMORY.md": withNotes("MEMORY.md", "- u\n")}), reset("MEMORY.md"),
			func(w *world) error { return w.disk.WriteFile(memory, "new head\n"+baselines["MEMORY.md"]) }),
			run: func(w *world) error { return w.undo(1, true) }},
		{name: "undo of an append", setup: setups(has(texts{"n.md": "a\n"}), edit(plan.Append, "n.md", "b\n")),
			run: func(w *world) error { return w.undo(1, false) }},
		{name: "restore", setup: setups(has(texts{"n.md": "one\n"}), edit(plan.Write, "n.md", "two\n")), run: restore},
		{name: "archive of a text", setup: has(texts{"n.md": "n\n"}), run: archiveTexts, check: archivedTexts},
		{name: "retention", setup: setups(fourArchives, wait(40*time.Hour)), run: func(w *world) error { return w.retain(1) },
			notes: []string{"- n0", "- n1", "- n2", "- n3"}, check: oneArchive},
		{name: "undo of retention", setup: setups(fourArchives, wait(40*time.Hour), func(w *world) error { return w.retain(1) }),
			run:   (*world).unretain,
			notes: []string{"- n0", "- n1", "- n2", "- n3"}, check: allFour},
		{name: "discard", setup: setups(fourArchives, wait(11*grace), has(texts{"n.md": "n\n"}), edit(plan.Write, "n.md", "N\n")),
			run: (*world).discard, notes: []string{"n\n"}, check: emptied},
		{name: "gzip", setup: setups(fourArchives, wait(2*time.Hour), fourArchives), run: (*world).zip, redo: true,
			notes: []string{"- n0", "- n1", "- n2", "- n3"}, check: zipped},
		{name: "sweep", setup: lateWriter, run: (*world).sweep, notes: []string{"- very late"}, check: sweptText},
		{name: "approval", setup: newBaseline, run: (*world).approve, redo: true, check: approvalsHold},
		{name: "baseline restore", setup: tamper, run: (*world).restoreBaselines, redo: true, notes: []string{"I am the king."}, check: restored},
	}
}

// curate adds to two files and removes from two, as nightly jobs do.
func curate(w *world) error {
	var p plan.Plan
	for _, c := range []struct {
		op         plan.Op
		name, text string
	}{{plan.Append, "log.md", "y\n"}, {plan.Write, "MEMORY.md", "hot\nb1\n"}, {plan.Write, "buffer.md", "b2\n"}, {plan.Remove, "day.md", ""}} {
		one, err := w.change(c.op, c.name, c.text)
		if err != nil {
			return err
		}
		p.Changes = append(p.Changes, one)
	}
	p.Job = "curate"
	p.Archives = []plan.Archive{{File: "day.md", Kind: "daily", Text: []byte("d\n")}}
	return w.apply(p)
}

// zipped checks that months which are over are gzipped. That the actions are all there is checked for every operation.
func zipped(w *world, acked bool) error {
	n, small := 0, 0
	for a, err := range w.ledger.Actions() {
		if err != nil {
			return err
		}
		if len(a.Archives) > 0 {
			n++
		}
	}
	for _, text := range w.state.Files("state/agents/" + agent + "/ledger") {
		if strings.HasPrefix(text, "\x1f\x8b") {
			small++
		}
	}
	if n != 8 || acked && small != 1 {
		return fmt.Errorf("%d actions with an archive, want 8; %d months are gzipped, want 1", n, small)
	}
	return nil
}

// restore writes what the last action displaced.
func restore(w *world) error {
	for a, err := range w.ledger.Actions() {
		if err != nil {
			return err
		}
		text, err := w.ledger.Before(a, 0)
		if err != nil {
			return err
		}
		return w.edit(plan.Write, string(a.Files[0].Path), string(text))
	}
	return errors.New("no action to restore from")
}

func archiveTexts(w *world) error {
	return w.apply(plan.Plan{Job: "archive", Archives: []plan.Archive{
		{File: "n.md", Kind: "daily", Text: []byte("first text")},
		{File: "n.md", Kind: "daily", Text: []byte("second text")},
	}})
}

func archivedTexts(w *world, acked bool) error {
	kept := w.kept()
	if acked && !(strings.Contains(kept, "first text") && strings.Contains(kept, "second text")) {
		return errors.New("an archive that was told to be written is gone")
	}
	return nil
}

func fourArchives(w *world) error {
	for i := range 4 {
		if err := put(w, texts{"MEMORY.md": withNotes("MEMORY.md", fmt.Sprintf("- n%d\n", i))}); err != nil {
			return err
		}
		if err := w.reset("MEMORY.md"); err != nil {
			return err
		}
		w.now = w.now.Add(time.Minute)
	}
	return w.state.WriteFile("state/archive/"+agent+"/mine.md", "a file of the operator's\n")
}

func oneArchive(w *world, acked bool) error {
	list, err := w.ledger.Archive.List()
	if err != nil {
		return err
	}
	if acked && len(list) != 1 {
		return fmt.Errorf("%d archives are left, want 1", len(list))
	}
	if _, err := w.state.ReadFile("state/archive/" + agent + "/mine.md"); err != nil {
		return fmt.Errorf("a file that Tend did not write: %w", err)
	}
	return nil
}

// allFour checks that the retired archives are back and complete.
func allFour(w *world, acked bool) error {
	list, err := w.ledger.Archive.List()
	if err == nil && acked && len(list) != 4 {
		err = fmt.Errorf("%d archives are there, want 4", len(list))
	}
	for _, a := range list {
		full, rerr := w.ledger.Archive.Open(a.Name)
		if rerr == nil && !full.Whole {
			rerr = fmt.Errorf("archive %s is not whole", a.Name)
		}
		err = errors.Join(err, rerr)
	}
	return err
}

// emptied checks that old files have left the trash and young ones have not.
func emptied(w *world, acked bool) error {
	names, err := w.ledger.Aged(10*grace, 0)
	if err == nil && acked && len(names) > 0 {
		err = fmt.Errorf("%v are still in the trash", names)
	}
	return err
}

// lateWriter keeps a file open while it is reset, and writes to it afterwards.
func lateWriter(w *world) error {
	if err := put(w, texts{"MEMORY.md": withNotes("MEMORY.md", "- early\n")}); err != nil {
		return err
	}
	f, err := w.disk.OpenAppend(memory)
	if err != nil {
		return err
	}
	if err := w.reset("MEMORY.md"); err != nil {
		return err
	}
	if _, err := f.Write([]byte("- very late\n")); err != nil {
		return err
	}
	w.now = w.now.Add(grace + time.Hour)
	return f.Close()
}

func sweptText(w *world, acked bool) error {
	if !acked {
		return nil
	}
	for name, text := range w.state.Files("state/archive") {
		if !strings.Contains(name, vault.TempPrefix) && strings.Contains(text, "- very late") {
			return nil
		}
	}
	return errors.New("the late line is in no archive")
}

func newBaseline(w *world) error {
	return w.disk.WriteFile("op/MEMORY.md", "# Who I am\n\nI am Ada the second.\n\n---\n")
}

// approvalsHold checks that an approval never names a missing text.
func approvalsHold(w *world, acked bool) error {
	approvals, err := w.guard.Approvals()
	if err != nil {
		return err
	}
	for _, name := range files {
		a, ok := approvals[vault.Path(name)]
		if !ok {
			return fmt.Errorf("the approval of %s is gone", name)
		}
		text, err := w.guard.Approved(a)
		if err != nil {
			return err
		}
		now, err := w.disk.ReadFile("op/" + name)
		if err != nil {
			return err
		}
		if acked && (string(text) != now || a.Count < 2) {
			return fmt.Errorf("the approval of %s was acknowledged but is missing", name)
		}
	}
	return nil
}

func tamper(w *world) error {
	return w.disk.WriteFile("op/MEMORY.md", "# Who I am\n\nI am the king.\n")
}

func restored(w *world, acked bool) error {
	text, err := w.disk.ReadFile("op/MEMORY.md")
	if err != nil {
		return err
	}
	if text != baselines["MEMORY.md"] && (acked || text != "# Who I am\n\nI am the king.\n") {
		return fmt.Errorf("the baseline is %q", text)
	}
	return nil
}
