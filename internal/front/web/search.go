package web

import (
	"cmp"
	"context"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/app/memory"
	"tend/internal/engine/fleet"
	"tend/internal/model/textfmt"
	"tend/internal/text/search"
)

// A search of many agents takes them in turn for searchShare; the next page searches the rest. A page shows mostHits.
// The time is checked after every searchAtOnce agents, and slow ones may take searchSlow more.
const mostHits, searchAtOnce, searchShare, searchSlow = 30, 16, 2 * time.Second, 8 * time.Second

type searchPage struct {
	Query    string
	Agent    string
	Past     bool
	Hits     []hit
	From     int // agents searched by earlier pages
	Searched int // agents searched so far
	Total    int // agents
	Next     string
	Entries  int
	Problems []string
	Failed   int
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
	Stored     bool // it is not a file of the workspace
}

// searchPage finds entries of one agent or of many.
func (s *Site) searchPage(_ context.Context, v *visit) error { // it ends with the request, with its own timeout
	q := v.r.URL.Query()
	p := searchPage{Query: textfmt.Clip(strings.TrimSpace(q.Get("q")), 400), Agent: q.Get("agent"), Past: q.Get("past") != "" || !q.Has("q")}
	if p.Agent != "" {
		if err := v.known(p.Agent); err != nil {
			return err
		}
	}
	if p.Query == "" {
		return v.render("search", "Search", p)
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), s.searchFor+searchSlow)
	defer cancel()
	if p.Agent != "" {
		p.Total = 1
		p.search(ctx, s, []string{p.Agent})
		return v.render("search", "Search", p)
	}
	from, _ := strconv.Atoi(q.Get("from"))
	p.From = max(0, from)
	p.Searched = p.From
	for began := time.Now(); ; {
		c := s.board.page(orderNamed("name"), 0, "", p.Searched, searchAtOnce)
		p.Total = c.total
		if len(c.rows) == 0 || p.Searched > p.From && time.Since(began) > s.searchFor || ctx.Err() != nil {
			break
		}
		p.search(ctx, s, c.names())
	}
	if p.Searched < p.Total {
		u := url.Values{"q": {p.Query}, "from": {strconv.Itoa(p.Searched)}}
		if p.Past {
			u.Set("past", "1")
		}
		p.Next = "/search?" + u.Encode()
	}
	return v.render("search", "Search", p)
}

// search adds the agents' hits to the page, best first.
func (p *searchPage) search(ctx context.Context, s *Site, names []string) {
	found := make([]searchPage, len(names))
	fleet.Parallel(len(names), runtime.GOMAXPROCS(0), func(i int) { found[i] = s.searchOne(ctx, names[i], *p) })
	for _, f := range found {
		p.Hits = append(p.Hits, f.Hits...)
		p.Entries += f.Entries
		p.Searched++
		p.Failed += len(f.Problems)
		if p.Problems = append(p.Problems, f.Problems...); p.Agent != "" {
			p.Notes = f.Notes
		}
	}
	slices.SortStableFunc(p.Hits, func(x, y hit) int { return cmp.Or(cmp.Compare(y.Score, x.Score), strings.Compare(x.Agent, y.Agent)) })
	p.Hits, p.Problems = p.Hits[:min(len(p.Hits), mostHits)], p.Problems[:min(len(p.Problems), 10)]
}

func (s *Site) searchOne(ctx context.Context, name string, p searchPage) (out searchPage) {
	problem := func(err error) searchPage {
		out.Problems = append(out.Problems, name+": "+err.Error())
		return out
	}
	if err := ctx.Err(); err != nil {
		return problem(err)
	}
	f, done := s.backend.Use()
	defer done()
	a, err := f.Agent(ctx, name)
	if err != nil {
		return problem(err)
	}
	defer a.Close()
	m := memory.New(a, memory.Options{Log: s.o.Log})
	found, err := m.Finder.Search(ctx, memory.SearchRequest{Query: p.Query, Past: p.Past, Limit: mostHits})
	if err != nil {
		return problem(err)
	}
	for _, h := range found.Hits {
		h.Score *= found.Known // so that the scores of several agents compare
		out.Hits = append(out.Hits, hitOf(name, h))
	}
	for _, x := range found.Problems {
		out.Problems = append(out.Problems, name+": "+x.Path+": "+x.Reason)
	}
	out.Entries, out.Notes = found.Units, found.Notes
	return out
}

func hitOf(agent string, h search.Hit) hit {
	x := hit{Agent: agent, Path: h.Path, Line: h.Line, Headings: strings.Join(h.Headings, " > "), Score: h.Score}
	if x.Stored = h.Past(); x.Stored {
		x.Tier = string(h.Tier)
	}
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
		x.Pieces = append(x.Pieces, piece{textfmt.Safe(text[at:m.Start]), false}, piece{textfmt.Safe(text[m.Start:m.End]), true})
		at = m.End
	}
	x.Pieces = append(x.Pieces, piece{textfmt.Safe(textfmt.Clip(text[at:], most)), false})
	for _, w := range h.Why {
		if len(x.Why) < 8 {
			x.Why = append(x.Why, w.String())
		}
	}
	return x
}
