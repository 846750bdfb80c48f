package history

import (
	"context"
	"path/filepath"
	"strings"

	"tend/internal/disk/fsys"
)

// mostPacks is how many packs a repository may have, and mostLoose how many loose objects: each of them has a whole text.
const mostPacks, mostLoose = 48, 500

// repack makes one pack of everything when there are many packs or loose objects. Git reaches all objects by their names
// then, and keeps a text as an edit of another one of its file; those that it has as edits are only copied. It syncs what it
// wrote before it removes anything. A repository that is damaged is for the next sync to find.
func (g Git) repack(ctx context.Context) {
	packs := 0
	for _, name := range g.objects("pack") {
		if strings.HasSuffix(name, ".pack") {
			packs++
		}
	}
	// Loose objects are spread evenly over 256 folders.
	if packs > mostPacks || 256*(len(g.objects("17"))+len(g.objects("a8"))) > 2*mostLoose {
		_, _ = g.git(ctx, nil, "-c", "repack.writeBitmaps=false", "repack", "-a", "-d", "-q", "--window-memory=64m")
	}
}

func (g Git) objects(dir string) (names []string) {
	files, _ := fsys.ReadFolder(filepath.Join(g.Dir, "objects", dir))
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}
