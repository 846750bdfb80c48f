package recall

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Grouping says what a hit is.
type Grouping uint8

// The two granularities of an answer.
const (
	ByEntry Grouping = iota
	ByFile
)

// Source gives the current text of a file, for snippets.
type Source func(path string) (string, error)

// Request is one search.
type Request struct {
	Query string
	// Limit is the number of hits wanted; 0 means 10.
	Limit int
	Group Grouping
	// Tiers restricts the search, as tier: in the query does; nil searches all.
	Tiers []Tier
	// Now is what recency and dates such as after:7d refer to. With the zero time neither works.
	Now time.Time
	// HalfLife is the age at which being recent counts half; 0 ranks old and new alike.
	HalfLife time.Duration
	// Source provides text for snippets; without it hits have none.
	Source Source
	// Current marks hits that a newer one replaced and puts that one first of the two, see current.go. It needs the Source.
	Current bool
}

// Hit is one result.
type Hit struct {
	Path     string
	Title    string // of the file
	Tier     Tier
	Date     time.Time // of the entry, else of its file; zero if neither has one
	Headings []string
	Line     int
	EndLine  int
	Score    float64
	Why      []Part
	Snippet  Snippet
	Entries  []Hit // with ByFile: the best entries of the file, without their own snippets
	// With Current: the newer entry that took its place, nil if there is none, and where else the same is said.
	Superseded *Superseded
	Also       []Place

	has   uint64  // the query's words that the entry itself has
	sum   uint32  // see sumOf
	own   float64 // how well the entry and its headings fill them
	plain bool    // it is neither code nor said in a conversation
}

// Answer is the result of a search. It always says what was and what could not be searched.
type Answer struct {
	Hits     []Hit
	Files    int       // searched
	Units    int       // searched
	Missing  []string  // words of the query that no file has
	Notes    []string  // how the query was read, where that may surprise
	Problems []Problem // files that could not be searched or shown
}

const (
	defaultLimit = 10
	maxEntries   = 3 // of a file in a ByFile answer
)

// maxQuery bounds the bytes of a query that are read. More is a text, not a question.
const maxQuery = 2000

// Search answers a query. The same index and request give the same answer; equal scores are ordered by tier, path and line. A
// search that is cancelled returns what it has; the caller looks at the context.
func (ix *Index) Search(ctx context.Context, r Request) Answer {
	if r.Limit <= 0 {
		r.Limit = defaultLimit
	}
	query, long := firstWords(r.Query, maxQuery)
	p := parseQuery(query, r.Now)
	if long {
		p.notes = append(p.notes, fmt.Sprintf("the query is long; searched for its first %d bytes", len(query)))
	}
	if len(r.Tiers) > 0 {
		p.restrictTiers(r.Tiers)
	}
	limit := r.Limit
	r.Current = r.Current && r.Source != nil && r.Group == ByEntry
	if r.Current {
		r.Limit = wider * limit
	}
	ans, pl := ix.rank(ctx, p, r)
	if r.Source == nil {
		return ans
	}
	texts := &texts{source: r.Source, files: map[string]*fileText{}}
	if r.Current {
		ans.Hits = ix.current(ans.Hits, limit, texts, pl)
	}
	ix.addSnippets(&ans, pl, texts)
	return ans
}

// firstWords cuts a text to at most n bytes, between words where it has any.
func firstWords(s string, n int) (head string, more bool) {
	if len(s) <= n {
		return s, false
	}
	head = s[:n]
	if i := strings.LastIndexAny(head, " \t\n"); i > 0 {
		return head[:i], true
	}
	return strings.ToValidUTF8(head, ""), true
}

// restrictTiers narrows the query's tiers to the caller's.
func (p *parsed) restrictTiers(allowed []Tier) {
	if len(p.tiers) == 0 {
		p.tiers = slices.Clone(allowed)
		return
	}
	p.tiers = slices.DeleteFunc(p.tiers, func(t Tier) bool { return !slices.Contains(allowed, t) })
	if len(p.tiers) == 0 {
		p.tiers = []Tier{"none"}
	}
}

// rank does everything that needs the read lock.
func (ix *Index) rank(ctx context.Context, p parsed, r Request) (Answer, *plan) {
	a := ix.analyzers.Get().(*analyzer)
	defer ix.analyzers.Put(a)
	ix.mu.RLock()
	defer ix.mu.RUnlock()

	pl := ix.compile(p, a, r.Now)
	if r.HalfLife > 0 {
		pl.today, pl.halfLife = dayOf(r.Now), r.HalfLife.Hours()/24
	}
	ans := Answer{Files: ix.stats.files, Units: ix.stats.units, Missing: pl.missing, Notes: pl.notes, Problems: ix.listProblems()}
	ans.Hits = ix.run(ctx, pl, r)
	if len(ans.Hits) == 0 && pl.relax() {
		if ans.Hits = ix.run(ctx, pl, r); len(ans.Hits) > 0 {
			ans.Notes = append(ans.Notes, "no entry has the quoted phrase; these have its words")
		}
	}
	if len(ans.Hits) == 0 {
		ans.Notes = append(ans.Notes, ix.whyEmpty(pl))
	}
	return ans, pl
}

// relax lets quoted phrases without a + only rank, and reports whether there were any.
func (pl *plan) relax() bool {
	changed := false
	for i := range pl.phrases {
		if ph := &pl.phrases[i]; ph.need == required && !ph.firm {
			ph.need, changed = wanted, true
		}
	}
	return changed
}

// found is a hit before it is explained.
type found struct {
	file, unit int // of the scan
	score      float64
}

// workbench holds the buffers of a query, for reuse by the next.
type workbench struct {
	scan   scan
	scorer scorer
	picker picker
}

// run reads the candidate files and keeps the best.
func (ix *Index) run(ctx context.Context, pl *plan, r Request) []Hit {
	w := ix.benches.Get().(*workbench)
	defer ix.benches.Put(w)
	w.scan.aim(ix, pl)
	defer w.scan.done()
	for _, slot := range w.picker.pick(ix, pl, r.Limit) {
		if ctx.Err() != nil {
			break
		}
		w.scan.read(ix.files[slot])
	}
	sc := &w.scorer
	sc.aim(&w.scan)
	if r.Group == ByFile {
		return sc.topFiles(r.Limit)
	}
	best := sc.topUnits(r.Limit)
	for fi := range sc.files {
		sc.file(fi, func(ui int, score float64) { best.offer(found{fi, ui, score}) })
	}
	hits := make([]Hit, 0, len(best.items))
	for _, h := range best.sorted() {
		hits = append(hits, sc.hit(h))
	}
	return hits
}

// topUnits keeps the best units: by score, then tier, path and line.
func (s *scan) topUnits(limit int) top[found] {
	return top[found]{limit: limit, compare: func(x, y found) int {
		if x.score != y.score {
			return cmp.Compare(y.score, x.score)
		}
		fx, fy := s.files[x.file].file, s.files[y.file].file
		return cmp.Or(
			cmp.Compare(slices.Index(Tiers(), fx.tier), slices.Index(Tiers(), fy.tier)),
			strings.Compare(fx.path, fy.path),
			cmp.Compare(fx.units[x.unit].line, fy.units[y.unit].line),
			cmp.Compare(x.unit, y.unit),
		)
	}}
}
