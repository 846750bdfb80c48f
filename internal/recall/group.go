package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// topFiles ranks files by all their units together: the score of the best, plus what the others add. Scores are on a
// log scale, so a file's is the log of the sum, as if each unit were one chance of being what is looked for.
func (sc *scorer) topFiles(limit int) []Hit {
	type group struct {
		best  []found
		score float64
	}
	var groups []group
	for fi := range sc.files {
		top := bestFirst{scan: sc.scan, limit: maxEntries}
		var scores []float64
		sc.file(fi, func(ui int, s float64) {
			scores = append(scores, s)
			top.offer(found{fi, ui, s})
		})
		if len(scores) == 0 {
			continue
		}
		best := slices.Max(scores)
		sum := 0.0
		for _, s := range scores {
			sum += math.Exp(s - best)
		}
		groups = append(groups, group{top.sorted(), best + math.Log(sum)})
	}
	path := func(g group) string { return sc.files[g.best[0].file].file.path }
	slices.SortFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(path(a), path(b)))
	})
	var hits []Hit
	for _, g := range groups[:min(limit, len(groups))] {
		h := sc.hit(g.best[0])
		if more := g.score - h.Score; more != 0 {
			h.Why = append(h.Why, Part{Name: partNames[partMore], Score: more})
		}
		h.Score = g.score
		for _, e := range g.best {
			h.Entries = append(h.Entries, sc.hit(e))
		}
		hits = append(hits, h)
	}
	return hits
}
