package vault_test

import (
	"bytes"
	"context"
	"testing"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
)

// TestReadLike: the version is right, whether or not the file has the expected text.
func TestReadLike(t *testing.T) {
	ctx := context.Background()
	d := memfs.New()
	must(t, d.MkdirAll("ws"))
	v := vault.New(treeOf(t, d, "ws"), treeOf(t, d, "ws"), lock, trash, vault.SyncEach{})
	known := []byte("# Rules\n")
	for _, text := range []string{"# Rules\n", "# rules\n", "# Rules\nmore\n", ""} {
		must(t, d.WriteFile("ws/a.md", text))
		for name, like := range map[string][]byte{"known": known, "nothing": nil} {
			version := vault.Absent
			if like != nil {
				version = vault.VersionOf(like)
			}
			doc, err := v.ReadLike(ctx, "a.md", like, version)
			if err != nil || !bytes.Equal(doc.Data, []byte(text)) || doc.Version != vault.VersionOf([]byte(text)) {
				t.Errorf("%q like %s: %+v, %v", text, name, doc, err)
			}
		}
	}
}
