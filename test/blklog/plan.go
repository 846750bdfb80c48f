//go:build linux

package blklog

import (
	"math/rand/v2"
	"slices"
)

// crashPoint names one state to check.
type crashPoint struct{ moment, choice int }

// plan is which states to check: all different ones, or a part if they are too many.
type plan struct {
	points     []crashPoint
	duplicates int
	dropped    int
}

// makePlan goes through the log once without mounting anything. Two states are
// the same if the disks are and as much had been acknowledged.
func makePlan(base *image, events []event, cfg Config) plan {
	type identity struct {
		sum   uint64
		acked int
	}
	var p plan
	var whole, partial []crashPoint
	seen := map[identity]bool{}
	r := newReplay(base, events, cfg.Seed)
	for {
		look, done := r.step()
		if done {
			break
		}
		if !look {
			continue
		}
		for choice := range 1 + max(cfg.Subsets, 0) {
			if choice > 0 && len(r.unflushed) == 0 {
				break
			}
			im, _ := r.crash(choice)
			id := identity{im.sum, len(r.labels)}
			if seen[id] {
				p.duplicates++
				continue
			}
			seen[id] = true
			if point := (crashPoint{r.next, choice}); choice == 0 {
				whole = append(whole, point)
			} else {
				partial = append(partial, point)
			}
		}
	}
	p.points = choose(cfg, whole, partial)
	p.dropped = len(whole) + len(partial) - len(p.points)
	return p
}

// choose takes at most MaxStates points in the order of the log, always the
// last of the whole ones, which shows the disk after a clean unmount.
func choose(cfg Config, whole, partial []crashPoint) []crashPoint {
	rng := rand.New(rand.NewPCG(cfg.Seed, 0))
	shuffle := func(points []crashPoint) {
		rng.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	}
	if n := len(whole); n > 0 {
		whole[0], whole[n-1] = whole[n-1], whole[0]
		shuffle(whole[1:])
	}
	shuffle(partial)
	points := slices.Concat(whole, partial)
	points = points[:min(len(points), cfg.MaxStates)]
	slices.SortFunc(points, func(a, b crashPoint) int {
		if a.moment != b.moment {
			return a.moment - b.moment
		}
		return a.choice - b.choice
	})
	return points
}
