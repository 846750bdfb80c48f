package web

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/fleet"
	"tend/internal/memory"
	"tend/internal/recall"
	"tend/internal/words"
)

// How many agents are searched at once, how many hits are shown, and how long it may take.
const searchedAgents, mostHits, searchFor = 40, 30, 8 * time.Second

type searchPage struct {
	Query    string
	Agent    string
	Past     bool
	Hits     []hit
	Searched int
	Total    int // agents
	Next     string
	Entries  int
	Problems []string
	Notes    []string
}

// hit is an entry that was found.
type hit struct {
	Agent      string
	Path       string
	Line       int
	Tier       string
	Date       string
	Headings   string
	Superseded string
	Pieces     []piece // Lost marks what matches
	Why        []string
	Score      float64
	Kept       bool // it is no file of the workspace
}

// searchPage finds entries of one agent or of many.
func (s *Site) searchPage(v *visit) error {
	q := v.r.URL.Query()
	s.followConfig()
	s.board.visit()
	p := searchPage{Query: words.Clip(strings.TrimSpace(q.Get("q")), 400), Agent: q.Get("agent"), Past: q.Get("past") != ""}
	if p.Agent != "" {
		if err := v.known(p.Agent); err != nil {
			return err
		}
	}
	if p.Query == "" {
		return v.render("search", "Search", p)
	}
	names := []string{p.Agent}
	p.Total = 1
	if p.Agent == "" {
		from, _ := strconv.Atoi(q.Get("from"))
		c := s.board.page(1, 0, from, searchedAgents)
		names, p.Total = names[:0], c.total
		for _, r := range c.rows {
			names = append(names, r.Name)
		}
		if next := from + len(names); next < c.total {
			u := url.Values{"q": {p.Query}, "from": {strconv.Itoa(next)}}
			if p.Past {
				u.Set("past", "1")
			}
			p.Next = "/search?" + u.Encode()
		}
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), searchFor)
	defer cancel()
	found := make([]searchPage, len(names))
	fleet.Parallel(len(names), 4, func(i int) { found[i] = s.searchOne(ctx, names[i], p) })
	for i, f := range found {
		p.Hits, p.Problems = append(p.Hits, f.Hits...), append(p.Problems, f.Problems...)
		p.Entries += f.Entries
		if p.Searched++; len(names) == 1 {
			p.Notes = found[i].Notes
		}
	}
	slices.SortStableFunc(p.Hits, func(x, y hit) int {
		switch {
		case x.Score > y.Score:
			return -1
		case x.Score < y.Score:
			return 1
		}
		return strings.Compare(x.Agent, y.Agent)
	})
	p.Hits, p.Problems = p.Hits[:min(len(p.Hits), mostHits)], p.Problems[:min(len(p.Problems), 10)]
	return v.render("search", "Search", p)
}

func (s *Site) searchOne(ctx context.Context, name string, p searchPage) (out searchPage) {
	problem := func(err error) searchPage {
		out.Problems = append(out.Problems, name+": "+err.Error())
		return out
	}
	if err := ctx.Err(); err != nil {
		return problem(err)
	}
	f, done := s.house.Use()
	defer done()
	a, err := f.Agent(ctx, name)
	if err != nil {
		return problem(err)
	}
	defer a.Close()
	m := memory.New(a, memory.Options{Log: s.o.Log})
	defer m.Close()
	found, err := m.Search(ctx, memory.SearchRequest{Query: p.Query, Past: p.Past, Limit: mostHits})
	if err != nil {
		return problem(err)
	}
	for _, h := range found.Hits {
		out.Hits = append(out.Hits, hitOf(name, h))
	}
	for _, x := range found.Problems {
		out.Problems = append(out.Problems, name+": "+x.Path+": "+x.Reason)
	}
	out.Entries, out.Notes = found.Units, found.Notes
	return out
}

func hitOf(agent string, h recall.Hit) hit {
	x := hit{Agent: agent, Path: h.Path, Line: h.Line, Tier: string(h.Tier), Headings: strings.Join(h.Headings, " > "), Score: h.Score}
	x.Kept = h.Tier == recall.Archive || h.Tier == recall.History
	if !h.Date.IsZero() {
		x.Date = h.Date.Format(time.DateOnly)
	}
	if by := h.Superseded; by != nil {
		x.Superseded = by.By.Path + ":" + strconv.Itoa(by.By.Line)
	}
	at, text := 0, h.Snippet.Text
	const most = 600
	for _, m := range h.Snippet.Matches {
		if m.Start < at || m.End > min(len(text), most) {
			continue
		}
		x.Pieces = append(x.Pieces, piece{words.Safe(text[at:m.Start]), false}, piece{words.Safe(text[m.Start:m.End]), true})
		at = m.End
	}
	x.Pieces = append(x.Pieces, piece{words.Safe(words.Clip(text[at:], most)), false})
	for _, w := range h.Why {
		if len(x.Why) < 8 {
			x.Why = append(x.Why, w.String())
		}
	}
	return x
}
