package ledger_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// On a real disk the kernel knows who has a file open. A writer that never closes a
// displaced file, or a clock that is far ahead, loses nothing.
func TestOpenForWriting(t *testing.T) {
	dir := t.TempDir()
	d := &desk{T: t, now: noon}
	tree := func(name string) fsys.FS {
		d.must(os.Mkdir(filepath.Join(dir, name), 0o700))
		f, err := fsys.Dir(filepath.Join(dir, name))
		d.must(err)
		t.Cleanup(func() { f.Close() })
		return f
	}
	ws, state := tree("ws"), tree("state")
	d.vault = vault.New(ws, state, ledger.LockPath("ada"), ledger.TrashPath("ada"), vault.SyncEach{})
	d.Ledger = ledger.New("ada",
		ledger.Options{State: state, Vault: d.vault, Durable: vault.SyncEach{}, Clock: func() time.Time { return d.now }})

	name := filepath.Join(dir, "ws", "a.md")
	d.must(os.WriteFile(name, []byte("old\n"), 0o644))
	open, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	d.must(err)
	say := func(text string) {
		_, err := io.WriteString(open, text)
		d.must(err)
	}
	d.edit(plan.Write, "a.md", "new\n")
	aged := func(want int) {
		t.Helper()
		if names, err := d.Aged(time.Hour, 0); err != nil || len(names) != want {
			t.Errorf("to be discarded: %v, %v, want %d", names, err, want)
		}
	}
	swept := func(want string) {
		t.Helper()
		d.now = d.now.Add(grace + time.Second)
		if found := d.sweep(); codes(found) != want {
			t.Errorf("found %v, want %s", found, want)
		}
	}
	say("one\n")
	swept(finding.LateWrite.Code)
	swept("")
	say("two\n")
	d.edit(plan.Write, "a.md", "newer\n")
	d.now = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	aged(1) // the second
	swept(finding.LateWrite.Code)
	say("three\n")
	d.must(open.Close())
	aged(2)
	swept(finding.LateWrite.Code)
	swept("")

	list, err := d.Archive.List()
	d.must(err)
	got := map[string]bool{}
	for _, a := range list {
		full, err := d.Archive.Open(a.Name)
		d.must(err)
		got[string(full.Text)] = true
	}
	for _, want := range []string{"old\none\n", "old\none\ntwo\n", "old\none\ntwo\nthree\n"} {
		if !got[want] {
			t.Errorf("%q was not archived: %v", want, got)
		}
	}
}
