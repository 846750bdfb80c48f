package pack_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/internal/state/pack"
)

// row builds the segments of a pack with these entries.
func row(t *testing.T, entries ...pack.Entry) map[string][]byte {
	t.Helper()
	disk := memfs.New()
	if err := disk.MkdirAll("pack"); err != nil {
		t.Fatal(err)
	}
	tree, err := disk.Tree(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := pack.New(tree, vault.NoSync{}, "pack", "seen").Add([]pack.Entry{e}); err != nil {
			t.Fatal(err)
		}
	}
	out := map[string][]byte{}
	for name, text := range disk.Files("pack") {
		out[name[len("pack/"):]] = []byte(text)
	}
	return out
}

func texts(segments map[string][]byte) (list []string) {
	for _, name := range []string{"seen-000001.jsonl", "seen-000002.jsonl"} {
		list = append(list, pack.Names(segments[name])...)
	}
	return list
}

// TestMerge: two machines continue one pack. Merging on either gives the same result, ordered by
// time; a pack that has everything stays as it is; purged texts stay purged.
func TestMerge(t *testing.T) {
	at := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	seen := func(name, text string, after time.Duration) pack.Entry {
		return pack.Entry{Name: name, Text: []byte(text), At: at.Add(after)}
	}
	both := seen("a.md", "both\n", 0)
	mine, other := seen("a.md", "both\nmine\n", 2*time.Hour), seen("a.md", "both\nother\n", time.Hour)
	ours, theirs := row(t, both, mine), row(t, both, other)
	a, err := pack.Merge("seen", ours, theirs)
	if err != nil {
		t.Fatal(err)
	}
	b, err := pack.Merge("seen", theirs, ours)
	if err != nil || !maps.EqualFunc(a, b, bytes.Equal) {
		t.Errorf("the two sides merge to %s and %s: %v", a, b, err)
	}
	if want := row(t, both, other, mine); !maps.EqualFunc(a, want, bytes.Equal) {
		t.Errorf("merged to %s, want %s", a, want)
	}
	for _, part := range []map[string][]byte{ours, theirs, a, nil} {
		if again, err := pack.Merge("seen", part, a); err != nil || !maps.EqualFunc(a, again, bytes.Equal) {
			t.Errorf("merging once more gives %s: %v", again, err)
		}
	}
	added, err := pack.Added(theirs, a)
	if err != nil || fmt.Sprint(pack.Names(added)) != "[a.md]" {
		t.Errorf("added %s: %v", added, err)
	}
	if joined, err := pack.Merge("seen", map[string][]byte{"seen-000001.jsonl": added}, theirs); err != nil ||
		!maps.EqualFunc(a, joined, bytes.Equal) {
		t.Errorf("with what was added it is %s: %v", joined, err)
	}
	purged := pack.Entry{Name: "1r9ay8h441.0-a.md", At: at, Purged: true, SHA256: string(vault.VersionOf([]byte("secret")))}
	whole := pack.Entry{Name: "1r9ay8h441.0-a.md", At: at, Text: []byte("secret")}
	for _, sides := range [][2]map[string][]byte{{row(t, purged), row(t, whole)}, {row(t, whole), row(t, purged)}} {
		m, err := pack.Merge("seen", sides[0], sides[1])
		if err != nil || bytes.Contains(m["seen-000001.jsonl"], []byte("secret")) || len(texts(m)) != 1 {
			t.Errorf("a purged text came back: %s %v", m, err)
		}
	}
	damaged := map[string][]byte{"seen-000001.jsonl": bytes.Replace(ours["seen-000001.jsonl"], []byte("both"), []byte("bath"), 1)}
	if _, err := pack.Merge("seen", damaged, theirs); !errors.Is(err, pack.ErrDamaged) {
		t.Errorf("a damaged pack: %v", err)
	}
}
