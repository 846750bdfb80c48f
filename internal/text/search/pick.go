package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// candidates is how many files are read in full for one query without strict clauses.
const candidates = 64

// candidate is a file worth reading: how well it fits the query as a whole, and that plus what else speaks for reading it.
type candidate struct {
	slot         uint32
	score, merit float32
}

// pick returns all files that can satisfy the strict clauses, or else the most promising ones.
func (rd *reader) pick(ix *Index, pl *plan, limit int) []candidate {
	rd.scores, rd.hints = zeroed(rd.scores, len(ix.files)), zeroed(rd.hints, len(ix.files))
	scores, hints := rd.scores, rd.hints
	norm, perWord := float32(noteK1*(1-noteB)), float32(noteK1*noteB/ix.avgFile())
	add := func(to []float32, id uint32, weight float64) {
		w := float32(weight * (noteK1 + 1))
		for _, p := range ix.dict.info[id].files {
			n, slot := p.count(), p.slot()
			to[slot] += w * n / (n + norm + perWord*float32(ix.lengths[slot]))
		}
	}
	ranks := false
	for _, s := range pl.slots {
		if s.need == excluded || s.filter {
			continue
		}
		ranks = true
		for _, id := range s.ids {
			add(scores, id, s.weight/s.idf*s.fileIDF)
		}
		for _, id := range s.also {
			add(hints, id, s.weight*synonymGain)
		}
	}
	if !ranks && !pl.lists() {
		return nil
	}
	most := max(candidates, limit)
	if pl.exacting() {
		most = len(ix.files)
	}
	demanded := ix.demanded(pl)
	var out []candidate
	for slot, f := range ix.files {
		if f == nil || demanded != nil && !demanded[slot] {
			continue
		}
		c := candidate{uint32(slot), scores[slot], scores[slot] + hints[slot]}
		if len(pl.dates) > 0 {
			c.merit += float32(pl.dateHint(f))
		}
		none := c.merit == 0 && (ranks || len(pl.dates) > 0)
		beaten := len(out) == most && c.merit < out[most-1].merit
		if none || beaten || !pl.admits(f) {
			continue
		}
		if most == len(ix.files) {
			out = append(out, c)
			continue
		}
		out = keepBest(out, c, most, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.merit, a.merit), strings.Compare(ix.files[a.slot].path, ix.files[b.slot].path))
		})
	}
	return out
}

// keepBest puts x into a sorted list of at most n items, the best first.
func keepBest[T any](list []T, x T, n int, compare func(a, b T) int) []T {
	at, _ := slices.BinarySearchFunc(list, x, compare)
	if at >= n {
		return list
	}
	list = slices.Insert(list, at, x)
	return list[:min(len(list), n)]
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
	return pl.tiersAsked || pl.after != noDay || pl.before != noDay ||
		len(pl.clauses)+len(pl.tags)+len(pl.noTags)+len(pl.globs)+len(pl.noGlobs) > 0
}

// exacting reports whether a file must be read to know if its units are hits at all.
func (pl *plan) exacting() bool {
	return pl.after != noDay || pl.before != noDay ||
		slices.ContainsFunc(pl.phrases, func(p phrase) bool { return p.need != wanted }) ||
		slices.ContainsFunc(pl.slots, func(s slot) bool { return s.need != wanted })
}

// demanded marks the files that have every required word, tag and phrase; nil when nothing is required.
func (ix *Index) demanded(pl *plan) []bool {
	var sets [][]uint32
	for _, s := range pl.slots {
		if s.need == required {
			sets = append(sets, s.ids)
		}
	}
	for _, ph := range pl.phrases {
		if ph.need == required {
			sets = append(sets, ph.places...)
		}
	}
	if len(sets) == 0 {
		return nil
	}
	met := make([]int, len(ix.files))
	for i, ids := range sets {
		for _, id := range ids {
			for _, p := range ix.dict.info[id].files {
				if met[p.slot()] == i {
					met[p.slot()]++
				}
			}
		}
	}
	out := make([]bool, len(met))
	for slot, n := range met {
		out[slot] = n == len(sets)
	}
	return out
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
	fits := func(is func(string) bool) bool { return is(f.path) }
	return (len(pl.tiers) == 0 || slices.Contains(pl.tiers, f.tier)) &&
		!slices.ContainsFunc(pl.noPaths, fits) && !slices.ContainsFunc(pl.paths, func(is func(string) bool) bool { return !is(f.path) })
}

// missing lists the words of a query that no file has which passes its filters.
func (ix *Index) missing(pl *plan) []string {
	out := slices.Clone(pl.missing)
	for _, s := range pl.slots {
		said := func(id uint32) bool {
			return slices.ContainsFunc(ix.dict.info[id].files, func(p posting) bool { return pl.admits(ix.files[p.slot()]) })
		}
		if s.weight > 0 && !slices.ContainsFunc(s.ids, said) && !slices.ContainsFunc(s.also, said) && !slices.Contains(out, s.word) {
			out = append(out, s.word)
		}
	}
	return joinPairs(out)
}

// joinPairs puts pairs of characters that continue each other back together, as they stand in the query.
func joinPairs(words []string) []string {
	var out []string
	for _, w := range words {
		first, size := utf8.DecodeRuneInString(w)
		last := len(out) - 1
		if pair := utf8.RuneCountInString(w) == 2; last >= 0 && pair && unspaced(first) && strings.HasSuffix(out[last], w[:size]) {
			out[last] += w[size:]
			continue
		}
		out = append(out, w)
	}
	return out
}

// whyEmpty explains an answer without hits.
func (ix *Index) whyEmpty(pl *plan) string {
	switch {
	case ix.stats.files == 0:
		return "nothing is indexed"
	case !slices.ContainsFunc(ix.files, func(f *file) bool { return f != nil && pl.admits(f) }):
		return "no file passes the tier: and file: filters"
	case len(pl.missing) > 0:
		return fmt.Sprintf("no file has %s", strings.Join(joinPairs(pl.missing), ", "))
	case pl.lists():
		return "no entry meets every condition of the query; try fewer of +, -, tag:, after:, before: and quotes"
	}
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
