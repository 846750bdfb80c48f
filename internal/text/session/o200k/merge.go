package o200k

import "container/heap"

// tokens counts the tokens of a piece: it merges bytes pair by pair, the pair with the
// lowest rank first and the left one of equal ranks, until no pair is a token.
func tokens(piece string, ranks map[string]int) int {
	if _, ok := ranks[piece]; ok {
		return 1
	}
	m := merger{piece: piece, ranks: ranks, next: make([]int, len(piece)+1), prev: make([]int, len(piece)+1)}
	for i := range m.next {
		m.next[i], m.prev[i] = i+1, i-1
	}
	for i := range len(piece) {
		m.offer(i)
	}
	n := len(piece)
	for len(m.pairs) > 0 {
		p := heap.Pop(&m.pairs).(pair)
		if m.end(p.at) != p.end {
			continue // one of the two has been merged since
		}
		n--
		gone := m.next[p.at]
		m.next[p.at], m.prev[p.end] = p.end, p.at
		m.next[gone] = gone // no part begins here any more
		m.offer(p.at)
		m.offer(m.prev[p.at])
	}
	return n
}

// merger is a piece being merged; a part is known by its start.
type merger struct {
	piece      string
	ranks      map[string]int
	next, prev []int
	pairs      pairs
}

// end is where the pair that begins at a part ends, 0 if there is none.
func (m *merger) end(at int) int {
	if at < 0 || m.next[at] >= len(m.piece) || m.next[at] == at {
		return 0
	}
	return m.next[m.next[at]]
}

// offer adds the pair that begins at a part as a candidate, if it is a token.
func (m *merger) offer(at int) {
	if end := m.end(at); end > 0 {
		if rank, ok := m.ranks[m.piece[at:end]]; ok {
			heap.Push(&m.pairs, pair{rank, at, end})
		}
	}
}

type pair struct{ rank, at, end int }

// pairs is a heap of candidates, the next to merge on top.
type pairs []pair

func (p pairs) Len() int { return len(p) }
func (p pairs) Less(i, j int) bool {
	return p[i].rank < p[j].rank || p[i].rank == p[j].rank && p[i].at < p[j].at
}
func (p pairs) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *pairs) Push(x any)   { *p = append(*p, x.(pair)) }
func (p *pairs) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}
