package recall

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// candidates chooses the files worth reading in full, by slot: all that can satisfy a strict clause, else the most promising.
func (ix *Index) candidates(pl *plan, limit int) []uint32 {
	score := make([]float32, len(ix.files))
	avg := float32(1)
	if ix.words > 0 {
		avg = float32(ix.words) / float32(ix.stats.Files)
	}
	add := func(id uint32, weight float32) {
		postings(ix.dict.info[id].posts, func(slot uint32, c class) {
			n := classCount[c]
			score[slot] += weight * n / (n + fileK1*(1-fileB+fileB*float32(ix.files[slot].length)/avg))
		})
	}
	for _, s := range pl.slots {
		if s.need == excluded {
			continue
		}
		for _, id := range s.main {
			add(id, float32(s.weight))
		}
		// Without a file that has the word itself, those with a stand-in must do; with many, stand-ins only help to rank.
		if files := ix.filesWith(s.main); files < candidates {
			for _, al := range s.also {
				add(al.id, float32(s.weight*al.gain))
			}
		}
	}
	all := len(pl.slots) == 0 || !slices.ContainsFunc(pl.slots, func(s slot) bool { return s.need != excluded })
	var out []uint32
	demands := ix.demands(pl)
	for slot, f := range ix.files {
		if f == nil || !pl.admits(f) {
			continue
		}
		if len(pl.dates) > 0 {
			score[slot] += float32(ix.dateHint(pl, f))
		}
		if !all && score[slot] == 0 {
			continue
		}
		if demands != nil && !demands[slot] {
			continue
		}
		out = append(out, uint32(slot))
	}
	if pl.exacting() || len(out) <= candidates {
		return out
	}
	slices.SortFunc(out, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(score[b], score[a]), strings.Compare(ix.files[a].path, ix.files[b].path))
	})
	return out[:min(len(out), max(candidates, limit))]
}

// exacting says that only reading a file tells whether its units are hits at all.
func (pl *plan) exacting() bool {
	return len(pl.tagSets) > 0 || len(pl.phrases) > 0 && slices.ContainsFunc(pl.phrases, func(p phrase) bool { return p.need != wanted }) ||
		slices.ContainsFunc(pl.slots, func(s slot) bool { return s.need != wanted }) || pl.after != noDay || pl.before != noDay
}

// demands marks the files that have every required word and tag; nil when nothing is required.
func (ix *Index) demands(pl *plan) []bool {
	var sets [][]uint32
	for _, s := range pl.slots {
		if s.need == required {
			sets = append(sets, s.main)
		}
	}
	sets = append(sets, pl.tagSets...)
	for _, ph := range pl.phrases {
		if ph.need == required {
			sets = append(sets, ph.places...)
		}
	}
	if len(sets) == 0 {
		return nil
	}
	met := make([]uint16, len(ix.files))
	for i, ids := range sets {
		for _, id := range ids {
			postings(ix.dict.info[id].posts, func(slot uint32, _ class) {
				if met[slot] == uint16(i) {
					met[slot]++
				}
			})
		}
	}
	out := make([]bool, len(met))
	for slot, n := range met {
		out[slot] = int(n) == len(sets)
	}
	return out
}

func (ix *Index) filesWith(ids []uint32) int {
	n := 0
	for _, id := range ids {
		n += int(ix.dict.info[id].files)
	}
	return n
}

// dateHint lets files from a time the query names in, whatever their words.
func (ix *Index) dateHint(pl *plan, f *file) float64 {
	best := 0.0
	for _, m := range pl.dates {
		best = max(best, m.closeness(f.day))
	}
	return best
}

// admits applies the filters that concern whole files.
func (pl *plan) admits(f *file) bool {
	if len(pl.tiers) > 0 && !slices.Contains(pl.tiers, f.tier) {
		return false
	}
	for _, g := range pl.globs {
		if !matchPath(g, f.path) {
			return false
		}
	}
	return !slices.ContainsFunc(pl.noGlobs, func(g string) bool { return matchPath(g, f.path) })
}

// whyEmpty explains an answer without hits.
func (ix *Index) whyEmpty(pl *plan) string {
	if ix.stats.Files == 0 {
		return "nothing is indexed"
	}
	admitted := 0
	for _, f := range ix.files {
		if f != nil && pl.admits(f) {
			admitted++
		}
	}
	if admitted == 0 {
		return "no file passes the tier: and file: filters"
	}
	if len(pl.slots) == 0 && len(pl.phrases) == 0 && len(pl.tagSets) == 0 {
		if len(pl.missing) > 0 {
			return fmt.Sprintf("no file has %s", strings.Join(pl.missing, ", "))
		}
		return "the query has no words"
	}
	return "no entry meets every condition of the query; try fewer of +, -, tag:, after:, before: and quotes"
}
