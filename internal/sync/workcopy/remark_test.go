package workcopy

import (
	"context"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/sync/store/storetest/memstore"
)

func codes(found []finding.Finding) map[string]int {
	out := map[string]int{}
	for _, f := range found {
		out[f.Code]++
	}
	return out
}

// TestLeftOut: a memory file that cannot be read is not sent, and every sync reports that until it
// can be read; a file that stays on the machine is not reported.
func TestLeftOut(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	read := a.Memory
	a.Memory = func(ctx context.Context) (map[vault.Path]vault.Doc, map[vault.Path]string, error) {
		files, _, err := read(ctx)
		unread := map[vault.Path]string{}
		for f, why := range map[vault.Path]string{"memory/huge.md": "is larger than file.max_bytes",
			"HOST.md": "is larger than file.max_bytes", "node_modules": "lies too deep"} {
			unread[f] = why
			delete(files, f)
		}
		return files, unread, err
	}
	a.Local = func(f vault.Path) bool { return f == "HOST.md" }
	for range 2 {
		r := a.sync()
		if len(r.Findings) != 1 || r.Findings[0].Code != "store-left-out" || r.Findings[0].File != "memory/huge.md" {
			t.Errorf("%+v", r.Findings)
		}
		saved, _, err := a.Load()
		must(t, err)
		if got := saved.Findings("ada"); len(got) != 1 || got[0].Text != "it is larger than file.max_bytes, so it is not in the store" {
			t.Errorf("between syncs: %+v", got)
		}
	}
	a.Memory = read
	if r := a.sync(); len(r.Findings) > 0 {
		t.Errorf("it can be read: %+v", r.Findings)
	}
	if saved, _, _ := a.Load(); len(saved.Findings("ada")) > 0 {
		t.Errorf("it can be read: %+v", saved.LeftOut)
	}
}

// TestNewcomer: a machine that writes for the first time is reported once. Those that a clone
// found there are not.
func TestNewcomer(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	a.Who = "ada@laptop"
	b := clone(t, "desktop", s)
	b.Who = "ada@desktop"
	for i, want := range []int{1, 0} {
		b.add("facts.md", "- one more\n")
		b.sync()
		if r := a.sync(); codes(r.Findings)["store-newcomer"] != want {
			t.Errorf("sync %d: %+v", i, r.Findings)
		}
	}
	a.add("facts.md", "- from the laptop\n")
	a.sync()
	if r := b.sync(); len(r.Findings) > 0 {
		t.Errorf("the machine it was cloned from: %+v", r.Findings)
	}
	c := clone(t, "phone", s)
	c.Who = "eve@elsewhere"
	c.add("facts.md", "- from elsewhere\n")
	c.sync()
	for _, m := range []*machine{a, b} {
		if r := m.sync(); codes(r.Findings)["store-newcomer"] != 1 {
			t.Errorf("%s: %+v", m.name, r.Findings)
		}
	}
}

// TestNewcomersUnderOtherNames: names in the journal are what a writer says, so none of them keeps a newcomer from being
// reported.
func TestNewcomersUnderOtherNames(t *testing.T) {
	for _, name := range []string{"ada@laptop", "ada", "", "ada@", "replica@pod"} {
		s := memstore.New()
		a := pushed(t, s)
		a.Who = "ada@laptop"
		b := clone(t, "desktop", s)
		b.Who = "ada@desktop"
		b.add("facts.md", "- one more\n")
		b.sync()
		a.sync()
		eve := clone(t, "phone", s)
		eve.Who = name
		eve.add("facts.md", "- from elsewhere\n")
		eve.sync()
		if r := a.sync(); codes(r.Findings)["store-newcomer"] != 1 {
			t.Errorf("%q: %+v", name, r.Findings)
		}
	}
}
