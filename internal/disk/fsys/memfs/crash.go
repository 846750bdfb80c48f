package memfs

import (
	"cmp"
	"iter"
	"math/rand/v2"
	"slices"
)

// Chooser decides what happens to one unsynced change. It gets the number of
// possible outcomes, at least two, and returns one of them: 0 loses all of it, n-1
// keeps all of it, and those between are torn data.
type Chooser func(n int) int

// Lost loses everything that was not synced.
func Lost(int) int { return 0 }

// LoseNothing loses nothing.
func LoseNothing(n int) int { return n - 1 }

// Random is a chooser that decides at random, reproducibly for a seed.
func Random(seed uint64) Chooser {
	return rand.New(rand.NewPCG(seed, 0)).IntN
}

// CrashAt returns the disk as it may be found if the power fails after the first n
// operations of the record. It is a new disk on which everything is durable,
// nothing is locked or open, and which is not recording.
func (d *Disk) CrashAt(n int, choose Chooser) *Disk {
	r := d.historyTo(n)
	out, _ := r.plan().state(d, choose)
	return out
}

// KillAt returns the disk as the next process finds it when this one was killed
// after the first n operations: everything written is there. It continues the record
// at that point, so that a later power failure may still lose what was not synced
// before the kill; Record starts a new one.
func (d *Disk) KillAt(n int) *Disk {
	r := d.historyTo(n)
	b := r.plan().build(d, LoseNothing)
	for i, node := range b.live {
		if node != nil {
			node.rec, node.id = r, i
		}
	}
	b.disk.rec = r
	return b.disk
}

// plan returns the plan at the end of the record.
func (r *record) plan() *plan {
	p := newPlan(r.base)
	for i := range r.log {
		p.replay(&r.log[i])
	}
	return p
}

// Limits restrict how many crash states are tried.
type Limits struct {
	Exhaust int    // try all if there are at most so many; 0: 256
	Samples int    // otherwise so many random ones besides the extremes; 0: 32
	Seed    uint64 // of the random ones
}

// Crashes yields the different disks that CrashAt(n) may return: all of them if they
// are few, else those with everything lost, everything kept, any one thing lost, any
// one thing kept, and some random ones.
func (d *Disk) Crashes(n int, lim Limits) iter.Seq[*Disk] {
	return func(yield func(*Disk) bool) {
		r := d.historyTo(n)
		r.plan().states(d, lim, yield)
	}
}

// EveryCrash yields the Crashes at every n, from 0 to Len, in less time.
func (d *Disk) EveryCrash(lim Limits) iter.Seq2[int, *Disk] {
	return func(yield func(int, *Disk) bool) {
		r := d.history()
		p := newPlan(r.base)
		for n := 0; ; n++ {
			if !p.states(d, lim, func(s *Disk) bool { return yield(n, s) }) || n == len(r.log) {
				return
			}
			p.replay(&r.log[n])
		}
	}
}

func (p *plan) states(d *Disk, lim Limits, yield func(*Disk) bool) bool {
	lim.Exhaust = cmp.Or(lim.Exhaust, 256)
	lim.Samples = cmp.Or(lim.Samples, 32)
	seen := map[uint64]bool{}
	try := func(choose Chooser) bool {
		s, hash := p.state(d, choose)
		if seen[hash] {
			return true
		}
		seen[hash] = true
		return yield(s)
	}
	if p.count(lim.Exhaust) <= lim.Exhaust {
		return exhaust(try)
	}

	asked := 0
	if !try(Lost) || !try(func(n int) int { asked++; return n - 1 }) {
		return false
	}
	for one := range asked {
		if !try(except(one, LoseNothing, Lost)) || !try(except(one, Lost, LoseNothing)) {
			return false
		}
	}
	for i := range lim.Samples {
		if !try(Random(lim.Seed + uint64(i))) {
			return false
		}
	}
	return true
}

// except answers with most, and with other for question number one.
func except(one int, most, other Chooser) Chooser {
	asked := -1
	return func(n int) int {
		if asked++; asked == one {
			return other(n)
		}
		return most(n)
	}
}

// exhaust tries all answers to all questions, counting like an odometer.
func exhaust(try func(Chooser) bool) bool {
	var digits, radix []int
	for {
		asked := 0
		ok := try(func(n int) int {
			if asked == len(digits) {
				digits, radix = append(digits, 0), append(radix, 0)
			}
			radix[asked] = n
			asked++
			return digits[asked-1]
		})
		if !ok {
			return false
		}
		digits, radix = digits[:asked], radix[:asked]
		for asked--; asked >= 0; asked-- {
			if digits[asked]++; digits[asked] < radix[asked] {
				break
			}
			digits, radix = digits[:asked], radix[:asked]
		}
		if asked < 0 {
			return true
		}
	}
}

// count returns an upper bound of the number of states, or something above limit.
func (p *plan) count(limit int) int {
	lost := make([]bool, len(p.names))
	var combos func(i int) int
	combos = func(i int) int {
		if i == len(p.names) {
			return 1
		}
		lost[i] = true
		n := combos(i + 1)
		if lost[i] = false; n <= limit && p.depsDurable(i, lost) {
			n += combos(i + 1)
		}
		return n
	}
	n := combos(0)
	named := p.named()
	for i, img := range p.nodes {
		if img == nil || !named[i] || n > limit {
			continue
		}
		n *= max(1, len(img.contents())) * (1 + len(img.owners))
	}
	return n
}

// named returns which inodes some name may lead to.
func (p *plan) named() []bool {
	out := make([]bool, len(p.nodes))
	for _, img := range p.nodes {
		if img == nil {
			continue
		}
		for _, e := range img.names {
			out[e.node] = true
		}
	}
	for _, op := range p.names {
		for _, e := range op.edits {
			if e.node != none {
				out[e.node] = true
			}
		}
	}
	return out
}

// depsDurable reports whether no change that change i depends on is lost.
func (p *plan) depsDurable(i int, lost []bool) bool {
	return !slices.ContainsFunc(p.names[i].deps, func(s int) bool {
		j := p.find(s)
		return j >= 0 && lost[j]
	})
}
