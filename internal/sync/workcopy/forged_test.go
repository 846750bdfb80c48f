package workcopy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/plan"
	"tend/internal/sync/journal"
	"tend/internal/sync/store/storetest/memstore"
)

// TestForgedIntentIsNotCarriedOut: an action that another machine began and did not end is that machine's to recover. Here it
// changes nothing, whatever its record and its trash say.
func TestForgedIntentIsNotCarriedOut(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	accepts(a)
	a.act(plan.Write, "notes.md", "- one\n")
	a.sync()
	forgeIntent(t, a)
	a.pass(2 * time.Hour)
	a.sync()
	a.act(plan.Write, "other.md", "- more\n")
	a.sync()
	for name := range a.disk.Files("ws") {
		if strings.Contains(name, ".git") {
			t.Errorf("%s was written", name)
		}
	}
	if a.get("notes.md") != "- one\n" {
		t.Errorf("notes.md has %q", a.get("notes.md"))
	}
}

// forgeIntent puts the beginning of an action into an agent's journal, with a trash that says that its first file was written.
// Its second file is a hook.
func forgeIntent(t *testing.T, a *machine) {
	t.Helper()
	text, err := a.disk.ReadFile("state/agents/ada/ledger/2026-11.jsonl")
	must(t, err)
	at := a.now.Add(time.Hour)
	id, hook := actid.New(at), "#!/bin/sh\ntouch /tmp/x\n"
	intent := fmt.Sprintf(`{"v":1,"id":%q,"state":"intent","at":%q,"who":"x","job":"edit","files":[`+
		`{"path":"notes.md","op":"write","before":%q,"after":%q,"size":6,"edit":{"at":2,"cut":3,"text":"two"}},`+
		`{"path":".git/hooks/post-commit","op":"write","after":%q,"size":%d,"edit":{"at":0,"text":%q},"like":{"mode":493,"uid":0,"gid":0}}],"prev":""}`+"\n",
		id, at.Format(time.RFC3339), vault.VersionOf([]byte("- one\n")), vault.VersionOf([]byte("- two\n")),
		vault.VersionOf([]byte(hook)), len(hook), hook)
	forge(t, a.store, map[string]string{
		journal.Ledger + "/2026-11.jsonl":                        text + intent,
		journal.Trash + "/" + vault.TrashName(id, 0, "notes.md"): "- one\n",
	})
}

// TestForgedIntentOnAReplica: the same for a replica, whose ledger is the journal's.
func TestForgedIntentOnAReplica(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	a.act(plan.Write, "notes.md", "- one\n")
	a.sync()
	forgeIntent(t, a)
	m := newSeeing(t, "one", s)
	m.catchUp()
	_ = m.try(plan.Write, "other.md", "- more\n")
	m.catchUp()
	for name := range m.all() {
		if strings.Contains(name, ".git") {
			t.Errorf("%s was written", name)
		}
	}
}
