package history

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
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

// TestVersionsOfAFileAreEdits: a year of small changes of one file among others of its size takes little more than the
// file and the changes.
func TestVersionsOfAFileAreEdits(t *testing.T) {
	b := newBench(t)
	r := rand.New(rand.NewPCG(1, 2))
	line := func() string {
		return fmt.Sprintf("- fact %x\n", []uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()})
	}
	files := map[string][]string{}
	for i := range 12 {
		name := fmt.Sprintf("memory/n%d.md", i)
		for range 200 {
			files[name] = append(files[name], line())
		}
	}
	const rounds = 2 * mostLoose / 4
	for range rounds {
		name := fmt.Sprintf("memory/n%d.md", r.IntN(len(files)))
		files[name][r.IntN(200)] = line()
		b.write(name, strings.Join(files[name], ""))
		b.sync()
	}
	size := int64(0)
	b.check(filepath.WalkDir(filepath.Join(b.repo.Git.Dir, "objects"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			i, ierr := d.Info()
			size, err = size+i.Size(), ierr
		}
		return err
	}))
	loose := int64(mostLoose) / 4 * 9 << 10
	if most := 12*14<<10 + int64(rounds)*800 + loose; size > most {
		t.Errorf("%d changes of a line take %d bytes, want at most %d", rounds, size, most)
	}
	t.Logf("%d changes of a line in a file of %d bytes: %d", rounds, len(strings.Join(files["memory/n1.md"], "")), size)
	b.git("fsck", "--strict")
}
