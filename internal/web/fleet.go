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
	Total, Attend  int
	Rows           []template.HTML
	Query          string
	Orders         []option
	Filters        []option
	From, To, Hits int
	Prev, Next     string
	Pending        int // agents not looked at yet
}

// option is a choice among several.
type option struct {
	Key, Title, URL string
	Count           int
	On              bool
}

// fleetPage lists the agents, the worst first.
func (s *Site) fleetPage(v *visit) error {
	q := v.r.URL.Query()
	s.followConfig()
	s.board.visit()
	return v.cached(wholeFleet, func() error { return s.renderFleet(v, q) })
}

// wholeFleet stands for all agents where pages are kept.
const wholeFleet = ""

func (s *Site) renderFleet(v *visit, q url.Values) error {
	order, filter := orderNamed(q.Get("sort")), filterNamed(q.Get("show"))
	from, _ := strconv.Atoi(q.Get("from"))
	query := strings.TrimSpace(q.Get("q"))
	get := func() cut {
		if query == "" {
			return s.board.page(order, filter, from, perPage)
		}
		c := s.board.find(query, order, filter)
		at := min(max(from, 0), len(c.rows))
		c.rows = c.rows[at:min(at+perPage, len(c.rows))]
		return c
	}
	c := get()
	soon, cancel := context.WithTimeout(v.r.Context(), firstLook)
	defer cancel()
	if s.board.fresh(soon, c.rows) {
		c = get()
	}
	counts := s.board.counts()
	p := fleetPage{Total: counts[0], Attend: counts[1], Query: query, Hits: c.total, From: min(from+1, c.total), To: min(from+len(c.rows), c.total)}
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
	if from > 0 {
		p.Prev = link("from", strconv.Itoa(max(0, from-perPage)))
	}
	if p.To < c.total {
		p.Next = link("from", strconv.Itoa(p.To))
	}
	return v.render("fleet", "Fleet", p)
}

// firstLook is how long a page waits for agents nobody has looked at yet.
const firstLook = 2 * time.Second

// followConfig takes over which agents are configured, if that has changed.
func (s *Site) followConfig() {
	f, done := s.house.Use()
	defer done()
	cfg := f.Config
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == cfg {
		return
	}
	s.known = cfg
	s.cache.changed(wholeFleet)
	names := make([]string, len(cfg.Agents))
	type seat struct {
		ref     string
		enabled bool
	}
	seats := make(map[string]seat, len(cfg.Agents))
	for i, a := range cfg.Agents {
		names[i] = a.Name
		seats[a.Name] = seat{a.Layout.Ref(), a.Enabled}
	}
	s.board.set(names, s.begin(func(name string) (string, bool) { return seats[name].ref, seats[name].enabled }))
}
