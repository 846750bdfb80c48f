package session

import (
	"cmp"
	"slices"

	"tend/internal/text/layout"
)

// class is the kind of an entry. When not everything fits, each class first gets its share of the budget, and the rest
// of the budget goes to the newest entries.
type class uint8

const (
	rules class = iota // the agent's identity and the operator's rules
	user               // who the agent works for
	core               // undated, hand-written facts
	task               // current work
	dated              // promoted entries with a day
	log                // today and yesterday
)

// shares are in eighths: rules of the whole budget, the others of what the rules leave. An instruction file that exceeds
// the budget must not leave the agent without its memory, nor a long memory without its user.
// What the user's file uses of its share is taken from that of the other facts.
var shares = [...]int{rules: 4, user: 1, core: 4, task: 1, dated: 1, log: 2}

// chunk is the divisor of the budget for groups of long-term memory that stay or go together, so that a log that grows
// by a line does not change the text before it.
const chunk = 16

func classOf(p *piece, b block) class {
	switch {
	case p.role == layout.Identity || p.role == layout.Agents || p.operators:
		return rules
	case p.role == layout.User:
		return user
	case p.role == layout.Session || p.role == layout.Buffer || p.role == layout.Tasks:
		return task
	case p.role == layout.Daily || p.role == layout.Learnings:
		return log
	case b.day == 0:
		return core
	}
	return dated
}

// spot is an entry's position.
type spot struct {
	piece *piece
	at    int
	class
}

func (s spot) block() *block { return &s.piece.blocks[s.at] }

// size is the size of an entry with the headings and delimiters before it.
func (s spot) size(count Counter) int {
	n := count(s.block().text)
	for i := s.at - 1; i >= 0 && !s.piece.blocks[i].entry; i-- {
		n += count(s.piece.blocks[i].text)
	}
	return n
}

// recency orders by day, the newest first. Rules and current work come first, other undated entries last.
func (s spot) recency() int {
	switch {
	case s.class == task:
		return 1 << 30
	case s.class == user:
		return 1<<30 + 1
	case s.class == rules:
		return 1<<30 + 2
	}
	return int(s.block().day)
}

// newest sorts the newest entry first; within a day, and without a day, the last one.
func newest(a, b spot) int {
	if c := cmp.Compare(b.recency(), a.recency()); c != 0 {
		return c
	}
	if a.piece != b.piece {
		return cmp.Compare(b.piece.rank, a.piece.rank)
	}
	return b.at - a.at
}

// first sorts the entries of one class by importance.
func first(a, b spot) int {
	if a.class == log { // tagged entries matter more
		if x, y := a.block().tagged, b.block().tagged; x != y {
			if x {
				return -1
			}
			return 1
		}
	}
	switch {
	case a.piece != b.piece && a.class != log && a.class != dated:
		return cmp.Compare(b.piece.rank, a.piece.rank)
	case a.class == rules || a.class == user || a.class == core || a.class == task && !a.piece.newest:
		return cmp.Compare(a.at, b.at)
	}
	return newest(a, b)
}

// keepOrder lists all entries that can be left out, in groups that stay or go together, the most important first: rules,
// core, the current task, the newest. Each class has a share of the budget; entries beyond it follow, the rules first,
// then the newest.
func (d *draft) keepOrder() [][]spot {
	var all []spot
	for _, p := range d.pieces {
		for i, b := range p.blocks {
			if b.entry && !b.expired && !b.large {
				all = append(all, spot{p, i, classOf(p, b)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.class, b.class), first(a, b))
	})
	var out [][]spot
	var used [len(shares)]int
	// within adds an entry to its class's share, if it fits.
	within := func(s spot, c class) bool {
		n, of := used[c]+s.size(d.o.Count), d.o.Budget
		if c != rules {
			of -= used[rules]
		}
		most := of * shares[c] / 8
		if c == core {
			most -= used[user]
		}
		if n > most {
			return false
		}
		used[c] = n
		out = append(out, []spot{s})
		return true
	}
	rest := slices.DeleteFunc(all, func(s spot) bool { return within(s, s.class) })
	slices.SortStableFunc(rest, newest)
	// Where nothing has a date, the entries written last count as the newest; where everything has one, the newest are the facts.
	rest = slices.DeleteFunc(rest, func(s spot) bool {
		return s.class == core && within(s, dated) || s.class == dated && within(s, core)
	})
	var group []spot
	size := 0
	for _, s := range rest {
		if s.class != core && s.class != dated {
			out = append(out, []spot{s})
			continue
		}
		group = append(group, s)
		if size += s.size(d.o.Count); size*chunk > d.o.Budget {
			out, group, size = append(out, group), nil, 0
		}
	}
	if len(group) > 0 {
		out = append(out, group)
	}
	return out
}
