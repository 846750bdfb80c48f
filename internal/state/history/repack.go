package history

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"tend/internal/disk/fsys"
)

// mostPacks is how many packs a repository may have, and mostLoose how many loose objects: each of them has a whole text.
const mostPacks, mostLoose = 12, 150

// looseShare: loose objects are spread evenly over 256 folders, and one folder in so many is counted.
const looseShare = 16

// repack makes one pack of everything when there are many packs or loose objects. Git reaches all objects by their names
// then, and keeps a text as an edit of another one of its file; those that it has as edits are only copied. It syncs what it
// wrote before it removes anything. A repository that is damaged is for the next sync to find.
func (g Git) repack(ctx context.Context) {
	packs := 0
	for _, name := range g.objectNames("pack") {
		if strings.HasSuffix(name, ".pack") {
			packs++
		}
	}
	loose := 0
	for dir := range 256 / looseShare {
		loose += looseShare * len(g.objectNames(fmt.Sprintf("%02x", dir)))
	}
	if packs > mostPacks || loose > mostLoose {
		_, _ = g.runGit(ctx, nil, "-c", "repack.writeBitmaps=false", "repack", "-a", "-d", "-q", "--window-memory=64m")
	}
}

func (g Git) objectNames(dir string) (names []string) {
	files, _ := fsys.ReadFolder(filepath.Join(g.Dir, "objects", dir))
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}
