package history

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestManySyncsLeaveFewPacks: many syncs, each with more than git leaves loose, and no commit is missing.
func TestManySyncsLeaveFewPacks(t *testing.T) {
	b := newBench(t)
	const syncs = mostPacks + 12
	for i := range syncs {
		for j := range 110 {
			b.write(fmt.Sprintf("memory/n%d.md", j), strings.Repeat(fmt.Sprintf("- round %d of note %d\n", i, j), 3))
		}
		b.sync()
	}
	packs, err := filepath.Glob(filepath.Join(b.repo.Git.Dir, "objects", "pack", "*.pack"))
	b.check(err)
	if len(packs) == 0 || len(packs) > mostPacks {
		t.Errorf("%d packs after %d syncs", len(packs), syncs)
	}
	if n := len(b.subjects()); n < syncs {
		t.Errorf("%d commits, want at least %d", n, syncs)
	}
	b.git("fsck", "--strict")
}
