package purge

import (
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
)

func TestFreeName(t *testing.T) {
	var in job.Input
	in.Files = map[vault.Path]vault.Doc{}
	for _, p := range []vault.Path{"a.md", "a-2.md", "a-3.md", "plain"} {
		in.Files[p] = vault.Doc{Path: p, Version: vault.VersionOf([]byte(p))}
	}
	for p, want := range map[vault.Path]vault.Path{"a.md": "a-4.md", "plain": "plain-2", "new.md": "new.md"} {
		if got := freeName(in, p); got != want {
			t.Errorf("%s: %s, want %s", p, got, want)
		}
	}
}
