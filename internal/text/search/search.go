package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
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
	// Now is what dates such as after:7d refer to. With the zero time they do not work.
	Now time.Time
	// Source provides text for snippets; without it hits have none.
	Source Source
	// Current marks hits that a newer one replaced and puts that one first of the two, see current.go. It needs the Source.
	Current bool
}

// Hit is one result.
type Hit struct {
	Agent    string // whose memory it is, if several were searched
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
	Also       []Location

	has   uint64  // the query's words that the entry itself has
	sum   uint32  // see sumOf
	own   float64 // how well the entry and its headings fill them
	plain bool    // it is neither code nor said in a conversation
	lang  lang
}

// Answer is the result of a search. It always says what was and what could not be searched.
type Answer struct {
	Hits     []Hit
	Files    int       // searched
	Units    int       // searched
	Missing  []string  // words of the query that no file has
	Known    float64   // the share of the query that the other words are: with it the scores of several indexes compare
	Notes    []string  // how the query was read, where that may surprise
	Problems []Problem // files that could not be searched or shown
}

const (
	defaultLimit = 10
	maxEntries   = 3 // of a file in a ByFile answer
)

// maxQuery bounds the bytes of a query that are read. More is a text, not a question.
const maxQuery = 2000

// Search answers a query. The same index and request give the same answer; equal scores are ordered by tier, the newer first,
// then by path and line. A
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
	ans := Answer{Files: ix.stats.files, Units: ix.stats.units, Missing: ix.missing(pl), Known: pl.known,
		Notes: pl.notes, Problems: ix.listProblems()}
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

// found is a hit before it is explained.
type found struct {
	in    candidate
	file  *file
	unit  int
	score float64
	more  []found // with ByFile: the best of the file, itself included
}

// better orders hits: by score, then tier, the newer first, path and line.
func better(x, y found) int {
	ux, uy := &x.file.units[x.unit], &y.file.units[y.unit]
	return cmp.Or(
		cmp.Compare(y.score, x.score),
		cmp.Compare(slices.Index(Tiers(), x.file.tier), slices.Index(Tiers(), y.file.tier)),
		cmp.Compare(uy.dayIn(y.file), ux.dayIn(x.file)),
		strings.Compare(x.file.path, y.file.path),
		cmp.Compare(ux.line, uy.line),
		cmp.Compare(x.unit, y.unit),
	)
}

// run reads the candidate files and keeps the best.
func (ix *Index) run(ctx context.Context, pl *plan, r Request) []Hit {
	rd := ix.readers.Get().(*reader)
	defer ix.readers.Put(rd)
	from := rd.pick(ix, pl, r.Limit)
	rd.aim(ix, pl, from)
	var best []found
	for _, c := range from {
		if ctx.Err() != nil {
			break
		}
		f := ix.files[c.slot]
		rd.read(f, c.score)
		var ofFile []found
		for i := range f.units {
			if !rd.hit(i) {
				continue
			}
			var s sum
			rd.score(i, &s)
			if x := (found{in: c, file: f, unit: i, score: s.total}); r.Group == ByFile {
				ofFile = keepBest(ofFile, x, maxEntries, better)
			} else {
				best = keepBest(best, x, r.Limit, better)
			}
		}
		if len(ofFile) > 0 {
			x := ofFile[0]
			x.more = ofFile
			best = keepBest(best, x, r.Limit, better)
		}
	}
	var hits []Hit
	for _, x := range best {
		rd.read(x.file, x.in.score)
		h := rd.explain(x)
		for _, e := range x.more {
			h.Entries = append(h.Entries, rd.explain(e))
		}
		hits = append(hits, h)
	}
	return hits
}

// explain makes a hit of a unit of the file that was read.
func (rd *reader) explain(x found) Hit {
	f, u, um := x.file, x.file.units[x.unit], &rd.units[x.unit]
	s := sum{explain: true}
	rd.score(x.unit, &s)
	slices.SortStableFunc(s.parts, func(a, b Part) int { return cmp.Compare(math.Abs(b.Score), math.Abs(a.Score)) })
	return Hit{
		Path: f.path, Title: f.title, Tier: f.tier, Date: midnight(u.dayIn(f)), Headings: slices.Clone(f.headings[u.section]),
		Line: int(u.line), EndLine: int(u.line) + int(u.more), Score: s.total, Why: s.parts,
		has: um.has, own: um.own, sum: u.sum, plain: !f.talk && u.traits&isCode == 0, lang: f.lang,
	}
}

// String prints a part as "context "harbor" in heading +2.31".
func (p Part) String() string {
	s := p.Name
	if p.Term != "" {
		s += fmt.Sprintf(" %q", p.Term)
	}
	if p.Field != "" {
		s += " in " + p.Field
	}
	return fmt.Sprintf("%s %+.2f", s, p.Score)
}
