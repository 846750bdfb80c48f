package web

import (
	"context"
	"runtime"
	"strconv"

	"tend/internal/fleet"
)

// agentsPerInbox is how many agents a page of the inbox has.
const agentsPerInbox = 10

type inboxPage struct {
	Only   string // one agent
	Agents []inboxAgent
	pager
}

// inboxPage is what waits for a person: last night, proposals, findings, baselines, conflicts.
func (s *Site) inboxPage(v *visit) error {
	s.followConfig()
	s.board.visit()
	ctx, cancel := v.limited()
	defer cancel()
	p := inboxPage{Only: v.r.URL.Query().Get("agent")}
	names := []string{p.Only}
	if p.Only != "" {
		if err := v.known(p.Only); err != nil {
			return err
		}
	} else {
		from, _ := strconv.Atoi(v.r.URL.Query().Get("from"))
		all := s.board.page(0, 0, 0, perPage) // whoever asks first waits for those nobody has looked at
		soon, cancel := context.WithTimeout(ctx, firstLook)
		s.board.fresh(soon, all.rows)
		cancel()
		c := s.board.page(0, filterNamed("inbox"), from, agentsPerInbox)
		names = c.names()
		p.pager = pageAt(from, len(names), agentsPerInbox, c.total, pageLink("/inbox"))
	}
	list := make([]inboxAgent, len(names))
	few := len(names) > 1
	fleet.Parallel(len(names), runtime.GOMAXPROCS(0), func(i int) { list[i] = s.inboxOf(ctx, names[i], few) })
	for _, a := range list {
		if !a.Empty() || p.Only != "" {
			p.Agents = append(p.Agents, a)
		}
	}
	return v.render("inbox", "Inbox", p)
}
