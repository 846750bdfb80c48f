package fleet

import (
	"encoding/json"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/carry"
)

// TestWithFiles: the list of files is encoded as the whole would be.
func TestWithFiles(t *testing.T) {
	k := knownHome{At: time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC), Home: carry.Home{Workspace: "/w", Files: map[string][]vault.Version{}}}
	head, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	var docs []vault.Doc
	for _, p := range []vault.Path{"MEMORY.md", "a \"b\"\\\n<c>.md", "é.md"} {
		docs = append(docs, vault.Doc{Path: p, Version: vault.VersionOf([]byte(p))})
		k.Files[string(p)] = []vault.Version{docs[len(docs)-1].Version}
	}
	want, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := withFiles(head, docs); err != nil || string(got) != string(want) {
		t.Errorf("got  %s (%v)\nwant %s", got, err, want)
	}
	if got, err := withFiles(head, nil); err != nil || string(got) != string(head) {
		t.Errorf("without files: %s (%v)", got, err)
	}
}
