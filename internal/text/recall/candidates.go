package recall

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// picker chooses the files worth reading in full.
type picker struct {
	score []float32 // by slot
	out   []uint32
}

// pick returns the slots of all files that can satisfy a strict clause, or else of the most promising ones.
func (p *picker) pick(ix *Index, pl *plan, limit int) []uint32 {
	p.score = zeroed(p.score, len(ix.files))
	_, avg := ix.averages()
	ranks := false
	for _, s := range pl.slots {
		if s.need == excluded {
			continue
		}
		ranks = true
		for _, id := range s.main {
			p.add(ix, id, s.weight, avg)
		}
		// If few files have the word itself, also pick files with an alias. If many have it, aliases only help to rank.
		if ix.filesWith(s.main) < candidates {
			for _, al := range s.also {
				p.add(ix, al.id, s.weight*al.gain, avg)
			}
		}
	}
	if !ranks && !pl.lists() {
		return nil
	}
	demands := ix.demands(pl)
	best := top[uint32]{limit: max(candidates, limit), items: p.out[:0], compare: func(a, b uint32) int {
		if p.score[a] != p.score[b] {
			return cmp.Compare(p.score[b], p.score[a])
		}
		return strings.Compare(ix.files[a].path, ix.files[b].path)
	}}
	if pl.exacting() {
		best.limit = len(ix.files)
	}
	for slot, f := range ix.files {
		if f == nil || demands != nil && !demands[slot] {
			continue
		}
		if len(pl.dates) > 0 {
			p.score[slot] += float32(pl.dateHint(f))
		}
		if (ranks || len(pl.dates) > 0) && p.score[slot] == 0 || !pl.admits(f) {
			continue
		}
		best.offer(uint32(slot))
	}
	p.out = best.items
	return p.out
}

// add scores the files that have a term.
func (p *picker) add(ix *Index, id uint32, weight, avg float64) {
	w, a, b := float32(weight), float32(fileK1*(1-fileB)), float32(fileK1*fileB/avg)
	list := ix.dict.info[id].posts
	for slot, i := uint32(0), 0; i < len(list); {
		v, n := uvarint(list[i:])
		i += n
		slot += v >> classBits
		count := classCount[v&(1<<classBits-1)]
		p.score[slot] += w * count / (count + a + b*float32(ix.lengths[slot]))
	}
}

// lists reports whether a query without a word to rank by still selects something: everything that passes its filters. A
// query of common words, signs or a blob selects nothing.
func (pl *plan) lists() bool {
	switch {
	case len(pl.dates) > 0:
		return true
	case len(pl.missing) > 0:
		return false
	case slices.ContainsFunc(pl.phrases, func(ph phrase) bool { return ph.need != excluded && len(ph.places) > 0 }):
		return true
	case slices.ContainsFunc(pl.clauses, func(c clause) bool { return c.need != excluded }):
		return false
	}
	return pl.narrows()
}

// narrows reports whether the query itself has filters, or words that a hit must not have.
func (p *parsed) narrows() bool {
	if p.tiersAsked || p.after != noDay || p.before != noDay {
		return true
	}
	return len(p.clauses)+len(p.tags)+len(p.noTags)+len(p.globs)+len(p.noGlobs) > 0
}

// exacting reports whether a file must be read to know if its units are hits at all.
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

// dateHint scores a file by how close its days are to the dates that the query names.
func (pl *plan) dateHint(f *file) float64 {
	if f.from == noDay {
		return 0
	}
	best := 0.0
	for _, m := range pl.dates {
		nearest := min(max(m.first(f.to), f.from), f.to)
		best = max(best, m.closeness(nearest), m.closeness(f.from), m.closeness(f.to))
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
	if ix.stats.files == 0 {
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
	if len(pl.missing) > 0 {
		return fmt.Sprintf("no file has %s", strings.Join(pl.missing, ", "))
	}
	if !pl.lists() {
		return pl.unsaid()
	}
	return "no entry meets every condition of the query; try fewer of +, -, tag:, after:, before: and quotes"
}

// unsaid explains why a query has nothing to search for.
func (pl *plan) unsaid() string {
	for _, c := range pl.clauses {
		for w := range strings.FieldsSeq(c.text) {
			if len(w) > maxTerm {
				return fmt.Sprintf("words of more than %d bytes are not indexed; look for a part of it as exact text", maxTerm)
			}
		}
	}
	if len(pl.common) > 0 {
		return fmt.Sprintf("only common words (%s): add a word of the topic, or put a phrase in quotes", strings.Join(pl.common, ", "))
	}
	return "the query has no words"
}
