package history

import (
	"context"
	"path/filepath"
	"strings"

	"tend/internal/disk/fsys"
)

// mostPacks is how many packs a repository may have, and mostLoose how many loose objects. Each sync adds some, and git keeps
// no text as an edit of one in another pack.
const mostPacks, mostLoose = 48, 2000

// repack joins small packs and loose objects when there are many. A pack is joined only with ones of about its size, so over
// time each text is written again a few times only. git syncs what it wrote before it removes anything. An older git cannot do
// it, and a repository that is damaged is for the next sync to find: both leave it as it is.
func (g Git) repack(ctx context.Context) {
	packs := 0
	for _, name := range g.objects("pack") {
		if strings.HasSuffix(name, ".pack") {
			packs++
		}
	}
	// Loose objects are spread evenly over 256 folders.
	if packs > mostPacks || len(g.objects("17")) > mostLoose/256 {
		_, _ = g.git(ctx, nil, "repack", "--geometric=2", "-d", "-q")
	}
}

func (g Git) objects(dir string) (names []string) {
	files, _ := fsys.ReadFolder(filepath.Join(g.Dir, "objects", dir))
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}
