package web

import (
	"context"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// perPage is how many agents a page of the fleet has.
const perPage = 50

type fleetPage struct {
	Total, Attend int
	Rows          []template.HTML
	Query         string
	Orders        []option
	Filters       []option
	pager
}

// pager is the part of a list that a page shows, with links to the others.
type pager struct {
	From, To, Total int
	Prev, Next      string
	Label           string // " of files"
}

// pageAt returns the pager of a page with n rows from a position, of a list with a total and per rows per page.
func pageAt(from, n, per, of int, link func(from int) string) pager {
	p := pager{From: min(from+1, of), To: min(from+n, of), Total: of}
	if from > 0 {
		p.Prev = link(max(0, from-per))
	}
	if p.To < of {
		p.Next = link(p.To)
	}
	return p
}

// pageOf cuts a page out of a list. from comes from the browser.
func pageOf[T any](list []T, from string, per int, link func(from int) string) ([]T, pager) {
	n, _ := strconv.Atoi(from)
	at := min(max(n, 0), len(list))
	rows := list[at:min(at+per, len(list))]
	return rows, pageAt(at, len(rows), per, len(list), link)
}

// pageLink links to a page of what is at a path.
func pageLink(path string) func(from int) string {
	return func(from int) string { return path + "?" + url.Values{"from": {strconv.Itoa(from)}}.Encode() }
}

// option is a choice among several.
type option struct {
	Key, Title, URL string
	Count           int
	On              bool
}

// fleetPage lists the agents, the worst first.
func (s *Site) fleetPage(_ context.Context, v *visit) error {
	q := v.r.URL.Query()
	order, filter := orderNamed(q.Get("sort")), filterNamed(q.Get("show"))
	from, _ := strconv.Atoi(q.Get("from"))
	query := strings.TrimSpace(q.Get("q"))
	c := s.board.page(order, filter, query, from, perPage)
	soon, cancel := context.WithTimeout(v.r.Context(), firstLook)
	defer cancel()
	if s.board.fresh(soon, c.rows) {
		c = s.board.page(order, filter, query, from, perPage)
	}
	counts := s.board.counts()
	p := fleetPage{Total: counts[0], Attend: counts[1], Query: query}
	for _, r := range c.rows {
		p.Rows = append(p.Rows, r.html)
	}
	link := func(key, value string) string {
		u := url.Values{}
		for _, k := range []string{"q", "sort", "show"} {
			if x := q.Get(k); x != "" {
				u.Set(k, x)
			}
		}
		u.Set(key, value)
		return "/?" + u.Encode()
	}
	for i, o := range orders {
		p.Orders = append(p.Orders, option{Key: o.Key, Title: o.Title, URL: link("sort", o.Key), On: i == order})
	}
	for j, f := range filters {
		if f.Title == "" {
			continue
		}
		p.Filters = append(p.Filters, option{Key: f.Key, Title: f.Title, URL: link("show", f.Key), On: j == filter, Count: counts[j]})
	}
	p.pager = pageAt(from, len(c.rows), perPage, c.total, func(n int) string { return link("from", strconv.Itoa(n)) })
	return v.render("fleet", "Fleet", p)
}

// firstLook is how long a page waits for agents that were not examined yet.
const firstLook = 2 * time.Second

// followConfig puts the configured agents on the board, if they have changed.
func (s *Site) followConfig() {
	f, done := s.backend.Use()
	defer done()
	cfg := f.Config
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == cfg {
		return
	}
	s.known = cfg
	type seat struct {
		ref     string
		enabled bool
	}
	seats := make(map[string]seat, len(cfg.Agents))
	for _, a := range cfg.Agents {
		seats[a.Name] = seat{a.Layout.Ref(), a.Enabled}
	}
	s.board.set(cfg.Names(), s.begin(func(name string) (string, bool) { return seats[name].ref, seats[name].enabled }))
}
