package recall

import (
	"cmp"
	"slices"
	"strings"
)

// topFiles ranks files by their best unit.
func (sc *scorer) topFiles(limit int) []Hit {
	files := top[[]found]{limit: limit, compare: func(a, b []found) int {
		path := func(g []found) string { return sc.files[g[0].file].file.path }
		return cmp.Or(cmp.Compare(b[0].score, a[0].score), strings.Compare(path(a), path(b)))
	}}
	for fi := range sc.files {
		units := sc.topUnits(maxEntries)
		sc.file(fi, func(ui int, s float64) { units.offer(found{fi, ui, s}) })
		if best := units.sorted(); len(best) > 0 {
			files.offer(slices.Clone(best))
		}
	}
	var hits []Hit
	for _, best := range files.sorted() {
		h := sc.hit(best[0])
		for _, e := range best {
			h.Entries = append(h.Entries, sc.hit(e))
		}
		hits = append(hits, h)
	}
	return hits
}
