package pack

import (
	"testing"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
)

// FuzzSegment reads any file as a segment: nothing panics, and every returned text has its digest.
func FuzzSegment(f *testing.F) {
	f.Add([]byte(`{"v":1,"name":"a","size":1,"sha256":"x","base":1,"from":-1,"cut":9223372036854775807,"text":"y","prev":""}` + "\n"))
	f.Add([]byte(`{"v":1,"name":"a","size":9e9,"sha256":"x","base":1,"edits":[{"from":1,"cut":-1},{"from":9223372036854775807}],"prev":""}` +
		"\n" + `{"v":1,"name":"a","size":0,"base":0,"edits":[],"prev":""}` + "\n"))
	f.Add([]byte("{}\n{\n\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		disk := memfs.New()
		tree, err := disk.Tree("state")
		must(t, err)
		must(t, disk.MkdirAll("state/p"))
		must(t, disk.WriteFile("state/p/trash-000001.jsonl", string(data)))
		p := New(tree, vault.SyncEach{}, "p", "trash")
		_ = p.Each(func(e Entry, err error) error {
			if err == nil && !e.Gone && !e.Purged && digestOf(e.Text) != e.SHA256 {
				t.Errorf("%s is another text", e.Name)
			}
			return nil
		})
		_, _ = p.Verify()
		if err := p.Add([]Entry{{Name: "0000000001.0-x.md", Text: []byte("new")}}); err != nil {
			t.Fatal(err)
		}
		if e, err := p.Get("0000000001.0-x.md"); err != nil || string(e.Text) != "new" {
			t.Errorf("%q %v", e.Text, err)
		}
	})
}
