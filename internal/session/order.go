package session

import (
	"cmp"
	"slices"

	"tend/internal/layout"
)

// class is what an entry is to a session. When not everything fits, each class first gets its share of the budget, and
// what is left of it goes to the newest.
type class uint8

const (
	rules class = iota // who the agent is, and the operator's rules
	core               // what holds without a date: hand-written facts
	task               // what was going on
	dated              // what was promoted, with its day
	log                // today and yesterday
)

// shares are in eighths: rules of the whole budget, the others of what the rules leave. An instruction file that has
// outgrown the budget must not leave the agent without its memory.
var shares = [...]int{rules: 4, core: 4, task: 1, dated: 1, log: 2}

// chunk is the share of the budget in which what is left over of the long-term memory goes, so that a log that grows by a
// line does not change what comes before it.
const chunk = 16

func classOf(p *piece, b block) class {
	switch {
	case p.role == layout.Identity || p.role == layout.Agents:
		return rules
	case p.role == layout.Session || p.role == layout.Buffer || p.role == layout.Tasks:
		return task
	case p.role == layout.Daily || p.role == layout.Learnings:
		return log
	case b.day == 0:
		return core
	}
	return dated
}

// spot is an entry's place.
type spot struct {
	piece *piece
	at    int
	class
}

func (s spot) block() *block { return &s.piece.blocks[s.at] }

// size is what an entry takes, with the headings and delimiters before it.
func (s spot) size(count Counter) int {
	n := count(s.block().text)
	for i := s.at - 1; i >= 0 && !s.piece.blocks[i].entry; i-- {
		n += count(s.piece.blocks[i].text)
	}
	return n
}

// recency orders by day, the newest first. What is going on has no day and comes first, what has none for other reasons last.
func (s spot) recency() int {
	switch {
	case s.class == task:
		return 1 << 30
	case s.class == rules:
		return 1<<30 + 1
	}
	return int(s.block().day)
}

// newest puts the newest entry first; of one day, and of what has no day, the last.
func newest(a, b spot) int {
	if c := cmp.Compare(b.recency(), a.recency()); c != 0 {
		return c
	}
	if a.piece != b.piece {
		return cmp.Compare(b.piece.rank, a.piece.rank)
	}
	return b.at - a.at
}

// first says which of two entries of the same class is kept before the other.
func first(a, b spot) int {
	if a.class == log { // a tag says that it matters
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
	case a.class == rules || a.class == core || a.class == task && !a.piece.newest:
		return cmp.Compare(a.at, b.at)
	}
	return newest(a, b)
}

// keepOrder lists all that can be left out, in groups that stay or go together, what is needed most first: rules, core,
// the current task, the newest. Each has a share of the budget; what exceeds it follows afterwards: first the rules, then
// the newest.
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
	// within takes an entry into its class's share, if there is room for it.
	within := func(s spot, c class) bool {
		n, of := used[c]+s.size(d.o.Count), d.o.Budget
		if c != rules {
			of -= used[rules]
		}
		if n > of*shares[c]/8 {
			return false
		}
		used[c] = n
		out = append(out, []spot{s})
		return true
	}
	rest := slices.DeleteFunc(all, func(s spot) bool { return within(s, s.class) })
	slices.SortStableFunc(rest, newest)
	// Where nothing has a date, what was written last is taken for the newest.
	rest = slices.DeleteFunc(rest, func(s spot) bool { return s.class == core && within(s, dated) })
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
