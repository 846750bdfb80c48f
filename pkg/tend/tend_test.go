package tend_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/pkg/tend"
)

// TestFilesAreTheOwners: only the owner can read new files, unless the folder is a group's.
func TestFilesAreTheOwners(t *testing.T) {
	for folderMode, want := range map[os.FileMode]os.FileMode{0o755: 0o600, 0o700: 0o600, 0o770: 0o660, 0o775: 0o664} {
		dir, o := folder(t)
		must(t, os.Chmod(dir, folderMode))
		m := open(t, dir, o)
		if _, err := m.Note(t.Context(), "the port is 8443"); err != nil {
			t.Fatal(err)
		}
		if text, failed := m.Run(t.Context(), []byte(`{"command":"create","path":"/memories/a.md","file_text":"x\n"}`)); failed {
			t.Fatal(text)
		}
		info, err := os.Stat(filepath.Join(dir, "a.md"))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("in a folder of mode %o: %v, %v, want %o", folderMode, info.Mode(), err, want)
		}
		logs, _ := filepath.Glob(filepath.Join(dir, "log", "*.md"))
		if len(logs) != 1 {
			t.Fatal(logs)
		}
		if info, err := os.Stat(logs[0]); err != nil || info.Mode().Perm()&0o077 != 0 && folderMode < 0o770 {
			t.Errorf("a log in a folder of mode %o: %v, %v", folderMode, info.Mode(), err)
		}
	}
}

func TestSavedComesBack(t *testing.T) {
	dir, o := folder(t)
	day := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	o.Clock, o.Location = func() time.Time { return day }, time.UTC
	m := open(t, dir, o)
	noted, err := m.Note(t.Context(), "the staging port is 8443", "decision")
	if err != nil || noted.ID == "" || len(noted.Files) != 1 || noted.Files[0] != "log/2026-11-15.md" {
		t.Fatalf("%+v, %v", noted, err)
	}
	if again, err := m.Note(t.Context(), "the staging port is 8443", "decision"); err != nil || again.ID != "" {
		t.Errorf("noted twice: %+v, %v", again, err)
	}
	if _, err := m.Checkpoint(t.Context(), "the migration stands at step seven"); err != nil {
		t.Fatal(err)
	}
	text, err := m.Context(t.Context(), 0)
	if err != nil || !strings.Contains(text, "8443") || !strings.Contains(text, "step seven") || strings.Contains(text, dir) {
		t.Errorf("the context: %v\n%s", err, text)
	}
	if small, err := m.Context(t.Context(), 60); err != nil || len(small) >= len(text) {
		t.Errorf("a budget of 60 tokens: %v\n%s", err, small)
	}
	found, err := m.Search(t.Context(), "which port has staging?", tend.SearchOptions{})
	if err != nil || len(found.Hits) == 0 || !strings.Contains(found.Hits[0].Text, "8443") || len(found.NotSearched) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
	past, err := m.History(t.Context(), "", 0)
	if err != nil || len(past) != 2 || past[1].ID != noted.ID {
		t.Errorf("%+v, %v", past, err)
	}
}

func TestNewerStatement(t *testing.T) {
	dir, o := folder(t)
	write(t, dir, "log/2026-10-01.md", "## Team\n- Stand-up: 09:00\n")
	write(t, dir, "log/2026-11-01.md", "## Team\n- Stand-up: 10:30\n")
	m := open(t, dir, o)
	found, err := m.Search(t.Context(), "when is stand-up?", tend.SearchOptions{})
	if err != nil || len(found.Hits) != 2 {
		t.Fatalf("%+v, %v", found, err)
	}
	if h := found.Hits[1]; !strings.Contains(h.Text, "09:00") || h.Newer != "log/2026-11-01.md:2" || h.NewerDate != "2026-11-01" {
		t.Errorf("%+v", h)
	}
}

func TestUndo(t *testing.T) {
	dir, o := folder(t)
	m := open(t, dir, o)
	run := func(input string) {
		t.Helper()
		if text, failed := m.Run(t.Context(), []byte(input)); failed {
			t.Fatal(text)
		}
	}
	run(`{"command":"create","path":"/memories/a.md","file_text":"one\ntwo\nthree\nfour\n"}`)
	run(`{"command":"str_replace","path":"/memories/a.md","old_str":"two","new_str":"2"}`)
	run(`{"command":"insert","path":"/memories/a.md","insert_line":4,"insert_text":"five\n"}`)
	past, err := m.History(t.Context(), "a.md", 0)
	if err != nil || len(past) != 3 {
		t.Fatalf("%+v, %v", past, err)
	}
	undone, err := m.Undo(t.Context(), past[1].ID)
	if err != nil || undone.Kind != "undo" || len(undone.Files) != 1 {
		t.Fatalf("%+v, %v", undone, err)
	}
	if got := read(t, dir, "a.md"); got != "one\ntwo\nthree\nfour\nfive\n" {
		t.Errorf("after the undo: %q", got)
	}
	if _, err := m.Undo(t.Context(), undone.ID); err != nil {
		t.Fatal(err)
	}
	if got := read(t, dir, "a.md"); got != "one\n2\nthree\nfour\nfive\n" {
		t.Errorf("after the undo of the undo: %q", got)
	}
	run(`{"command":"str_replace","path":"/memories/a.md","old_str":"2","new_str":"zwei"}`)
	var e *tend.Error
	if _, err := m.Undo(t.Context(), past[1].ID); !errors.As(err, &e) || e.Code != "changed" {
		t.Errorf("an undo of what has changed since: %v", err)
	}
	for id, code := range map[string]string{"nothing": "bad_input", "20200101-000000-0000": "bad_input", "": "bad_input"} {
		if _, err := m.Undo(t.Context(), id); !errors.As(err, &e) || e.Code != code && e.Code != "not_found" {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// TestUndoKeepsTheOperatorsPart: an agent cannot undo what the operator did.
func TestUndoKeepsTheOperatorsPart(t *testing.T) {
	dir, o := folder(t)
	o.Layout = "harness"
	write(t, dir, "IDENTITY.md", "# Ada\n")
	m := open(t, dir, o)
	if text, failed := m.Run(t.Context(), []byte(`{"command":"create","path":"/memories/a.md","file_text":"x\n"}`)); failed {
		t.Fatal(text)
	}
	if got := read(t, dir, "memory/a.md"); got != "x\n" {
		t.Errorf("%q", got)
	}
	if _, err := m.Note(t.Context(), "no log here"); err == nil {
		t.Error("a note without a log")
	}
}

func TestReadOnlyRefusesAll(t *testing.T) {
	dir, o := folder(t)
	write(t, dir, "MEMORY.md", "- the port is 8443\n")
	o.ReadOnly = true
	m := open(t, dir, o)
	for name, do := range map[string]func(context.Context) error{
		"note":       func(ctx context.Context) error { _, err := m.Note(ctx, "x"); return err },
		"checkpoint": func(ctx context.Context) error { _, err := m.Checkpoint(ctx, "x"); return err },
		"undo":       func(ctx context.Context) error { _, err := m.Undo(ctx, "x"); return err },
	} {
		var e *tend.Error
		if err := do(t.Context()); !errors.As(err, &e) || e.Code != "read_only" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := m.Context(t.Context(), 0); err != nil || !strings.Contains(text, "8443") {
		t.Errorf("%v %s", err, text)
	}
	if _, err := os.Stat(o.State); !os.IsNotExist(err) {
		t.Errorf("a state folder was made: %v", err)
	}
}

// TestStateByDefault: each folder has records of its own in the user's state folder.
func TestStateByDefault(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_STATE_HOME", home)
	for range 2 {
		dir, _ := folder(t)
		m := open(t, dir, tend.Options{})
		if _, err := m.Note(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
	}
	if made, err := filepath.Glob(filepath.Join(home, "tend", "folders", "*")); err != nil || len(made) != 2 {
		t.Errorf("%v, %v", made, err)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	must(t, err)
	return string(data)
}

// TestClosed: a call after Close says what is wrong.
func TestClosed(t *testing.T) {
	m, err := tend.Open(t.TempDir(), tend.Options{State: t.TempDir()})
	must(t, err)
	must(t, m.Close())
	if _, err := m.Note(t.Context(), "late"); err == nil || !strings.Contains(err.Error(), "has been closed") {
		t.Errorf("a note after Close: %v", err)
	}
	if _, err := m.Context(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "has been closed") {
		t.Errorf("a context after Close: %v", err)
	}
}

// TestCurate: a program's own model brings the page up to date, and a model that fails costs nothing.
func TestCurate(t *testing.T) {
	dir, o := folder(t)
	m := open(t, dir, o)
	ctx := t.Context()
	if _, err := m.Note(ctx, "the mirror at 10.0.0.5 lags by a day"); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Curate(ctx, func(context.Context, tend.Request) (tend.Answer, error) {
		return tend.Answer{}, errors.New("busy")
	}); err != nil {
		t.Fatal(err)
	}
	got, err := m.Curate(ctx, func(_ context.Context, r tend.Request) (tend.Answer, error) {
		if !strings.Contains(r.Prompt, "the mirror at 10.0.0.5 lags by a day") {
			t.Errorf("the entry was not offered again:\n%s", r.Prompt)
		}
		return tend.Answer{Model: "mine", Output: `Sure: {"op":"keep","from":"e1","quote":"the mirror at 10.0.0.5 lags","under":"Lessons"}`}, nil
	})
	if err != nil || len(got.Decisions) != 1 || got.Decisions[0].Verdict != "accepted" || got.Change.ID == "" {
		t.Fatalf("%v %+v", err, got)
	}
	page, err := os.ReadFile(filepath.Join(dir, "MEMORY.md"))
	if err != nil || !strings.Contains(string(page), "## Lessons\n- the mirror at 10.0.0.5 lags by a day\n") {
		t.Errorf("%v:\n%s", err, page)
	}
}
